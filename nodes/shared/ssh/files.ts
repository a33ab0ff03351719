import { createHash, randomBytes } from 'node:crypto';
import type { Client, SFTPWrapper } from 'ssh2';
import type { Connection } from './connection';
import { Sftp, STEP_MS } from './sftp';
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
		const besides = () => `${remotePath}.${randomBytes(6).toString('hex')}.part`;
		const temporary = besides();
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
			await sftp.replace(temporary, remotePath, existing && besides());
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
		const { size: sizeNow } = await sftp.fstat(handle);
		await sftp.close(handle);
		// What the kernel makes up has no end where it shows one
		const isFile = !/^\/(proc|sys)\//.test(remotePath);
		if (isFile && bytes < Math.min(stats.size, sizeNow))
			throw new SshError(
				'closed',
				`The server ended ${remotePath} after ${bytes} of ${sizeNow} bytes`,
			);
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
			if (error) reject(noSftp(error));
			else if (isLate) sftp.end();
			else resolve(sftp);
		});
	});
	let wrapper: SFTPWrapper | undefined;
	try {
		wrapper = await connection.settled(opening, signal, STEP_MS);
		// Of the channel; each request has its own answer
		wrapper.on('error', () => undefined);
		const sftp = new Sftp(wrapper, connection, signal);
		return await work(sftp).finally(() => sftp.end());
	} finally {
		isLate = true;
		wrapper?.end();
	}
}

/** A server that has no session free now may have one later. */
function noSftp({ message }: Error): SshError {
	const isFull = /channel open failure/i.test(message);
	return new SshError(isFull ? 'protocol' : 'sftp', `The server offers no SFTP: ${message}`);
}

/** What every server takes in one request (draft-ietf-secsh-filexfer-02 section 3). */
const BLOCK_BYTES = 32_768;

/** 2 MiB on the way, so that a distance of 100 ms costs no more than a fifth of a second per 4 MiB. */
const BLOCKS_IN_FLIGHT = 64;
