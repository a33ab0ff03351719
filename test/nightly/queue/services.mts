import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { end, endWithThis, freePort } from '../../e2e/n8n.mts';
import { until } from '../../e2e/until.mts';

/** Debian keeps the programs of each version of PostgreSQL outside the usual path */
const POSTGRESQL = '/usr/lib/postgresql';

const READY_MS = 30_000;

export interface Services {
	/** What n8n must be told in order to use them */
	settings: NodeJS.ProcessEnv;
	stop(): Promise<void>;
}

/** Redis and PostgreSQL on free ports of the loopback address, with their data in a temporary folder */
export async function startServices(): Promise<Services> {
	const folder = mkdtempSync(join(tmpdir(), 'compute-queue-'));
	const started: ChildProcess[] = [];
	const stop = async () => {
		// PostgreSQL takes SIGINT for "now, but in order"
		await Promise.all(started.map((child) => end(child, 'SIGINT')));
		rmSync(folder, { recursive: true, force: true });
	};
	try {
		const redisPort = await startRedis(folder, started);
		const postgresPort = await startPostgres(folder, started);
		return {
			stop,
			settings: {
				EXECUTIONS_MODE: 'queue',
				QUEUE_BULL_REDIS_HOST: '127.0.0.1',
				QUEUE_BULL_REDIS_PORT: String(redisPort),
				DB_TYPE: 'postgresdb',
				DB_POSTGRESDB_HOST: '127.0.0.1',
				DB_POSTGRESDB_PORT: String(postgresPort),
				DB_POSTGRESDB_DATABASE: 'postgres',
				DB_POSTGRESDB_USER: 'n8n',
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

async function startRedis(folder: string, started: ChildProcess[]): Promise<number> {
	const port = await freePort();
	const data = join(folder, 'redis');
	mkdirSync(data);
	const args = [
		'--port',
		String(port),
		'--bind',
		'127.0.0.1',
		'--dir',
		data,
		'--appendonly',
		'yes',
	];
	await start('redis-server', args, {}, 'Ready to accept connections', started);
	return port;
}

async function startPostgres(folder: string, started: ChildProcess[]): Promise<number> {
	const port = await freePort();
	const data = join(folder, 'postgres');
	mkdirSync(data);
	const user = unprivileged(folder, data);
	const env = {
		...process.env,
		PATH: [...programFolders(), process.env.PATH].join(delimiter),
		LC_ALL: 'C',
	};
	execFileSync(
		'initdb',
		['--pgdata', data, '--username', 'n8n', '--auth', 'trust', '--encoding', 'UTF8'],
		{ env, ...user, cwd: data, stdio: 'pipe' },
	);
	const args = [
		'-D',
		data,
		'-p',
		String(port),
		'-c',
		'listen_addresses=127.0.0.1',
		'-c',
		`unix_socket_directories=${data}`,
	];
	await start(
		'postgres',
		args,
		{ env, ...user, cwd: data },
		'database system is ready to accept connections',
		started,
	);
	return port;
}

/** PostgreSQL does not run as root, so root runs it as the user that Debian's package has made for it */
function unprivileged(...folders: string[]): { uid?: number; gid?: number } {
	if (process.getuid?.() !== 0) return {};
	const [uid, gid] = ['-u', '-g'].map((what) =>
		Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' })),
	);
	if (uid === undefined || gid === undefined) return {};
	for (const folder of folders) chownSync(folder, uid, gid);
	return { uid, gid };
}

function programFolders(): string[] {
	if (!existsSync(POSTGRESQL)) return [];
	return readdirSync(POSTGRESQL)
		.sort((one, other) => Number(other) - Number(one))
		.map((version) => join(POSTGRESQL, version, 'bin'));
}

async function start(
	program: string,
	args: string[],
	options: SpawnOptions,
	words: string,
	started: ChildProcess[],
): Promise<void> {
	const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
	endWithThis(child);
	let log = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding('utf8').on('data', (text: string) => {
			log += text;
		});
	}
	child.once('error', (error) => {
		log += `${error.message}; it is in Debian's packages redis-server and postgresql`;
	});
	const hasEnded = () => child.pid === undefined || child.exitCode !== null;
	const isReady = () => log.includes(words);
	await until(`${program} is ready`, () => isReady() || hasEnded(), READY_MS);
	if (!isReady()) throw new Error(`${program} did not become ready:\n${log}`);
	started.push(child);
}
