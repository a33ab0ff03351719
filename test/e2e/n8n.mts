import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
	closeSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pack, unpack } from '../pack.mts';
import { onExit } from './exit.mts';
import { binaries, installation, outside } from './install.mts';
import { until } from './until.mts';

const command = join(binaries, 'n8n');

/** What n8n prints when it has loaded everything */
export const READY = 'Editor is now accessible';

/** Longest time until n8n is ready, on a machine that has much else to do */
const READY_MS = 180_000;

/** After this long, a process that was asked to end is killed. n8n gives itself 30 seconds */
const LONGEST_STOP_MS = 40_000;

/** A user folder of a real n8n with the package in it, in a temporary place. It is removed with this process at the latest */
export interface Home {
	folder: string;
	environment: NodeJS.ProcessEnv;
	remove(): void;
}

export interface Running {
	/** Everything that it has printed since this start */
	log(): string;
	hasEnded(): boolean;
	/** False if it did not end by itself, and had to be killed */
	stop(): Promise<boolean>;
	/** At once, with SIGKILL */
	kill(): Promise<void>;
}

export interface RunningN8n extends Running {
	url: string;
}

/** Puts the packed package where n8n's own installer puts it, and as it does: without the dependencies for development */
export function createHome(): Home {
	const folder = mkdtempSync(join(tmpdir(), 'compute-n8n-'));
	const tempFolder = join(folder, 'tmp');
	for (const made of [tempFolder, logsOf(folder)]) mkdirSync(made);
	const tarball = pack(tempFolder);
	const nodesFolder = join(folder, '.n8n', 'nodes');
	const packageFolder = join(nodesFolder, 'node_modules', tarball.name);
	unpack(tarball, packageFolder);

	const manifestPath = join(packageFolder, 'package.json');
	const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as Record<string, unknown>;
	const left = {
		devDependencies: undefined,
		peerDependencies: undefined,
		optionalDependencies: undefined,
	};
	writeFileSync(manifestPath, JSON.stringify({ ...manifest, ...left }, null, 2));
	writeFileSync(
		join(nodesFolder, 'package.json'),
		JSON.stringify({
			name: 'installed-nodes',
			private: true,
			dependencies: { [tarball.name]: tarball.version },
		}),
	);

	const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	const forget = onExit(remove);
	return {
		folder,
		environment: { ...environmentFor(folder), TMPDIR: tempFolder },
		remove: () => {
			forget();
			remove();
		},
	};
}

/** Where the output of every start of n8n is kept, a file each: all processes that look for something in it can read it */
export function logsOf(folder: string): string {
	return join(folder, 'logs');
}

function environmentFor(folder: string): NodeJS.ProcessEnv {
	return {
		...outside(/^(N8N_|DB_|NODE_OPTIONS$|NODE_PATH$|NODE_ENV$|VITEST|npm_)/),
		PATH: [binaries, process.env.PATH].join(delimiter),
		N8N_USER_FOLDER: folder,
		N8N_ENCRYPTION_KEY: 'only-for-this-test',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_LOG_LEVEL: 'info',
		NO_COLOR: '1',
		// Nothing on the internet is asked or told about a test
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_DISABLED_MODULES: 'mcp-registry',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	};
}

/** Which n8n is installed */
export function version(): string {
	const manifest = JSON.parse(
		readFileSync(join(installation, 'node_modules', 'n8n', 'package.json'), 'utf8'),
	) as { version: string };
	return manifest.version;
}

/** Starts n8n and waits until its editor answers */
export async function startN8n(
	home: Home,
	wanted?: number,
	settings: NodeJS.ProcessEnv = {},
): Promise<RunningN8n> {
	const port = wanted ?? (await freePort());
	const url = `http://127.0.0.1:${port}`;
	const running = await launch(home, ['start'], { ...settings, N8N_PORT: String(port) });
	await readiness(running, async () => {
		if (!running.log().includes(READY)) return false;
		const response = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
		return response?.ok ?? false;
	});
	return { ...running, url };
}

/** Starts a worker of n8n's queue mode and waits until it takes jobs */
export async function startWorker(
	home: Home,
	concurrency: number,
	settings: NodeJS.ProcessEnv,
): Promise<Running> {
	const running = await launch(home, ['worker', `--concurrency=${concurrency}`], settings);
	await readiness(running, () => running.log().includes('n8n worker is now ready'));
	return running;
}

/** Its output goes to a file of the home folder. It ends with this process, however this one ends */
async function launch(home: Home, args: string[], settings: NodeJS.ProcessEnv): Promise<Running> {
	const env = { ...home.environment, ...settings, ...(await brokerPort()) };
	const log = join(logsOf(home.folder), `${randomUUID()}.log`);
	const file = openSync(log, 'a');
	const child = spawn(command, args, { env, stdio: ['ignore', file, file] });
	closeSync(file);
	endWithThis(child);
	return {
		log: () => readFileSync(log, 'utf8'),
		hasEnded: () => child.exitCode !== null || child.signalCode !== null,
		stop: () => end(child),
		kill: async () => void (await end(child, 'SIGKILL')),
	};
}

async function readiness(
	running: Running,
	isReady: () => Promise<boolean> | boolean,
): Promise<void> {
	try {
		await until('n8n is ready', async () => running.hasEnded() || (await isReady()), READY_MS);
		if (running.hasEnded()) throw new Error('n8n has ended');
	} catch (error) {
		await running.stop();
		throw new Error(`n8n did not become ready:\n${running.log()}`, { cause: error });
	}
}

/** n8n's helper process for code listens on a fixed port unless told otherwise */
async function brokerPort(): Promise<NodeJS.ProcessEnv> {
	return { N8N_RUNNERS_BROKER_PORT: String(await freePort()) };
}

/** Kills a process when this one ends */
export function endWithThis(child: ChildProcess): void {
	child.once(
		'close',
		onExit(() => child.kill('SIGKILL')),
	);
}

/** Asks a process to end, and kills one that does not. Returns whether it ended by itself */
export async function end(
	child: ChildProcess,
	signal: NodeJS.Signals = 'SIGTERM',
): Promise<boolean> {
	if (child.exitCode === null && child.signalCode === null) {
		const closed = once(child, 'close');
		child.kill(signal);
		const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_STOP_MS);
		await closed;
		clearTimeout(timer);
	}
	return child.signalCode !== 'SIGKILL';
}

/** A port on which nobody listens: the wanted one, where it can be had */
export async function freePort(wanted = 0): Promise<number> {
	const server = createServer().listen(wanted, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch (error) {
		if (wanted === 0) throw error;
		return await freePort();
	}
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}
