import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';

/** OpenSSH's server on a free port of the loopback address, with a configuration of its own. */
export interface Sshd {
	host: string;
	port: number;
	/** Who starts it is the only user that it knows without root. */
	user: string;
	/** A folder for files of tests; it is removed with the server. */
	folder: string;
	/** OpenSSH's own words: `OpenSSH_9.2p1`. */
	version: string;
	/** What it has logged. */
	log(): string;
	/** Ends the server and every session. */
	close(): Promise<void>;
}

const PLACES = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/opt/homebrew/sbin/sshd'];

/**
 * Starts OpenSSH's server for those who hold one of these keys.
 * @throws where it is not installed: Debian's package is openssh-server
 */
export async function startSshd(publicKeys: string[]): Promise<Sshd> {
	const program = PLACES.find((file) => existsSync(file));
	if (program === undefined)
		throw new Error(
			'There is no sshd: install OpenSSH, on Debian with apt-get install openssh-server',
		);
	const folder = mkdtempSync(path.join(os.tmpdir(), 'sshd-'));
	const file = (name: string, content: string) => {
		const place = path.join(folder, name);
		writeFileSync(place, content, { mode: 0o600 });
		return place;
	};
	// It separates its privileges in this folder, which a package creates when the system starts
	if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
	const port = await freePort();
	const { privateKey } = generateKeyPairSync('ec', {
		namedCurve: 'P-256',
		privateKeyEncoding: { type: 'sec1', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	const config = file(
		'sshd_config',
		[
			`Port ${port}`,
			'ListenAddress 127.0.0.1',
			`HostKey ${file('host_key', privateKey)}`,
			`AuthorizedKeysFile ${file('authorized_keys', `${publicKeys.join('\n')}\n`)}`,
			'PidFile none',
			'StrictModes no',
			'UsePAM no',
			'PasswordAuthentication no',
			'KbdInteractiveAuthentication no',
			'Subsystem sftp internal-sftp',
			'',
		].join('\n'),
	);
	const server = spawn(program, ['-D', '-e', '-f', config], {
		stdio: ['ignore', 'ignore', 'pipe'],
		detached: true,
	});
	let log = '';
	server.stderr.setEncoding('utf8').on('data', (text: string) => {
		log += text;
	});
	const ended = once(server, 'exit');
	while (!log.includes('listening') && server.exitCode === null)
		await Promise.race([once(server.stderr, 'data'), ended]);
	if (server.exitCode !== null) {
		rmSync(folder, { recursive: true, force: true });
		throw new Error(`sshd has not started: ${log}`);
	}
	return {
		host: '127.0.0.1',
		port,
		user: os.userInfo().username,
		folder,
		version: spawnSync(program, ['-V'], { encoding: 'utf8' }).stderr.trim().split(',')[0] ?? '',
		log: () => log,
		async close() {
			// A session leads a group of its own, and would go on
			if (server.pid !== undefined) [...descendants(server.pid), server.pid].forEach(kill);
			await ended;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

function kill(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL');
	} catch {
		// It has ended by itself
	}
}

/** The processes that a process has started, and those that they have. */
function descendants(parent: number): number[] {
	const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
	const pairs = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
	const below = (pid: number): number[] =>
		pairs.flatMap(([child, of]) => (of === pid && child ? [child, ...below(child)] : []));
	return below(parent);
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}
