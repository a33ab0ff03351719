import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelOf, type Level } from '../../nodes/marketplace/log/level.ts';

const ESC = '\u001b';
const NO_LEVEL: undefined = undefined;

const CASES: Array<[logger: string, line: string, level: Level | undefined]> = [
	// JSON
	['pino', '{"level":30,"time":1763805600123,"pid":1,"msg":"error page served"}', 'info'],
	['pino fatal', '{"level":60,"msg":"out of memory"}', 'fatal'],
	['pino trace', '{"level":10,"msg":"x"}', 'debug'],
	['Bunyan', '{"name":"app","hostname":"h","pid":1,"level":50,"msg":"x","v":0}', 'error'],
	['a number that is no level', '{"level":3,"msg":"x"}', NO_LEVEL],
	['a number beyond all levels', '{"level":1e9,"msg":"x"}', NO_LEVEL],
	['winston JSON', '{"level":"warn","message":"ERROR"}', 'warn'],
	['winston JSON with colours', '{"level":"\\u001b[31merror\\u001b[39m","message":"x"}', 'error'],
	['winston silly', '{"level":"silly","message":"x"}', 'debug'],
	['zap', '{"level":"dpanic","ts":1763805600.1,"caller":"a/b.go:1","msg":"x"}', 'fatal'],
	['slog JSON', '{"time":"2026-11-22T10:00:00Z","level":"ERROR","msg":"x"}', 'error'],
	['logrus JSON', '{"level":"warning","msg":"x","time":"2026-11-22T10:00:00Z"}', 'warn'],
	['Python JSON', '{"levelname":"CRITICAL","message":"x"}', 'fatal'],
	['Python numbers', '{"levelno":40,"message":"x"}', 'error'],
	['Python debug', '{"levelno":10,"message":"x"}', 'debug'],
	['ECS', '{"@timestamp":"2026-11-22T10:00:00Z","log.level":"error","message":"x"}', 'error'],
	['ECS, nested', '{"log":{"level":"WARN"},"message":"x"}', 'warn'],
	['Google Cloud', '{"severity":"ALERT","message":"x"}', 'fatal'],
	['OpenTelemetry', '{"severityText":"Error","body":"x"}', 'error'],
	['OpenTelemetry number', '{"severityNumber":13,"body":"x"}', 'warn'],
	['OpenTelemetry fatal', '{"severityNumber":24,"body":"x"}', 'fatal'],
	['OpenTelemetry trace', '{"severityNumber":1,"body":"x"}', 'debug'],
	['journald', '{"PRIORITY":"3","MESSAGE":"x"}', 'error'],
	['syslog by name', '{"syslog_severity":7,"message":"x"}', 'debug'],
	['Serilog compact', '{"@t":"2026-11-22T10:00:00Z","@l":"Fatal","@mt":"x"}', 'fatal'],
	['.NET JSON', '{"EventId":1,"LogLevel":"Information","Message":"x"}', 'info'],
	['an unknown level', '{"level":"loud","message":"ERROR"}', NO_LEVEL],
	['JSON without a level', '{"error":null,"message":"all is well"}', NO_LEVEL],
	['JSON that was cut', '{"ts":1,"level":"error","msg":"a very lo', 'error'],
	['JSON behind a prefix', 'web-1  | {"level":"error","msg":"x"}', 'error'],
	// logfmt
	['logrus', 'time="2026-11-22T10:00:00Z" level=error msg="info"', 'error'],
	['logrus terminal', 'ERRO[0012] cannot bind', 'error'],
	['logrus terminal', 'FATA[0000] x', 'fatal'],
	['slog text', 'time=2026-11-22T10:00:00.000Z level=WARN msg=x', 'warn'],
	['slog between levels', 'time=2026-11-22T10:00:00.000Z level=ERROR+2 msg=x', 'error'],
	['Grafana, log15', 'logger=sqlstore t=2026-11-22T10:00:00Z lvl=eror msg="x"', 'error'],
	['go-kit', 'ts=2026-11-22T10:00:00Z caller=main.go:1 level=debug msg=ERROR', 'debug'],
	['quoted', 'severity="critical" msg=x', 'fatal'],
	['a key that ends alike', 'log-level=error started', NO_LEVEL],
	['a key named error', 'error=timeout op=read', NO_LEVEL],
	// Syslog and systemd
	['systemd', '<3>cannot mount', 'error'],
	['systemd', '<0>system is unusable', 'fatal'],
	['kernel', '<6>info at best, no error', 'info'],
	['RFC 5424', '<165>1 2026-11-22T10:00:00Z host app 1 ID47 - ERROR', 'info'],
	['RFC 3164', "<34>Nov 22 10:00:00 host su: 'su root' failed", 'fatal'],
	['no priority', '<192>text', NO_LEVEL],
	['rsyslog', 'Nov 22 10:00:00 host app[7]: error: no space left', 'error'],
	// glog and letters
	['klog', 'E0721 12:00:00.000000       1 reflector.go:1] info', 'error'],
	['glog', 'I1122 10:00:00.000000 1 server.cc:1] ERROR in name', 'info'],
	['glog', 'W1122 10:00:00.000000 1 x.cc:1] y', 'warn'],
	['glog', 'F1122 10:00:00.000000 1 x.cc:1] y', 'fatal'],
	['Jupyter', '[E 2026-11-22 10:00:00.000 ServerApp] x', 'error'],
	['Tornado', '[W 261122 10:00:00 web:2239] 404 GET /', 'warn'],
	['TensorFlow', '2026-11-22 10:00:00.123456: E tensorflow/stream_executor/cuda.cc:1] x', 'error'],
	['Ruby', 'F, [2026-11-22T10:00:00.000000 #1] FATAL -- : x', 'fatal'],
	['Rails', 'E, [2026-11-22T10:00:00.000000 #1] ERROR -- : x', 'error'],
	['a word that looks like glog', 'E0721 is a code', NO_LEVEL],
	['a sentence', 'I 7 am a robot', NO_LEVEL],
	// Java
	['log4j', '2026-11-22 10:00:00,123 [main] ERROR com.foo.Bar - info', 'error'],
	['logback', '10:00:00.123 [main] WARN  c.f.Bar -- x', 'warn'],
	['Spring Boot', '2026-11-22T10:00:00.123Z  INFO 1 --- [main] c.f.Bar : error', 'info'],
	['JUL', 'SEVERE: x', 'error'],
	['JUL', 'FINEST: x', 'debug'],
	['Tomcat', '22-Nov-2026 10:00:00.123 SEVERE [main] org.apache.x y', 'error'],
	['Java', 'Exception in thread "main" java.lang.IllegalStateException: x', 'error'],
	['Java', 'java.lang.NullPointerException', 'error'],
	['Elasticsearch', '[2026-11-22T10:00:00,123][WARN ][o.e.x    ] [node] y', 'warn'],
	['Kafka', '[2026-11-22 10:00:00,123] ERROR [KafkaServer id=1] x', 'error'],
	// Python
	['logging', 'ERROR:root:x', 'error'],
	['logging', 'WARNING:urllib3.connectionpool:Retrying', 'warn'],
	['logging', '2026-11-22 10:00:00,123 - app - CRITICAL - x', 'fatal'],
	['uvicorn', 'INFO:     10.0.0.1:5000 - "GET /error HTTP/1.1" 500 Internal Server Error', 'info'],
	['uvicorn with colours', `${ESC}[31mERROR${ESC}[0m:    Exception in ASGI application`, 'error'],
	['gunicorn', '[2026-11-22 10:00:00 +0000] [7] [CRITICAL] WORKER TIMEOUT (pid:9)', 'fatal'],
	['Celery', '[2026-11-22 10:00:00,123: ERROR/MainProcess] Task x', 'error'],
	['Airflow', '[2026-11-22T10:00:00.000+0000] {task.py:1} WARNING - x', 'warn'],
	['loguru', '2026-11-22 10:00:00.123 | SUCCESS  | __main__:f:1 - x', 'info'],
	['traceback', 'Traceback (most recent call last):', 'error'],
	['exception', 'torch.cuda.OutOfMemoryError: CUDA out of memory.', 'error'],
	['exception', 'KeyError', 'error'],
	['warnings', '/app/x.py:10: UserWarning: y', 'warn'],
	['vLLM', 'INFO 11-22 10:00:00 [api_server.py:100] error handler ready', 'info'],
	['vLLM', '(EngineCore_0 pid=12) ERROR 11-22 10:00:00 [core.py:1] x', 'error'],
	['CUDA', 'CUDA error: device-side assert triggered', 'error'],
	['NCCL', "host:12:34 [0] NCCL WARN Cuda failure 'out of memory'", 'warn'],
	['NCCL', 'host:12:34 [0] NCCL INFO Bootstrap : Using eth0', 'info'],
	['Ray', '2026-11-22 10:00:00,123\tWARNING worker.py:1 -- x', 'warn'],
	// Go, Rust, .NET, Node
	['zap console', '2026-11-22T10:00:00.000Z\terror\tcmd/main.go:1\tx', 'error'],
	['zerolog', '10:00AM FTL x', 'fatal'],
	['zerolog', '10:00AM WRN x error=y', 'warn'],
	['zerolog', '2026-11-22T10:00:00Z DBG x', 'debug'],
	['hclog', '2026-11-22T10:00:00.000Z [TRACE] agent: x', 'debug'],
	['Go', 'panic: runtime error: index out of range [5]', 'fatal'],
	['env_logger', '[2026-11-22T10:00:00Z WARN  my_app::error] x', 'warn'],
	[
		'tracing',
		`${ESC}[2m2026-11-22T10:00:00.000000Z${ESC}[0m ${ESC}[31mERROR${ESC}[0m app: x`,
		'error',
	],
	['Rust', "thread 'main' panicked at src/main.rs:2:5:", 'fatal'],
	['.NET', 'fail: Microsoft.AspNetCore.Server.Kestrel[13]', 'error'],
	['.NET', 'crit: App[0]', 'fatal'],
	['.NET', 'warn: App[0]', 'warn'],
	['.NET', 'dbug: App[0]', 'debug'],
	['.NET', 'Unhandled exception. System.Exception: x', 'error'],
	['Serilog', '[10:00:00 ERR] x', 'error'],
	['Serilog', '[10:00:00 INF] x', 'info'],
	['winston', 'error: x', 'error'],
	['winston', '2026-11-22T10:00:00.000Z [warn]: x', 'warn'],
	['npm', 'npm ERR! code 1', 'error'],
	['Node', 'TypeError: x is not a function', 'error'],
	// Servers
	['nginx', '2026/11/22 10:00:00 [error] 7#7: *1 open() "/info" failed', 'error'],
	['nginx', 'nginx: [emerg] bind() to 0.0.0.0:80 failed', 'fatal'],
	['nginx', '2026/11/22 10:00:00 [crit] 7#7: x', 'fatal'],
	['Apache', '[Sun Nov 22 10:00:00.123456 2026] [core:error] [pid 1] x', 'error'],
	['Envoy', '[2026-11-22 10:00:00.000][1][warning][main] x', 'warn'],
	['PHP-FPM', '[22-Nov-2026 10:00:00] NOTICE: fpm is running, pid 1', 'info'],
	['Laravel', '[2026-11-22 10:00:00] production.ERROR: x {"a":1} []', 'error'],
	['MySQL', '2026-11-22T10:00:00.000000Z 0 [Warning] [MY-010068] x', 'warn'],
	['Postgres', '2026-11-22 10:00:00.123 UTC [1] FATAL:  password authentication failed', 'fatal'],
	['Redis', '1:M 22 Nov 2026 10:00:00.123 # Warning: no config file', 'warn'],
	['EMERG', '[EMERG] x', 'fatal'],
	['docker compose', 'web-1  | error: x', 'error'],
	['a request', 'GET /info/health -> 500 ERROR', 'error'],
	['capitals in brackets', 'main (WARN) x', 'warn'],
	// No level
	['a name', 'my-error-service started', NO_LEVEL],
	['a name at the start', 'error-service started', NO_LEVEL],
	['a file', 'info.txt was written', NO_LEVEL],
	['a path', '/error/info 200', NO_LEVEL],
	['a request', 'GET /api/error/list 200 12ms', NO_LEVEL],
	['a constant', 'set MAX_ERROR_COUNT to 5', NO_LEVEL],
	['a sentence', 'connection closed without error', NO_LEVEL],
	['a sentence', 'the info desk had no warning, so no panic', NO_LEVEL],
	['a Rust path', 'loaded std::error::Error', NO_LEVEL],
	['a sentence', 'alert manager started', NO_LEVEL],
	['a sentence', 'Critical section entered', NO_LEVEL],
	['a setting', 'log level: error', NO_LEVEL],
	['a JSON field that was cut', '{"LogLevel": "Error","Message":"x', 'error'],
	['a sentence that begins with it', 'error opening file', 'error'],
	['a plural', '0 errors, 0 warnings', NO_LEVEL],
	['an option', '--error=none', NO_LEVEL],
	['a class', 'ErrorHandler registered', NO_LEVEL],
	['Nothing', '', NO_LEVEL],
	['far into the line', `${'x'.repeat(120)} ERROR`, NO_LEVEL],
	['colours do not count', `${`${ESC}[31m`.repeat(50)}ERROR`, 'error'],
	// Beside brackets, colons and exceptions
	['spaces in brackets', 'db [ error ] x', 'error'],
	['a word that begins in brackets', 'page (error handling) is new', NO_LEVEL],
	['brackets that were closed before', 'row [a] then error] end', NO_LEVEL],
	['a bracket that opens at once', 'see [error handler] x', NO_LEVEL],
	['a colon further on', 'an error in a: b', NO_LEVEL],
	['a word behind a bracket, with a colon', 'a (error: b', NO_LEVEL],
	['the name of an exception in a sentence', 'see ValueError in the docs: x', NO_LEVEL],
	['the name of an exception, assigned', 'cause=ValueError: x', NO_LEVEL],
	['an exception without a message', 'ValueError', 'error'],
	['an exception without a message, and spaces', 'app ValueError  ', 'error'],
	['an exception that happened', 'ValueError happened', NO_LEVEL],
];

describe('the level of a line', () => {
	it.each(CASES)('%s: %s', (_, line, level) => {
		expect(levelOf(line)).toBe(level);
	});

	it('takes the JSON that a caller has', () => {
		expect(levelOf('any text', { level: 'error' })).toBe('error');
	});

	it('in capitals or brackets is found behind any text without a level', () => {
		const text = fc.stringMatching(/^[a-z0-9 .,]{0,80}$/).filter((words) => !levelOf(`${words} x`));
		fc.assert(
			fc.property(text, fc.constantFrom('ERROR', '[error]', '(Error)', 'ERR'), (words, level) => {
				expect(levelOf(`${words} ${level} y`)).toBe('error');
			}),
		);
	});

	it('is found or not, but never an exception', () => {
		const value = fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.object());
		const json = fc
			.dictionary(fc.constantFrom('level', 'severity', 'log', 'levelno', 'PRIORITY', '@l'), value)
			.map((fields) => JSON.stringify(fields));
		fc.assert(
			fc.property(fc.oneof(fc.string({ unit: 'binary' }), json), (line) => {
				expect([undefined, 'debug', 'info', 'warn', 'error', 'fatal']).toContain(levelOf(line));
			}),
		);
	});

	it.each([' ', '[', '1T', '10:00:00 ', 'a.', '((', 'error', '"level" = ', ESC, 'Z', "thread '"])(
		'of a megabyte of %j, only the start is read',
		(unit) => {
			const line = unit.repeat(Math.ceil(1_000_000 / unit.length));
			expect(levelOf(line)).toBe(levelOf(line.slice(0, 1_000)));
		},
	);
});
