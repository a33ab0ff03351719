import { Vm } from './vm-parts.mts';

/** A file server that holds its files in memory. */
export class Files {
	/** What it was asked to do. */
	readonly asked: string[] = [];
	readonly modes: Array<number | undefined> = [];
	readonly files = new Map<string, Buffer>();
	readonly folders = new Set<string>();

	on = (): void => undefined;
	end = (): void => undefined;

	open = (path: string, flags: string, ...more: unknown[]): void => {
		const done = more.pop() as (error?: Error, handle?: Buffer) => void;
		const [attributes] = more as Array<{ mode?: number }>;
		this.asked.push(`open ${flags} ${this.short(path)}`);
		this.modes.push(attributes?.mode);
		if (flags === 'wx') this.files.set(path, Buffer.alloc(0));
		if (this.files.has(path)) done(undefined, Buffer.from(path));
		else done(Object.assign(new Error('No such file'), { code: 2 }));
	};

	stat = (path: string, done: (error?: Error, stats?: object) => void): void => {
		if (this.folders.has(path) || this.files.has(path)) done(undefined, this.stats(path));
		else done(Object.assign(new Error('No such file'), { code: 2 }));
	};

	fstat = (handle: Buffer, done: (error: undefined, stats: object) => void): void =>
		done(undefined, this.stats(handle.toString()));

	mkdir = (path: string, done: () => void): void => {
		this.asked.push(`mkdir ${path}`);
		this.folders.add(path);
		done();
	};

	write = (
		handle: Buffer,
		block: Buffer,
		_: number,
		__: number,
		at: number,
		done: () => void,
	): void => {
		const path = handle.toString();
		this.files.set(path, Buffer.concat([this.content(path).subarray(0, at), block]));
		done();
	};

	read = (
		handle: Buffer,
		into: Buffer,
		at: number,
		length: number,
		from: number,
		done: (error: undefined, count: number) => void,
	): void => done(undefined, this.content(handle.toString()).copy(into, at, from, from + length));

	fsetstat = (_: Buffer, { mode }: { mode?: number }, done: () => void): void => {
		this.modes.push(mode);
		done();
	};

	close = (_: Buffer, done: () => void): void => done();

	ext_openssh_rename = (from: string, to: string, done: () => void): void => {
		this.asked.push(`rename to ${to}`);
		this.files.set(to, this.content(from));
		this.files.delete(from);
		done();
	};

	private content(path: string): Buffer {
		return this.files.get(path) ?? Buffer.alloc(0);
	}

	private stats(path: string): object {
		return { size: this.content(path).length, isDirectory: () => this.folders.has(path) };
	}

	private short(path: string): string {
		return path.replace(/\.[0-9a-f]{12}\.part$/, '.part');
	}
}

/** A VM with these files. */
export function vmWith(files: Record<string, string> = {}) {
	const vm = new Vm();
	const server = new Files();
	for (const [path, text] of Object.entries(files)) server.files.set(path, Buffer.from(text));
	vm.sftp = server;
	return { vm, server };
}
