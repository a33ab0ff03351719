import { createHash, randomBytes } from 'node:crypto';
import type { Client, SFTPWrapper, Stats } from 'ssh2';
import type { Connection } from './connection';
import { SshError, type DownloadResult, type UploadOptions, type UploadResult } from './types';

/** Writes a file over SFTP under another name, and renames it once the server has all of it. */
export async function uploadFile(
	client: Client,
	connection: Connection,
	path: string,
	content: AsyncIterable<Uint8Array>,
	options: UploadOptions,
): Promise<UploadResult> {
	return await withSftp(client, connection, options.signal, async (sftp) => {
		const remotePath = checkedPath(path);
		if (options.createFolders) await createFolders(sftp, remotePath);
		const existing = await sftp.stat(remotePath);
		if (existing?.isDirectory())
			throw new SshError('sftp', `${remotePath} is a folder on the VM: name the file, too`);
		const temporary = `${remotePath}.${randomBytes(6).toString('hex')}.part`;
		// Also while its opening is not answered yet
		let isThere = true;
		try {
			const handle = await sftp.open(temporary, 'wx', options.mode);
			const { bytes, sha256 } = await writeAll(sftp, handle, content, options.maxBytes);
			if (options.mode !== undefined) await sftp.chmod(handle, options.mode);
			const { size } = await sftp.fstat(handle);
			await sftp.close(handle);
			if (size !== bytes)
				throw new SshError(
					'sftp',
					`The server shows ${size} bytes of the ${bytes} that were sent; nothing was put in place`,
				);
			await sftp.replace(temporary, remotePath, existing !== undefined);
			isThere = false;
			return { bytes, sha256 };
		} finally {
			if (isThere) await sftp.discard(temporary);
		}
	});
}

async function writeAll(
	sftp: Sftp,
	handle: Buffer,
	content: AsyncIterable<Uint8Array>,
	maxBytes: number,
): Promise<{ bytes: number; sha256: string }> {
	const hash = createHash('sha256');
	const inFlight = new Set<Promise<void>>();
	let failure: Error | undefined;
	let bytes = 0;
	for await (const chunk of content) {
		hash.update(chunk);
		for (let start = 0; start < chunk.length; start += BLOCK_BYTES) {
			if (failure) throw failure;
			const block = Buffer.from(chunk.subarray(start, start + BLOCK_BYTES));
			if (bytes + block.length > maxBytes)
				throw new SshError('sftp', `The file is larger than ${maxBytes} bytes`);
			const writing: Promise<void> = sftp
				.write(handle, block, bytes)
				.catch((error: Error) => {
					failure ??= error;
				})
				.finally(() => inFlight.delete(writing));
			inFlight.add(writing);
			bytes += block.length;
			if (inFlight.size >= BLOCKS_IN_FLIGHT) await Promise.race(inFlight);
		}
	}
	await Promise.all(inFlight);
	if (failure) throw failure;
	return { bytes, sha256: hash.digest('hex') };
}

/** Reads a file over SFTP. */
export async function downloadFile(
	client: Client,
	connection: Connection,
	path: string,
	{ maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<DownloadResult> {
	return await withSftp(client, connection, signal, async (sftp) => {
		const remotePath = checkedPath(path);
		const tooLarge = (size: string) =>
			new SshError('sftp', `${remotePath} is larger than ${maxBytes} bytes${size}`);
		const handle = await sftp.open(remotePath, 'r');
		const stats = await sftp.fstat(handle);
		if (stats.isDirectory()) throw new SshError('sftp', `${remotePath} is a folder on the VM`);
		if (stats.size > maxBytes) throw tooLarge(`: it has ${stats.size}`);
		const blocks: Buffer[] = [];
		const hash = createHash('sha256');
		let bytes = 0;
		const ahead: Array<Promise<Buffer>> = [];
		// Until its end and not for its size: a file may grow meanwhile, and those of /proc have no size
		for (let position = 0; ; position += BLOCK_BYTES) {
			while (ahead.length < BLOCKS_IN_FLIGHT && ahead.length * BLOCK_BYTES <= stats.size) {
				const next = sftp.read(handle, BLOCK_BYTES, position + ahead.length * BLOCK_BYTES);
				// Whoever takes it gets the error; those after it are not taken any more
				next.catch(() => undefined);
				ahead.push(next);
			}
			const block = await ahead.shift()!;
			hash.update(block);
			blocks.push(block);
			bytes += block.length;
			if (bytes > maxBytes) throw tooLarge('');
			if (block.length < BLOCK_BYTES) break;
		}
		await sftp.close(handle);
		return { content: Buffer.concat(blocks, bytes), bytes, sha256: hash.digest('hex') };
	});
}

async function createFolders(sftp: Sftp, path: string): Promise<void> {
	const parts = path.split('/').slice(0, -1);
	for (let count = 1; count <= parts.length; count++) {
		const folder = parts.slice(0, count).join('/');
		if (folder === '' || folder === '.' || (await sftp.stat(folder))) continue;
		await sftp.mkdir(folder).catch(async (error: unknown) => {
			// Another one may have made it meanwhile
			if (!(await sftp.stat(folder))) await Promise.reject(error);
		});
	}
}

/** SFTP starts in the home folder, and does not know `~`. */
function checkedPath(path: string): string {
	const plain = path.replace(/^~\//, '');
	if (plain === '' || plain.endsWith('/') || plain.includes('\0'))
		throw new SshError('sftp', 'The path on the VM must name a file');
	return plain;
}

async function withSftp<T>(
	client: Client,
	connection: Connection,
	signal: AbortSignal,
	work: (sftp: Sftp) => Promise<T>,
): Promise<T> {
	let isLate = false;
	const opening = new Promise<SFTPWrapper>((resolve, reject) => {
		client.sftp((error, sftp) => {
			if (error) reject(new SshError('sftp', `The server offers no SFTP: ${error.message}`));
			else if (isLate) sftp.end();
			else resolve(sftp);
		});
	});
	let wrapper: SFTPWrapper | undefined;
	try {
		wrapper = await connection.settled(opening, signal, STEP_MS);
		// Of the channel; each request has its own answer
		wrapper.on('error', () => undefined);
		return await work(new Sftp(wrapper, connection, signal));
	} finally {
		isLate = true;
		wrapper?.end();
	}
}

type Done<T> = (error: Error | null | undefined, result: T) => void;

/** The requests of SFTP as promises, each with an end. */
class Sftp {
	private readonly closed = new AbortController();

	constructor(
		private readonly wrapper: SFTPWrapper,
		private readonly connection: Connection,
		private readonly signal: AbortSignal,
	) {
		wrapper.on('close', () => this.closed.abort());
	}

	async open(path: string, flags: 'r' | 'wx', mode?: number): Promise<Buffer> {
		return await this.step<Buffer>(path, (done) =>
			this.wrapper.open(path, flags, mode === undefined ? {} : { mode }, done),
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
		await this.step<void>('the file', (done) => this.wrapper.fchmod(handle, mode, done as never));
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

	/** Puts a file in the place of another in one step, where the server can. */
	async replace(from: string, to: string, isThere: boolean): Promise<void> {
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
		if (isThere) await this.step<void>(to, (done) => this.wrapper.unlink(to, done as never));
		await this.step<void>(to, (done) => this.wrapper.rename(from, to, done as never));
	}

	/** Removes a file, as well as it still goes. */
	async discard(path: string): Promise<void> {
		if (this.connection.lost.aborted || this.closed.signal.aborted) return;
		const own = new Sftp(this.wrapper, this.connection, new AbortController().signal);
		await own
			.step<void>(path, (done) => this.wrapper.unlink(path, done as never), DISCARD_MS)
			.catch(() => undefined);
	}

	private async step<T>(
		what: string,
		send: (done: Done<T>) => unknown,
		ms: number = STEP_MS,
	): Promise<T> {
		const answer = new Promise<T>((resolve, reject) => {
			const done: Done<T> = (error, result) => {
				this.connection.heard();
				if (error) reject(statusError(what, error));
				else resolve(result);
			};
			send(done);
			this.closed.signal.addEventListener('abort', () =>
				reject(new SshError('closed', 'The server has ended the SFTP session')),
			);
		});
		return await this.connection.settled(answer, this.signal, ms);
	}
}

/** The server says no to a request. */
class StatusError extends SshError {
	constructor(
		readonly status: number | undefined,
		message: string,
	) {
		super('sftp', message);
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

/** What every server takes in one request (draft-ietf-secsh-filexfer-02 section 3). */
const BLOCK_BYTES = 32_768;

/** 2 MiB on the way, so that a distance of 100 ms costs no more than a fifth of a second per 4 MiB. */
const BLOCKS_IN_FLIGHT = 64;

/** A server that does not answer one request of a transfer for so long is not going to. */
const STEP_MS = 120_000;

const DISCARD_MS = 5_000;
