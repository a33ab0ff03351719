import { promises as fs, type Stats } from 'node:fs';
import path from 'node:path';
import ssh2 from 'ssh2';
import type { Attributes, SFTPWrapper } from 'ssh2';

const { STATUS_CODE, flagsToString } = ssh2.utils.sftp;

/** Serves the files below a folder over SFTP. Paths are relative to it, or absolute and within it. */
export function serveFiles(sftp: SFTPWrapper, home: string): void {
	const handles = new Map<string, fs.FileHandle>();
	let opened = 0;
	const fileOf = (handle: Buffer) => {
		const file = handles.get(handle.toString());
		if (!file) throw Object.assign(new Error('no such handle'), { code: 'EBADF' });
		return file;
	};
	const inside = (name: string) => {
		const full = path.resolve(home, name);
		if (full === home || full.startsWith(`${home}/`)) return full;
		throw Object.assign(new Error('outside of the home folder'), { code: 'EACCES' });
	};
	/** Answers a request, with what went wrong as a status. */
	const answer = (id: number, work: () => Promise<(() => void) | undefined>) => {
		work().then(
			(send) => (send ? send() : sftp.status(id, STATUS_CODE.OK)),
			(error: NodeJS.ErrnoException) => sftp.status(id, statusOf(error), error.message),
		);
	};
	sftp.on('error', () => undefined);
	sftp.on('OPEN', (id, name, flags, { mode }) =>
		answer(id, async () => {
			const file = await fs.open(inside(name), flagsToString(flags) ?? 'r', mode);
			const handle = Buffer.from(String(++opened));
			handles.set(handle.toString(), file);
			return () => sftp.handle(id, handle);
		}),
	);
	sftp.on('READ', (id, handle, offset, length) =>
		answer(id, async () => {
			const { bytesRead, buffer } = await fileOf(handle).read({
				buffer: Buffer.alloc(length),
				position: offset,
			});
			return bytesRead === 0
				? () => sftp.status(id, STATUS_CODE.EOF)
				: () => sftp.data(id, buffer.subarray(0, bytesRead));
		}),
	);
	sftp.on('WRITE', (id, handle, offset, data) =>
		answer(id, async () => {
			await fileOf(handle).write(data, 0, data.length, offset);
			return undefined;
		}),
	);
	sftp.on('CLOSE', (id, handle) =>
		answer(id, async () => {
			await fileOf(handle).close();
			handles.delete(handle.toString());
			return undefined;
		}),
	);
	sftp.on('FSTAT', (id, handle) =>
		answer(id, async () => {
			const attributes = attributesOf(await fileOf(handle).stat());
			return () => sftp.attrs(id, attributes);
		}),
	);
	const stat = (read: (name: string) => Promise<Stats>) => (id: number, name: string) =>
		answer(id, async () => {
			const attributes = attributesOf(await read(inside(name)));
			return () => sftp.attrs(id, attributes);
		});
	sftp.on('STAT', stat(fs.stat));
	sftp.on('LSTAT', stat(fs.lstat));
	sftp.on('FSETSTAT', (id, handle, { mode }) =>
		answer(id, async () => {
			if (mode !== undefined) await fileOf(handle).chmod(mode);
			return undefined;
		}),
	);
	sftp.on('REMOVE', (id, name) => answer(id, async () => void (await fs.unlink(inside(name)))));
	sftp.on('RENAME', (id, from, to) =>
		answer(id, async () => {
			// As OpenSSH does for this request: it replaces nothing
			await fs.link(inside(from), inside(to));
			await fs.unlink(inside(from));
			return undefined;
		}),
	);
	sftp.on('MKDIR', (id, name) => answer(id, async () => void (await fs.mkdir(inside(name)))));
	sftp.on('REALPATH', (id, name) =>
		answer(id, async () => {
			const filename = inside(name);
			const attrs = attributesOf(await fs.stat(home));
			return () => sftp.name(id, [{ filename, longname: filename, attrs }]);
		}),
	);
	sftp.on('close', () => {
		for (const file of handles.values()) file.close().catch(() => undefined);
		handles.clear();
	});
}

function statusOf({ code }: NodeJS.ErrnoException): number {
	if (code === 'ENOENT') return STATUS_CODE.NO_SUCH_FILE;
	if (code === 'EACCES' || code === 'EPERM') return STATUS_CODE.PERMISSION_DENIED;
	return STATUS_CODE.FAILURE;
}

function attributesOf({ mode, uid, gid, size, atimeMs, mtimeMs }: Stats): Attributes {
	return {
		mode,
		uid,
		gid,
		size,
		atime: Math.floor(atimeMs / 1000),
		mtime: Math.floor(mtimeMs / 1000),
	};
}
