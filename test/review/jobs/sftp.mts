import * as fs from 'node:fs';
import { resolve } from 'node:path';
import ssh2, { type SFTPWrapper } from 'ssh2';

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;

/** Of SFTP: `start` is the request for it. */
export type Step = 'start' | 'open' | 'read' | 'write' | 'rename' | 'close';

/** What goes wrong at a step: a status, the end of the connection, or an end of file that is not there. */
export type FileFault = (step: Step, path: string) => 'cut' | 'eof' | number | undefined;

/** SFTP on a folder, step by step and at once, so that nothing is on its way unseen. */
export function serveFiles(
	sftp: SFTPWrapper,
	home: string,
	fault: FileFault,
	cut: () => void,
): void {
	const open = new Map<number, { fd: number; path: string }>();
	let handles = 0;
	sftp.on('error', () => undefined);
	const at = (path: string) => resolve(home, path);
	const of = (handle: Buffer) => {
		const found = open.get(handle.readUInt32BE(0));
		if (!found) throw new Error('There is no such handle');
		return found;
	};
	/** Does something; what the file system says is said to the client. */
	const step = (id: number, name: Step | undefined, path: string, work: () => void) => {
		const wrong = name && fault(name, path);
		if (wrong === 'cut') return cut();
		if (wrong === 'eof') return sftp.status(id, STATUS_CODE.EOF);
		if (wrong !== undefined) return sftp.status(id, wrong);
		try {
			work();
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if (code === 'ENOENT') return sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
			if (code === 'EACCES') return sftp.status(id, STATUS_CODE.PERMISSION_DENIED);
			sftp.status(id, STATUS_CODE.FAILURE);
		}
	};
	const ok = (id: number) => sftp.status(id, STATUS_CODE.OK);
	const attributes = (stats: fs.Stats) => ({
		mode: stats.mode,
		uid: stats.uid,
		gid: stats.gid,
		size: stats.size,
		atime: Math.floor(stats.atimeMs / 1000),
		mtime: Math.floor(stats.mtimeMs / 1000),
	});
	sftp.on('OPEN', (id, path, flags) =>
		step(id, 'open', path, () => {
			const isNew = (flags & OPEN_MODE.EXCL) !== 0;
			const fd = fs.openSync(at(path), isNew ? 'wx+' : flags & OPEN_MODE.WRITE ? 'w+' : 'r');
			open.set(++handles, { fd, path });
			const handle = Buffer.alloc(4);
			handle.writeUInt32BE(handles);
			sftp.handle(id, handle);
		}),
	);
	sftp.on('READ', (id, handle, offset, length) => {
		const { fd, path } = of(handle);
		step(id, 'read', path, () => {
			const block = Buffer.alloc(length);
			const count = fs.readSync(fd, block, 0, length, offset);
			if (count === 0) sftp.status(id, STATUS_CODE.EOF);
			else sftp.data(id, block.subarray(0, count));
		});
	});
	sftp.on('WRITE', (id, handle, offset, data) => {
		const { fd, path } = of(handle);
		step(id, 'write', path, () => {
			fs.writeSync(fd, data, 0, data.length, offset);
			ok(id);
		});
	});
	sftp.on('FSTAT', (id, handle) =>
		step(id, undefined, '', () => sftp.attrs(id, attributes(fs.fstatSync(of(handle).fd)))),
	);
	for (const name of ['STAT', 'LSTAT'] as const)
		sftp.on(name, (id: number, path: string) =>
			step(id, undefined, path, () => sftp.attrs(id, attributes(fs.statSync(at(path))))),
		);
	sftp.on('FSETSTAT', (id) => ok(id));
	sftp.on('CLOSE', (id, handle) => {
		const { fd, path } = of(handle);
		open.delete(handle.readUInt32BE(0));
		fs.closeSync(fd);
		step(id, 'close', path, () => ok(id));
	});
	sftp.on('REMOVE', (id, path) =>
		step(id, undefined, path, () => {
			fs.unlinkSync(at(path));
			ok(id);
		}),
	);
	sftp.on('RENAME', (id, from, to) =>
		step(id, 'rename', to, () => {
			fs.renameSync(at(from), at(to));
			ok(id);
		}),
	);
	sftp.on('MKDIR', (id, path) =>
		step(id, undefined, path, () => {
			fs.mkdirSync(at(path));
			ok(id);
		}),
	);
	sftp.on('close', () => {
		for (const { fd } of open.values()) fs.closeSync(fd);
		open.clear();
	});
}
