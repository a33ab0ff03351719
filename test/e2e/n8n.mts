import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { unpack, type Tarball } from '../pack.mts';
import { binaries, installation, outside } from './install.mts';

const command = join(binaries, 'n8n');

/** A user folder of a real n8n, with the package in it, in a temporary place */
export interface Home {
	folder: string;
	environment: NodeJS.ProcessEnv;
	remove(): void;
}

export interface Running {
	/** Everything that it printed so far */
	log(): string;
	hasEnded(): boolean;
	stop(): Promise<void>;
	/** At once, without a chance to put anything in order */
	kill(): Promise<void>;
}

export interface RunningN8n extends Running {
	url: string;
}

/** Puts the package where n8n's own installer puts it, and as it does: without the dependencies for development */
export function createHome(tarball: Tarball): Home {
	const folder = mkdtempSync(join(tmpdir(), 'compute-n8n-'));
	const tempFolder = join(folder, 'tmp');
	mkdirSync(tempFolder);
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

	return {
		folder,
		environment: { ...environmentFor(folder), TMPDIR: tempFolder },
		remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
	};
}

function environmentFor(folder: string): NodeJS.ProcessEnv {
	return {
		...outside(/^(N8N_|DB_|NODE_OPTIONS$|NODE_PATH$|npm_)/),
		PATH: [binaries, process.env.PATH].join(delimiter),
		N8N_USER_FOLDER: folder,
		N8N_ENCRYPTION_KEY: 'only-for-this-test',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_LOG_LEVEL: 'info',
		NO_COLOR: '1',
		// Nothing outside can be reached, and nobody shall be told about a test
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
		if (!running.log().includes('Editor is now accessible')) return false;
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

async function launch(home: Home, args: string[], settings: NodeJS.ProcessEnv): Promise<Running> {
	const child = spawn(command, args, {
		env: { ...home.environment, ...settings, ...(await brokerPort()) },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	return {
		log: collect(child),
		hasEnded: () => child.exitCode !== null || child.signalCode !== null,
		stop: () => end(child),
		kill: () => end(child, 'SIGKILL'),
	};
}

async function readiness(
	running: Running,
	isReady: () => Promise<boolean> | boolean,
): Promise<void> {
	const deadline = Date.now() + 180_000;
	while (!(await isReady())) {
		if (running.hasEnded() || Date.now() > deadline) {
			await running.stop();
			throw new Error(`n8n did not become ready:\n${running.log()}`);
		}
		await delay(250);
	}
}

/** n8n's helper process for code listens on a fixed port unless told otherwise */
async function brokerPort(): Promise<NodeJS.ProcessEnv> {
	return { N8N_RUNNERS_BROKER_PORT: String(await freePort()) };
}

/** What a process prints. It ends with this one, however this one ends */
export function collect(child: ChildProcess): () => string {
	let text = '';
	const add = (chunk: Buffer) => {
		text += chunk.toString('utf8');
	};
	child.stdout?.on('data', add);
	child.stderr?.on('data', add);
	const kill = () => child.kill('SIGKILL');
	// First, since its folders are removed at exit too
	process.prependOnceListener('exit', kill);
	child.once('close', () => process.removeListener('exit', kill));
	return () => text;
}

/** Asks a process to end, and does not ask one that takes too long */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const closed = once(child, 'close');
	child.kill(signal);
	const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
	await closed;
	clearTimeout(timer);
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
