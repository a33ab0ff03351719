import type { SFTPWrapper, Stats } from 'ssh2';
import { deadline, elapsed, firstAbort, now } from '../time';
import type { Connection } from './connection';
import { SshError } from './types';

type Done<T> = (error: Error | null | undefined, result: T) => void;

/**
 * A mode with the time of now: to attributes without times, ssh2 1.15 applies a function of Node.js that version 23 has removed, and
 * throws.
 */
function modeNow(mode: number): { mode: number; atime: number; mtime: number } {
	const seconds = Math.floor(now() / 1_000);
	return { mode, atime: seconds, mtime: seconds };
}

/** The requests of SFTP as promises, each with an end. */
export class Sftp {
	private readonly closed = new AbortController();
	private readonly over = new AbortController();
	private readonly pending = new Set<(error: SshError) => void>();
	private answeredAt = elapsed();
	private failure?: SshError;

	constructor(
		private readonly wrapper: SFTPWrapper,
		private readonly connection: Connection,
		private readonly signal: AbortSignal,
	) {
		wrapper.on('close', () => this.closed.abort());
		void this.watch();
	}

	/** No more requests. */
	end(): void {
		this.over.abort();
	}

	async open(path: string, flags: 'r' | 'wx', mode?: number): Promise<Buffer> {
		return await this.step<Buffer>(path, (done) =>
			mode === undefined
				? this.wrapper.open(path, flags, done)
				: this.wrapper.open(path, flags, modeNow(mode), done),
		);
	}

	async close(handle: Buffer): Promise<void> {
		await this.step<void>('the file', (done) => this.wrapper.close(handle, done as never));
	}

	async fstat(handle: Buffer): Promise<Stats> {
		return await this.step<Stats>('the file', (done) => this.wrapper.fstat(handle, done));
	}

	/** Undefined where there is nothing with this path. */
	async stat(path: string): Promise<Stats | undefined> {
		return await this.step<Stats>(path, (done) => this.wrapper.stat(path, done)).catch(
			async (error: unknown) =>
				error instanceof StatusError && error.status === NO_SUCH_FILE
					? undefined
					: await Promise.reject(error),
		);
	}

	async chmod(handle: Buffer, mode: number): Promise<void> {
		await this.step<void>('the file', (done) =>
			this.wrapper.fsetstat(handle, modeNow(mode), done as never),
		);
	}

	async mkdir(path: string): Promise<void> {
		await this.step<void>(path, (done) => this.wrapper.mkdir(path, done as never));
	}

	async write(handle: Buffer, block: Buffer, position: number): Promise<void> {
		await this.step<void>('the file', (done) =>
			this.wrapper.write(handle, block, 0, block.length, position, done as never),
		);
	}

	/** So many bytes from a position; fewer only at the end of the file. */
	async read(handle: Buffer, length: number, position: number): Promise<Buffer> {
		const block = Buffer.allocUnsafe(length);
		let filled = 0;
		while (filled < length) {
			const count = await this.step<number>('the file', (done) =>
				this.wrapper.read(handle, block, filled, length - filled, position + filled, (error, got) =>
					// The end of the file is a status of SFTP
					(error as { code?: number } | undefined)?.code === END_OF_FILE
						? done(undefined, 0)
						: done(error, got),
				),
			);
			if (count === 0) break;
			filled += count;
		}
		return block.subarray(0, filled);
	}

	/**
	 * Puts a file in the place of another in one step, where the server can.
	 * @param aside where the other one is put meanwhile, where it cannot: neither is lost; undefined where there is none
	 */
	async replace(from: string, to: string, aside: string | undefined): Promise<void> {
		const isReplaced = await this.step<boolean>(to, (done) => {
			try {
				this.wrapper.ext_openssh_rename(from, to, ((error: Error | undefined) =>
					(error as { code?: number } | undefined)?.code === UNSUPPORTED
						? done(undefined, false)
						: done(error, true)) as never);
			} catch {
				// The server has not offered it
				done(undefined, false);
			}
		});
		if (isReplaced) return;
		if (aside === undefined) return await this.rename(from, to);
		await this.rename(to, aside);
		await this.rename(from, to).catch(async (error: unknown) => {
			await this.rename(aside, to).catch(() => undefined);
			throw error;
		});
		await this.discard(aside);
	}

	private async rename(from: string, to: string): Promise<void> {
		await this.step<void>(to, (done) => this.wrapper.rename(from, to, done as never));
	}

	/** Removes a file, as well as it still goes. */
	async discard(path: string): Promise<void> {
		if (this.connection.lost.aborted || this.closed.signal.aborted) return;
		const own = new Sftp(this.wrapper, this.connection, deadline(DISCARD_MS));
		await own
			.step<void>(path, (done) => this.wrapper.unlink(path, done as never))
			.catch(() => undefined)
			.finally(() => own.end());
	}

	private async step<T>(what: string, send: (done: Done<T>) => unknown): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			if (this.failure) return reject(this.failure);
			if (this.pending.size === 0) this.answeredAt = elapsed();
			this.pending.add(reject);
			send((error, result) => {
				this.pending.delete(reject);
				this.answeredAt = elapsed();
				this.connection.heard();
				if (!error) resolve(result);
				// Said by the client, when the channel or the connection is gone
				else if (!/^No response from server/.test(error.message)) reject(statusError(what, error));
				else if (this.connection.lost.aborted) reject(this.connection.lostError());
				else reject(new SshError('closed', 'The server has ended the SFTP session'));
			});
		});
	}

	/** Fails what waits when its answer cannot come any more: one listener for many requests at once. */
	private async watch(): Promise<void> {
		const { lost } = this.connection;
		while (!this.failure) {
			await firstAbort([
				this.over.signal,
				this.closed.signal,
				this.signal,
				lost,
				deadline(Math.max(1, this.answeredAt + STEP_MS - elapsed())),
			]);
			if (this.over.signal.aborted) return;
			if (this.signal.aborted) this.failure = new SshError('cancelled', 'Cancelled');
			else if (lost.aborted) this.failure = this.connection.lostError();
			else if (this.closed.signal.aborted)
				this.failure = new SshError('closed', 'The server has ended the SFTP session');
			else if (this.pending.size === 0) this.answeredAt = elapsed();
			else if (elapsed() - this.answeredAt >= STEP_MS)
				this.failure = new SshError('timeout', `No answer over SFTP for ${STEP_MS / 1000} seconds`);
		}
		for (const fail of this.pending) fail(this.failure);
	}
}

/** The server says no to a request. */
class StatusError extends SshError {
	constructor(
		readonly status: number | undefined,
		message: string,
	) {
		super(status === NO_SUCH_FILE ? 'absent' : 'sftp', message);
	}
}

function statusError(what: string, error: Error): SshError {
	const status = (error as { code?: unknown }).code;
	const words =
		STATUS[Number(status)] ?? `the server says: ${error.message.split('\n')[0]!.slice(0, 200)}`;
	return new StatusError(typeof status === 'number' ? status : undefined, `${what}: ${words}`);
}

/** Numbers of draft-ietf-secsh-filexfer-02 section 7. */
const END_OF_FILE = 1;
const NO_SUCH_FILE = 2;
const UNSUPPORTED = 8;

const STATUS: Record<number, string> = {
	[NO_SUCH_FILE]: 'there is no such file or folder on the VM',
	3: 'permission denied on the VM',
};

/** A server that does not answer one request of a transfer for so long is not going to. */
export const STEP_MS = 120_000;

const DISCARD_MS = 5_000;
