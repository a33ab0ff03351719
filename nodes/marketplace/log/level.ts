import { isRecord } from '../../shared/guards';
import { removeColours } from './colours';
import { jsonObjectOf } from './entry';

/** Log levels in rising order. */
export const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Level = (typeof LEVELS)[number];

/** Level words of loggers, with their abbreviations: JUL, .NET, Serilog, zerolog, logrus, zap, winston, loguru, syslog. */
const NAMES: Record<Level, string> = {
	debug: 'trace trc trce trac verbose vrb silly finest finer fine debug dbg dbug debu',
	info: 'info inf information notice note success',
	warn: 'warn warning wrn',
	error: 'error err erro eror exception severe fail',
	fatal: 'fatal ftl fata critical crit panic pani pnc dpanic emergency emerg alert',
};
const WORDS = new Map(
	LEVELS.flatMap((level) => NAMES[level].split(' ').map((word) => [word, level] as const)),
);
const LETTERS: Record<string, Level> = {
	T: 'debug',
	D: 'debug',
	I: 'info',
	N: 'info',
	W: 'warn',
	E: 'error',
	C: 'fatal',
	F: 'fatal',
};

type Scale = (value: number) => Level | undefined;
/** 0 is an emergency, 7 is debug (RFC 5424 section 6.2.1). */
const SYSLOG: Scale = (value) =>
	(['fatal', 'fatal', 'fatal', 'error', 'warn', 'info', 'info', 'debug'] as const)[value];
/** 10 is trace, 60 is fatal (pino, Bunyan). */
const TENS: Scale = (value) =>
	([undefined, 'debug', 'debug', 'info', 'warn', 'error', 'fatal'] as const)[
		Math.floor(value / 10)
	];
/** 10 is debug, 50 is critical (Python). */
const PYTHON: Scale = (value) => (value >= 10 ? TENS(value + 10) : undefined);
/** Four numbers a level: 1 to 4 is trace, 21 to 24 is fatal (OpenTelemetry). */
const OPEN_TELEMETRY: Scale = (value) =>
	value < 1 ? undefined : (['debug', ...LEVELS] as const)[Math.floor((value - 1) / 4)];

/** JSON fields that hold a level, the most telling first, and what a number in them means. */
const FIELDS = new Map<string, Scale>([
	...['level', 'severity', 'levelname', 'lvl', 'log.level', 'loglevel', 'logLevel', 'LogLevel'].map(
		(name) => [name, TENS] as const,
	),
	...['log_level', 'Level', 'LEVEL', 'severityText', 'severity_text', 'SeverityText', '@l'].map(
		(name) => [name, TENS] as const,
	),
	['levelno', PYTHON],
	['severityNumber', OPEN_TELEMETRY],
	['severity_number', OPEN_TELEMETRY],
	['SeverityNumber', OPEN_TELEMETRY],
	['PRIORITY', SYSLOG],
	['syslog_severity', SYSLOG],
	['syslog.severity', SYSLOG],
]);

/** Only the first characters of a line are searched: further in, such a word is part of the message. */
const SEARCHED_CHARACTERS = 120;
const PRIORITY = /^<(\d{1,3})>/;
const LARGEST_PRIORITY = 191;
/** `level=error` (logfmt), and `"level":"error"` of a JSON that was cut or has text before it. */
const ASSIGNED =
	/(?<![\w-])(?:level|lvl|severity|log_?level|levelname)(?:"\s*:|=)\s*["']?([A-Za-z]+|\d+)/i;
/** At the start of a line nearly always a level; the other words may begin a sentence, as `alert` and `trace` do. */
const PLAIN = /^(?:debug|info|warn|warning|error|fatal|exception)$/i;
const SEPARATOR = /^(?:[:\])|]|\t|\s{2}|\s*$)/;
/** What may stand before the level without being text: everything but letters, and the letters of dates and times. */
const BEFORE_TEXT =
	/^(?:[^A-Za-z]|(?<=\d)[TZ](?![A-Za-z])|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|UTC|GMT|AM|PM)\b)*/;
/** `E0721 10:00:00` (glog, klog), `E 261122 10:00:00` (Tornado), `E, [2026-` (Ruby); after a time also `E tensorflow/…`. */
const LETTER = /^([A-Z])(?:\d{4}\s+\d|, \[|\s+\d{4})/;
const LETTER_AFTER_TIME = /^([A-Z])\s/;
const TIME = /\d\d:\d\d:\d\d/;
const PHRASES: Array<[RegExp, Level]> = [
	[/^Traceback \(most recent call last\)/, 'error'],
	[/^Un(?:handled|caught)\b/, 'error'],
	[/^thread '[^']*' (?:\(\d+\) )?panicked at/, 'fatal'],
];

/**
 * The level of a line; undefined where it shows none. Colours are removed first. The first rule that finds a level decides:
 * 1. A field of a JSON object (`level`, `severity`, `log.level`, …), as a word or a number: 10 to 60 as in pino, in `levelno` as in
 *    Python, 0 to 7 only where the field is named after syslog. A field with an unknown value means no level.
 * 2. The priority of syslog and systemd in front, `<3>` or `<165>1`.
 * 3. `level=`, `lvl=`, `severity=` (logfmt).
 * 4. At the start, where only a time may stand before it: a letter as glog writes it, a traceback, a panic.
 * 5. The first level word that is in capitals, in brackets, before a colon, or at the start. Other words are
 *    part of the message: `my-error-service started` has no level, and `GET /info -> 500 ERROR` is an error.
 *
 * Rules 2 to 5 look at the first 120 characters.
 * @param json the JSON object that the line consists of, where the caller has it
 */
export function levelOf(line: string, json = jsonObjectOf(line)): Level | undefined {
	const field = json && levelField(json);
	if (field) return levelOfValue(...field);
	const head = removeColours(line).slice(0, SEARCHED_CHARACTERS);
	const start = BEFORE_TEXT.exec(head)![0].length;
	return (
		priorityLevel(head) ?? assignedLevel(head) ?? startLevel(head, start) ?? wordLevel(head, start)
	);
}

function levelField(json: Record<string, unknown>): [value: unknown, scale: Scale] | undefined {
	for (const [name, scale] of FIELDS) {
		const value = json[name];
		if (typeof value === 'string' || typeof value === 'number') return [value, scale];
	}
	return isRecord(json.log) ? levelField({ level: json.log.level }) : undefined;
}

/** Logger libraries colour the level inside the JSON, too (winston). */
function levelOfValue(value: unknown, scale: Scale): Level | undefined {
	const text = removeColours(String(value)).trim();
	return /^\d/.test(text) ? scale(Number(text)) : WORDS.get(text.toLowerCase());
}

function priorityLevel(head: string): Level | undefined {
	const priority = Number(PRIORITY.exec(head)?.[1] ?? NaN);
	return priority <= LARGEST_PRIORITY ? SYSLOG(priority % 8) : undefined;
}

function assignedLevel(head: string): Level | undefined {
	const value = ASSIGNED.exec(head)?.[1];
	return value === undefined ? undefined : levelOfValue(value, TENS);
}

function startLevel(head: string, start: number): Level | undefined {
	const text = head.slice(start);
	const isAfterTime = TIME.test(head.slice(0, start));
	const letter = LETTER.exec(text) ?? (isAfterTime ? LETTER_AFTER_TIME.exec(text) : null);
	return (letter && LETTERS[letter[1]!]) ?? PHRASES.find(([phrase]) => phrase.test(text))?.[1];
}

function wordLevel(head: string, start: number): Level | undefined {
	for (const { 0: word, index } of head.matchAll(/[A-Za-z]+/g)) {
		const level = WORDS.get(word.toLowerCase());
		const kind = level ? undefined : /[a-z](Error|Exception|Warning)$/.exec(word)?.[1];
		if (!level && !kind) continue;
		const before = head.slice(0, index);
		const after = head.slice(index + word.length);
		if (level && isLevel(word, before, after, index === start)) return level;
		if (kind && isException(before, after)) return WORDS.get(kind.toLowerCase());
	}
	return undefined;
}

function isLevel(word: string, before: string, after: string, isStart: boolean): boolean {
	// Part of a name or a path: `my-error`, `ERROR_CODE`, `/info`. Celery writes `ERROR/MainProcess`, Monolog `app.ERROR`
	if (/[\w/$@-]$/.test(before) || /^[\w$=-]/.test(after)) return false;
	if (word === word.toUpperCase()) return true;
	if (isStart && (SEPARATOR.test(after) || (PLAIN.test(word) && /^[^./@"']/.test(after))))
		return true;
	return isInBrackets(before, after) || isBeforeColon(before, after);
}

/** `[error]`, `(warn)`, `| info |`, with the module in front as Apache writes it: `[core:error]`. */
const isInBrackets = (before: string, after: string) =>
	/[[(|]\s*(?:\w+:)?$/.test(before) && /^\s*[\])|]/.test(after);

const isBeforeColon = (before: string, after: string) =>
	/(?:^|\s)$/.test(before) && /^:(?!:)/.test(after);

/** `torch.cuda.OutOfMemoryError: …`; without a message the name is all there is. */
const isException = (before: string, after: string) =>
	/(?:^|\s)(?:\w+[.$])*$/.test(before) && /^(?::(?!:)|\s*$|\n)/.test(after);
