import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { newKey, OWN_KEY, publicKeyOf } from '../../engine/sshKey.mts';
import { serveFiles, type FileFault } from './sftp.mts';

/** What a command over SSH is: the line, what it reads, and how often this VM was asked for one that says the same. */
export interface Exec {
	line: string;
	stdin: string;
	/** From 1, of all commands of this VM. */
	count: number;
}

/** What becomes of a command instead of its run. */
export type Fate =
	/** The channel stays open and says nothing. */
	| 'hang'
	/** It runs, and its answer is lost with the connection. */
	| 'lost'
	/** The connection is cut, and nothing runs. */
	| 'cut'
	/** It runs, and the channel closes without an exit status. */
	| 'no status'
	/** It runs, and nothing of its end arrives but the status. */
	| 'no close'
	/** Something else runs in its place, as with a forced command. */
	| { instead: string }
	/** So ended, with this output. */
	| { output: string | Buffer; code?: number; signal?: string }
	| undefined;

/** How often the folder of a VM is removed while its last processes write to it. */
const MAX_REMOVALS = 20;

/** How a VM behaves, within what real ones do. */
export class Habits {
	/** From its purchase until its server listens, in milliseconds of the clock. */
	bootTakes = 0;
	/** Printed by the files of the login shell. */
	greeting = '';
	shell = ['/bin/sh'];
	/** More sessions on one connection are refused. */
	sessions = 10;
	/** Whether the server takes this login. */
	admits: () => boolean = () => true;
	/** Whether a connection is accepted now; else it is closed at once. */
	answers: () => boolean = () => true;
	fate: (exec: Exec) => Fate = () => undefined;
	file: FileFault = () => undefined;
	hasSftp = true;
	/** Shown as the address; `{port}` is its port. */
	access = 'ubuntu@127.0.0.1:{port}';
}

const HOST_KEY = newKey().privateKey;

/** A machine with real processes behind an SSH server of its own. */
export class Vm {
	readonly home = mkdtempSync(join(tmpdir(), 'review-vm-'));
	/** Logins and commands that go on now: the clock waits for them. */
	busy = 0;
	execs: Exec[] = [];
	private readonly sockets = new Set<Socket>();
	private readonly atLogin = new Set<Socket>();
	private channel?: ServerChannel;
	private bytes = 0;
	private readonly server;
	private isOff = false;

	constructor(
		readonly id: string,
		readonly habits: Habits,
		private readonly isUp: () => boolean,
	) {
		this.server = new ssh2.Server({ hostKeys: [HOST_KEY] }, (client) => this.serve(client));
		const tcp = (this.server as unknown as { _srv: import('node:net').Server })._srv;
		tcp.prependListener('connection', (socket: Socket) => {
			this.sockets.add(socket);
			// What waits for an acknowledgement would be on its way unseen
			socket.setNoDelay(true);
			socket.on('error', () => undefined);
			socket.once('close', () => {
				this.bytes += socket.bytesRead + socket.bytesWritten;
				this.sockets.delete(socket);
			});
			if (this.isOff || !this.isUp() || !habits.answers()) return void socket.destroy();
			this.busy++;
			this.atLogin.add(socket);
			socket.once('close', () => this.loggedIn(socket));
		});
	}

	async start(): Promise<this> {
		this.server.listen(0, '127.0.0.1');
		await once(this.server, 'listening');
		return this;
	}

	get address(): string {
		const { port } = this.server.address() as AddressInfo;
		return this.habits.access.replace('{port}', String(port));
	}

	/** Changes whenever something has moved. */
	get moved(): string {
		let sum = this.bytes;
		for (const one of this.sockets) sum += one.bytesRead + one.bytesWritten;
		return `${sum} ${this.sockets.size} ${this.busy}`;
	}

	/** What runs on in the background says something in the channel of the last command. */
	talk(text: string): void {
		if (this.channel?.writable) this.channel.write(text);
	}

	/** Every connection breaks. */
	cut(): void {
		for (const one of this.sockets) one.destroy();
	}

	/** Power off: nothing of it runs on. */
	off(): void {
		this.isOff = true;
		this.cut();
		this.killJobs();
	}

	/** The folder of its jobs. */
	get jobs(): string {
		return join(this.home, '.compute-job');
	}

	/** The processes of its jobs end, as at a restart. */
	killJobs(): void {
		this.signalJobs('SIGKILL');
	}

	/** Whether a process of a job is left. */
	hasJobs(): boolean {
		return this.signalJobs(0) > 0;
	}

	/** Returns how many jobs have got the signal. */
	private signalJobs(signal: 'SIGKILL' | 0): number {
		return list(this.jobs).filter((job) => {
			const pid = Number(read(join(this.jobs, job, 'pid')));
			if (!(pid > 1)) return false;
			try {
				return process.kill(-pid, signal);
			} catch {
				// It has ended
				return false;
			}
		}).length;
	}

	close(): void {
		this.off();
		this.server.close();
		for (let tries = 1; ; tries++) {
			try {
				return rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
			} catch (error) {
				// A job that was just starting had no process ID yet, and writes on
				if (tries === MAX_REMOVALS) throw error;
				this.killJobs();
			}
		}
	}

	private loggedIn(socket: Socket): void {
		if (!this.atLogin.delete(socket)) return;
		this.busy--;
	}

	private serve(client: Connection): void {
		const { habits } = this;
		let sessions = 0;
		const socket = (client as unknown as { _sock: Socket })._sock;
		client.on('error', () => undefined);
		client.on('ready', () => this.loggedIn(socket));
		client.on('authentication', (auth) => {
			const isKey = auth.method === 'publickey';
			const own = publicKeyOf(OWN_KEY.privateKey).split(' ')[1];
			if (!isKey || auth.key.data.toString('base64') !== own || !habits.admits())
				return auth.reject(['publickey']);
			auth.accept();
		});
		client.on('session', (accept, reject) => {
			if (sessions >= habits.sessions) return reject();
			sessions++;
			const session = accept();
			session.on('close', () => sessions--);
			session.on('exec', (ok, _no, { command }) => void this.exec(ok(), command));
			session.on('sftp', (ok, no) => {
				if (habits.file('start', '') === 'cut') return void client.end();
				if (!habits.hasSftp) return no();
				serveFiles(
					ok(),
					this.home,
					(step, path) => habits.file(step, path),
					() => this.cut(),
				);
			});
		});
	}

	private async exec(channel: ServerChannel, line: string): Promise<void> {
		channel.on('error', () => undefined);
		this.channel = channel;
		const parts: Buffer[] = [];
		channel.on('data', (chunk: Buffer) => parts.push(chunk));
		await once(channel, 'end');
		const exec = {
			line,
			stdin: Buffer.concat(parts).toString('latin1'),
			count: this.execs.length + 1,
		};
		this.execs.push(exec);
		const fate = this.habits.fate(exec);
		if (fate === 'hang') return;
		if (fate === 'cut') return void this.cut();
		if (typeof fate === 'object' && 'output' in fate) {
			channel.write(fate.output);
			if (fate.signal) channel.exit(fate.signal);
			else channel.exit(fate.code ?? 0);
			return void channel.end();
		}
		const [shell = '/bin/sh', ...args] = this.habits.shell;
		const text = fate === undefined || typeof fate === 'string' ? line : fate.instead;
		this.busy++;
		const child = spawn(shell, [...args, '-c', text], {
			cwd: this.home,
			env: { HOME: this.home, PATH: process.env.PATH, LANG: 'C.UTF-8' },
		});
		channel.once('close', () => child.stdout.resume());
		child.stdin.on('error', () => undefined);
		child.stdin.end(Buffer.concat(parts));
		if (fate !== 'lost') {
			channel.write(this.habits.greeting);
			child.stdout.pipe(channel, { end: false });
			child.stderr.pipe(channel.stderr, { end: false });
		} else child.stdout.resume();
		const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
		this.busy--;
		if (fate === 'lost') return void this.cut();
		if (fate !== 'no status') {
			if (code === null) channel.exit(String(signal).replace('SIG', ''));
			else channel.exit(code);
		}
		if (fate !== 'no close') channel.end();
	}
}

function list(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function read(path: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch {
		return '';
	}
}
