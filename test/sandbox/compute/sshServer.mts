import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import ssh2 from 'ssh2';
import type { AuthContext, Connection, ParsedKey, ServerChannel, Session } from 'ssh2';
import { serveFiles } from './sftpServer.mts';

const { Server, utils } = ssh2;

/** Longest real time that a system holds back an acknowledgement, and some more. */
const ACKNOWLEDGED_MS = 60;

export const HOST = '127.0.0.1';

/** The user of every VM. */
export const USER = 'ubuntu';

/** One for all VMs of the process: n8n verifies no host key. */
const hostKey = generateKeyPairSync('ec', {
	namedCurve: 'P-256',
	privateKeyEncoding: { type: 'sec1', format: 'pem' },
	publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;

/**
 * The SSH server of one VM: runs commands with `/bin/sh` in its home folder and serves files below it. As with OpenSSH, a command
 * goes on when its channel or its connection is closed, and its channel stays open while anything holds its output.
 */
export class SshServer {
	readonly listener: ssh2.Server;
	private readonly sockets = new Set<Socket>();
	private readonly children = new Set<ChildProcess>();
	private moved = { bytes: 0, at: 0 };
	private readonly keys: ParsedKey[];

	/**
	 * @param home the folder of the user; the caller removes it after `close`
	 * @param publicKeys who may log in
	 */
	constructor(
		readonly home: string,
		publicKeys: unknown[],
	) {
		this.keys = publicKeys.flatMap((key) => {
			const parsed = utils.parseKey(String(key));
			return parsed instanceof Error ? [] : [parsed].flat();
		});
		this.listener = new Server({ hostKeys: [hostKey] }, (client) => this.serve(client));
		// The listener is a server of net, whose connections it does not hand out
		const net = (this.listener as unknown as { _srv: NodeJS.EventEmitter })._srv;
		net.on('connection', (socket: Socket) => {
			this.sockets.add(socket);
			socket.once('close', () => this.sockets.delete(socket));
		});
	}

	listen(): void {
		this.listener.listen(0, HOST);
	}

	get port(): number | undefined {
		const address = this.listener.address() as { port: number } | null;
		return address?.port;
	}

	/** Bytes that the connections which are open have sent to their clients. */
	get bytesSent(): number {
		return [...this.sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
	}

	/** Whether a command runs, or bytes have moved just now: a packet may wait for its acknowledgement. */
	get isBusy(): boolean {
		const bytes = [...this.sockets].reduce((sum, one) => sum + one.bytesRead + 1, this.bytesSent);
		if (bytes !== this.moved.bytes) this.moved = { bytes, at: Date.now() };
		return this.children.size > 0 || Date.now() - this.moved.at < ACKNOWLEDGED_MS;
	}

	cut(): void {
		for (const socket of this.sockets) socket.resetAndDestroy();
	}

	/** The VM is gone, with everything that runs on it. */
	close(): void {
		this.listener.close();
		this.cut();
		for (const { pid } of this.children) kill(-Number(pid));
		// What has left its group still has the home of its VM
		processesOf(this.home).forEach(kill);
	}

	private serve(client: Connection): void {
		// A client that is cut off
		client.on('error', () => undefined);
		client.on('authentication', (context) => this.authenticate(context));
		client.on('session', (accept) => {
			const session = accept();
			session.on('exec', (acceptExec, _reject, { command }) =>
				this.run(command, acceptExec(), session),
			);
			session.on('sftp', (acceptSftp) => serveFiles(acceptSftp(), this.home));
		});
	}

	private authenticate(context: AuthContext): void {
		if (context.method !== 'publickey' || context.username !== USER)
			return context.reject(['publickey']);
		const { key, blob, signature, hashAlgo } = context;
		const known = this.keys.find((one) => one.getPublicSSH().equals(key.data));
		if (!known) return context.reject(['publickey']);
		// The client asks first whether the key would do
		if (!signature || !blob) return context.accept();
		const isRight = known.verify(blob, signature, hashAlgo) === true;
		return isRight ? context.accept() : context.reject(['publickey']);
	}

	private run(command: string, channel: ServerChannel, session: Session): void {
		const child = spawn('/bin/sh', ['-c', command], {
			cwd: this.home,
			env: { HOME: this.home, PATH: process.env.PATH, USER, LOGNAME: USER, SHELL: '/bin/sh' },
			detached: true,
		});
		this.children.add(child);
		const ignore = () => undefined;
		// Whoever closes first
		[channel, child.stdin, child.stdout, child.stderr].forEach((one) => one.on('error', ignore));
		channel.pipe(child.stdin);
		child.stdout.pipe(channel, { end: false });
		child.stderr.pipe(channel.stderr, { end: false });
		session.on('close', () => {
			child.stdout.destroy();
			child.stderr.destroy();
		});
		child.on('error', () => channel.close());
		child.on('exit', (code, signal) => {
			this.children.delete(child);
			if (signal === null) channel.exit(code ?? 0);
			else channel.exit(signal.replace(/^SIG/, ''), false, '');
		});
		child.on('close', () => channel.end());
	}
}

function kill(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL');
	} catch {
		// It has ended by itself
	}
}

/** The processes whose home is a folder, where the system shows them. */
function processesOf(home: string): number[] {
	const pids = readFolder('/proc').filter((name) => /^\d+$/.test(name));
	return pids.filter((pid) => environmentOf(pid).includes(`HOME=${home}`)).map(Number);
}

function readFolder(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function environmentOf(pid: string): string[] {
	try {
		return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
	} catch {
		return [];
	}
}
