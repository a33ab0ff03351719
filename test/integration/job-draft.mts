import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, writeSync, readSync, fstatSync, statSync, renameSync, mkdirSync, unlinkSync, existsSync, constants } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import ssh2 from 'ssh2';
import { generateKeyPairSync } from 'node:crypto';
const { Server, utils } = ssh2;

export function draftVm() {
	const home = mkdtempSync(path.join(os.tmpdir(), 'vm-'));
	const host = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
	let commands = 0;
	let refuses = false;
	let writesStall = false; let readsStall = false; let stalled = false;
	const clients = new Set<any>();
	const server = new Server({ hostKeys: [host] }, (client) => {
		if (refuses) return void client.end();
		clients.add(client);
		client.on('error', () => undefined);
		client.on('close', () => clients.delete(client));
		client.on('authentication', (ctx) => (ctx.method === 'publickey' ? ctx.accept() : ctx.reject(['publickey'])));
		client.on('ready', () => { if (process.env.DBG) console.log('ready', Date.now() % 100000, handshakes.has((client as any)._sock)); handshakes.delete((client as any)._sock); });
		client.on('ready', () => client.on('session', (accept) => {
			const session = accept();
			session.on('exec', (accept, _reject, info) => {
				const channel = accept();
				commands++;
				const child = spawn('/bin/sh', ['-c', info.command], { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
				channel.pipe(child.stdin);
				child.stdin.on('error', () => undefined);
				child.stdout.pipe(channel, { end: false });
				child.stderr.pipe(channel.stderr, { end: false });
				child.on('close', (code, signal) => {
					commands--;
					if (signal) channel.exit(signal as never, false, ''); else channel.exit(code ?? 0);
					channel.end();
				});
			});
			session.on('sftp', (accept) => {
				const sftp = accept();
				const S = utils.sftp.STATUS_CODE;
				const at = (p: string) => path.resolve(home, p);
				const h = new Map<string, number>();
				const id = (handle: Buffer) => h.get(handle.toString('hex'))!;
				let n = 0;
				const attempt = (reqid: number, work: () => void) => { try { work(); } catch { sftp.status(reqid, S.NO_SUCH_FILE); } };
				sftp.on('OPEN', (r, p, flags) => attempt(r, () => {
					const fd = openSync(at(p), utils.sftp.flagsToString(flags)!);
					const handle = Buffer.alloc(4); handle.writeUInt32BE(n++); h.set(handle.toString('hex'), fd); sftp.handle(r, handle);
				}));
				sftp.on('WRITE', (r, handle, offset, data) => writesStall ? void (stalled = true) : attempt(r, () => { writeSync(id(handle), data, 0, data.length, offset); sftp.status(r, S.OK); }));
				sftp.on('READ', (r, handle, offset, length) => readsStall ? void (stalled = true) : attempt(r, () => { const b = Buffer.alloc(length); const got = readSync(id(handle), b, 0, length, offset); if (got === 0) sftp.status(r, S.EOF); else sftp.data(r, b.subarray(0, got)); }));
				sftp.on('FSTAT', (r, handle) => attempt(r, () => { const s = fstatSync(id(handle)); sftp.attrs(r, { mode: s.mode, size: s.size, uid: 0, gid: 0, atime: 0, mtime: 0 } as never); }));
				sftp.on('STAT', (r, p) => attempt(r, () => { const s = statSync(at(p)); sftp.attrs(r, { mode: s.mode, size: s.size, uid: 0, gid: 0, atime: 0, mtime: 0 } as never); }));
				sftp.on('CLOSE', (r, handle) => attempt(r, () => { closeSync(id(handle)); sftp.status(r, S.OK); }));
				sftp.on('RENAME', (r, a, b) => attempt(r, () => { renameSync(at(a), at(b)); sftp.status(r, S.OK); }));
				sftp.on('REMOVE', (r, p) => attempt(r, () => { unlinkSync(at(p)); sftp.status(r, S.OK); }));
				sftp.on('MKDIR', (r, p) => attempt(r, () => { mkdirSync(at(p)); sftp.status(r, S.OK); }));
			});
		}));
	});
	const handshakes = new Set<any>(); const sockets = new Set<any>(); let seenBytes = 0; let movedAt = 0;
	(server as any)._srv.on('connection', (socket: any) => { socket.setNoDelay(true); handshakes.add(socket); sockets.add(socket); if (process.env.DBG) console.log('conn', Date.now() % 100000); socket.on('close', () => { if (process.env.DBG) console.log('close', Date.now() % 100000); handshakes.delete(socket); }); });
	return {
		home, server,
		commands: () => {
			let bytes = 0;
			for (const c of sockets) bytes += c.bytesRead + c.bytesWritten;
			if (bytes !== seenBytes) { seenBytes = bytes; movedAt = Date.now(); }
			return commands + handshakes.size + (Date.now() - movedAt < 60 ? 1 : 0);
		},
		cut: () => { const n = clients.size; clients.forEach((c) => (c as any)._sock?.destroy()); return n; },
		stallWrites: () => { writesStall = true; }, stallReads: () => { readsStall = true; }, isStalled: () => stalled, has: (f: string) => existsSync(path.join(home, f)),
		refuse: (value: boolean) => { refuses = value; },
		async listen() { await new Promise<void>((done) => server.listen(0, '127.0.0.1', done)); return (server.address() as any).port as number; },
	};
}
