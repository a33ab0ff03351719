import type { Client, ClientChannel } from 'ssh2';
import { deadline, elapsed, firstAbort } from '../time';
import type { Connection } from './connection';
import { Tail } from './tail';
import { SshError, type CommandRequest, type CommandResult } from './types';

/**
 * Runs a command in a channel of its own. It ends when the server closes the channel, or {@link GRACE_MS} after the last
 * output of a command that has ended: what it has left in the background may hold the channel open without end.
 * @throws SshError with what the command has said so far, when the time is over, the signal aborts or the connection is lost
 */
export async function runCommand(
	client: Client,
	connection: Connection,
	request: CommandRequest,
): Promise<CommandResult> {
	const begunAt = elapsed();
	const time = deadline(request.timeoutMs);
	const output = new Output(request.maxOutputBytes, connection);
	const done = new AbortController();
	let channel: ClientChannel | undefined;
	const ended = firstAbort([request.signal, time, connection.lost, done.signal]);
	const result = (): CommandResult => ({
		...output.result(),
		seconds: Math.round(elapsed() - begunAt) / 1000,
	});
	try {
		if (request.signal.aborted) throw new SshError('cancelled', 'Cancelled before it was sent');
		channel = await opened(client, request.command, ended, output);
		if (channel) {
			if (request.stdin !== undefined) channel.end(Buffer.from(request.stdin));
			else channel.end();
			await Promise.race([output.closed(done.signal), ended]);
		}
		if (output.isOver) return result();
		if (request.signal.aborted) throw new SshError('cancelled', 'Cancelled', result());
		if (connection.lost.aborted) {
			const { problem, message } = connection.lostError();
			throw new SshError(problem, message, result());
		}
		// How it has ended is known, whatever its output holds open
		if (output.hasExited) return result();
		const seconds = request.timeoutMs / 1000;
		throw new SshError('timeout', `The command has not ended within ${seconds} seconds`, result());
	} finally {
		done.abort();
		channel?.close();
	}
}

/**
 * The channel in which a command runs, or undefined where something else ends first.
 * @param output listens from the first moment: the answer to the request and the exit code may come in one packet
 */
async function opened(
	client: Client,
	command: string,
	ended: Promise<unknown>,
	output: Output,
): Promise<ClientChannel | undefined> {
	let isLate = false;
	const opening = new Promise<ClientChannel | Error>((resolve) => {
		try {
			client.exec(command, (error, channel) => {
				if (error) return resolve(error);
				output.read(channel);
				if (isLate) channel.close();
				resolve(channel);
			});
		} catch (error) {
			resolve(error as Error);
		}
	});
	const channel = await Promise.race([opening, ended.then(() => undefined)]);
	isLate = true;
	if (!(channel instanceof Error)) return channel;
	if (!/^(Not connected|No response from server)/.test(channel.message))
		throw new SshError('protocol', `The server does not run it: ${channel.message}`);
	// The connection is gone, which the caller sees for itself
	await ended;
	return undefined;
}

/** What a command says, and how it ends. */
class Output {
	/** Whether the server has closed the channel, or the command has ended and is silent. */
	isOver = false;
	private readonly stdout: Tail;
	private readonly stderr: Tail;
	private exit?: { code: number | null; signal: string | null };
	private isClosed = false;
	private lastAt = elapsed();
	private over = new AbortController();
	private exited = new AbortController();

	constructor(
		maxBytes: number,
		private readonly connection: Connection,
	) {
		this.stdout = new Tail(maxBytes);
		this.stderr = new Tail(maxBytes);
	}

	get hasExited(): boolean {
		return this.exit !== undefined;
	}

	read(channel: ClientChannel): void {
		const into = (tail: Tail) => (chunk: Buffer) => {
			this.connection.heard();
			this.lastAt = elapsed();
			tail.add(chunk);
		};
		channel.on('data', into(this.stdout));
		channel.stderr.on('data', into(this.stderr));
		// What the command did not read; unhandled, it would end n8n
		channel.on('error', () => undefined);
		channel.on('exit', (code: number | null, signal?: string) => {
			this.exit = { code, signal: signal ?? null };
			this.exited.abort();
		});
		channel.on('close', () => {
			// A connection that is lost closes its channels, too
			this.isClosed = !this.connection.lost.aborted;
			this.over.abort();
		});
	}

	/** Resolves when nothing more will come. */
	async closed(stopped: AbortSignal): Promise<void> {
		await firstAbort([this.over.signal, this.exited.signal, stopped]);
		const longest = elapsed() + LONGEST_GRACE_MS;
		while (!this.over.signal.aborted && !stopped.aborted) {
			const left = Math.min(this.lastAt + GRACE_MS, longest) - elapsed();
			if (left <= 0) break;
			await firstAbort([deadline(left), this.over.signal, stopped]);
		}
		if (!stopped.aborted) this.isOver = this.exit !== undefined || this.isClosed;
	}

	result(): Omit<CommandResult, 'seconds'> {
		return {
			stdout: this.stdout.text(),
			stderr: this.stderr.text(),
			stdoutBytes: this.stdout.bytes,
			stderrBytes: this.stderr.bytes,
			exitCode: this.exit?.code ?? null,
			signal: this.exit?.signal ?? null,
		};
	}
}

/** Between the end of a command and the end of its output, after the last of it. */
const GRACE_MS = 5_000;

/** The same in all: what is left in the background may write without end. */
const LONGEST_GRACE_MS = 60_000;
