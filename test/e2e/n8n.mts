import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { unpack, type Tarball } from '../pack.mts';

const installation = process.env.REAL_N8N ?? join(homedir(), '.cache', 'real-n8n');
const binaries = join(installation, 'node_modules', '.bin');
const command = join(binaries, 'n8n');

/** A user folder of a real n8n, with the package in it, in a temporary place */
export interface Home {
	folder: string;
	environment: NodeJS.ProcessEnv;
	remove(): void;
}

export interface RunningN8n {
	url: string;
	/** Everything that n8n printed so far */
	log(): string;
	stop(): Promise<void>;
	/** Ends it in the middle of whatever it does */
	kill(): Promise<void>;
}

export interface Ended {
	/** The exit code, or the signal that ended it */
	ending: number | NodeJS.Signals | null;
	output: string;
}

/** Puts the package where n8n's own installer puts it, and as it does: without the dependencies for development */
export function createHome(tarball: Tarball): Home {
	if (!existsSync(command)) {
		throw new Error(`There is no real n8n in ${installation}. Install one there, or set REAL_N8N.`);
	}
	const folder = mkdtempSync(join(tmpdir(), 'compute-n8n-'));
	const tempFolder = join(folder, 'tmp');
	mkdirSync(tempFolder);
	const nodesFolder = join(folder, '.n8n', 'nodes');
	const packageFolder = join(nodesFolder, 'node_modules', tarball.name);
	unpack(tarball, packageFolder);

	const manifestPath = join(packageFolder, 'package.json');
	const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as Record<string, unknown>;
	const left = { devDependencies: undefined, peerDependencies: undefined, optionalDependencies: undefined };
	writeFileSync(manifestPath, JSON.stringify({ ...manifest, ...left }, null, 2));
	writeFileSync(
		join(nodesFolder, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, dependencies: { [tarball.name]: tarball.version } }),
	);

	return {
		folder,
		environment: { ...environmentFor(folder), TMPDIR: tempFolder },
		remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
	};
}

function environmentFor(folder: string): NodeJS.ProcessEnv {
	const outside = Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !/^(N8N_|DB_|NODE_OPTIONS$|NODE_PATH$|npm_)/.test(name)),
	);
	return {
		...outside,
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

export function version(home: Home): string {
	return execFileSync(command, ['--version'], { env: home.environment, encoding: 'utf8' }).trim();
}

export async function startN8n(home: Home): Promise<RunningN8n> {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const child = spawn(command, ['start'], {
		env: { ...home.environment, ...(await brokerPort()), N8N_PORT: String(port) },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const output = collect(child);
	const stop = () => end(child);
	const kill = async () => {
		const closed = once(child, 'close');
		child.kill('SIGKILL');
		await closed;
	};

	const deadline = Date.now() + 180_000;
	while (!(await isReady(url, output()))) {
		if (child.exitCode !== null || Date.now() > deadline) {
			await stop();
			throw new Error(`n8n did not become ready:\n${output()}`);
		}
		await delay(250);
	}
	return { url, log: output, stop, kill };
}

/** One of n8n's own commands, such as `execute --id 1` */
export async function runN8n(home: Home, args: string[]): Promise<Ended> {
	const child = spawn(command, args, {
		env: { ...home.environment, ...(await brokerPort()) },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const output = collect(child);
	const timer = setTimeout(() => void end(child), 180_000);
	await once(child, 'close');
	clearTimeout(timer);
	return { ending: child.signalCode ?? child.exitCode, output: output() };
}

/** n8n's helper process for code listens on a fixed port unless told otherwise */
async function brokerPort(): Promise<NodeJS.ProcessEnv> {
	return { N8N_RUNNERS_BROKER_PORT: String(await freePort()) };
}

async function isReady(url: string, log: string): Promise<boolean> {
	if (!log.includes('Editor is now accessible')) return false;
	const response = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
	return response?.ok ?? false;
}

function collect(child: ChildProcess): () => string {
	let text = '';
	const add = (chunk: Buffer) => {
		text += chunk.toString('utf8');
	};
	child.stdout?.on('data', add);
	child.stderr?.on('data', add);
	const kill = () => child.kill('SIGKILL');
	process.once('exit', kill);
	child.once('close', () => process.removeListener('exit', kill));
	return () => text;
}

async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const closed = once(child, 'close');
	child.kill('SIGTERM');
	const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
	await closed;
	clearTimeout(timer);
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}
