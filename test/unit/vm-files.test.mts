import { createHash } from 'node:crypto';
import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { FileItem } from '../../nodes/shared/operation/items.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import { downloadFile, uploadFile } from '../../nodes/Vmaas/resources/vm/files.ts';
import { inputOf } from './job-bench.mts';
import { message, node } from './parameters-form.mts';
import { useStillTime } from './still-time.mts';
import { vmWith } from './vm-file-server.mts';
import { FACTS, ON_VM, told } from './vm-parts.mts';

useStillTime();

const MIB = 1024 * 1024;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('Upload File', () => {
	const binary = (text: string, more: Partial<IBinaryData> = {}): IBinaryData => ({
		data: Buffer.from(text).toString('base64'),
		mimeType: 'text/plain',
		...more,
	});

	function form(changes: IDataObject = {}, file: IBinaryData | undefined = binary('hello')) {
		const values: IDataObject = {
			...ON_VM,
			binaryPropertyName: 'data',
			remotePath: '~/job/a.py',
			options: {},
			...changes,
		};
		const parameters = new Parameters(node, 0, uploadFile.fields, (name) => values[name]);
		return uploadFile.input(parameters, (name) => (name === 'data' ? file : undefined));
	}

	async function uploaded(changes: IDataObject = {}, file?: IBinaryData) {
		const { vm, server } = vmWith();
		const context = await vm.context();
		const streamed: string[] = [];
		Object.assign(context.functions.helpers, {
			getBinaryDataBuffer: async (index: number, { data }: IBinaryData) =>
				await Promise.resolve(Buffer.from(index === 0 ? data : '', 'base64')),
			getBinaryStream: async (id: string) => {
				streamed.push(id);
				return await Promise.resolve([Buffer.from('hel'), Buffer.from('lo')]);
			},
		});
		const items = await uploadFile.run(context, form(changes, file));
		return { items, server, streamed };
	}

	it('puts the file in place once it is whole, and makes its folders', async () => {
		const { items, server } = await uploaded({ options: { createFolders: true } });
		expect(items).toEqual([
			{ remote_path: '~/job/a.py', size_in_bytes: 5, sha256: sha256('hello'), ...FACTS },
		]);
		expect(server.asked).toEqual(['mkdir job', 'open wx job/a.py.part', 'rename to job/a.py']);
		expect([...server.files].map(([path, bytes]) => [path, bytes.toString()])).toEqual([
			['job/a.py', 'hello'],
		]);
		expect(server.modes).toEqual([undefined]);
	});

	it('makes no folders where that is turned off', async () => {
		const { server } = await uploaded({ options: { createFolders: false } });
		expect(server.asked).toEqual(['open wx job/a.py.part', 'rename to job/a.py']);
	});

	it('sends a file that n8n has stored in pieces', async () => {
		const { items, streamed } = await uploaded({}, binary('', { id: 'stored-1', bytes: 5 }));
		expect(items).toMatchObject([{ size_in_bytes: 5, sha256: sha256('hello') }]);
		expect(streamed).toEqual(['stored-1']);
	});

	it.each([
		['755', 0o755],
		['0644', 0o644],
	])('gives the file the mode %s', async (mode, expected) => {
		const { server } = await uploaded({ options: { mode } });
		expect(server.modes).toEqual([expected, expected]);
	});

	it.each(['75', '07755', '788', 'x755', '755x'])('does not know the mode %s', (mode) => {
		expect(message(() => form({ options: { mode } }))).toBe(
			`Options: File Mode must be three or four octal digits such as 755, got "${mode}"`,
		);
	});

	it('needs a file', () => {
		expect(message(() => form({ binaryPropertyName: 'other' }))).toBe(
			'Input Binary Field must name a field with a file, but the item has no file in "other"',
		);
	});

	it('takes files of up to 100 MiB', () => {
		const stored = (bytes?: number) => message(() => form({}, binary('', { id: 'x', bytes })));
		const tooLarge = `Input Binary Field must be a file of at most 100 MiB, got ${100 * MIB + 1} bytes`;
		expect([stored(100 * MIB), stored(100 * MIB + 1)]).toEqual(['no error', tooLarge]);
		expect(stored(undefined)).toBe('no error');
	});

	it('is not allowed for an AI agent, unless a person allows it', async () => {
		const { vm, server } = vmWith();
		vm.isTool = true;
		expect(told(await vm.does(uploadFile, form())).message).toMatch(
			/^Upload File is not allowed for AI agents\. Nothing was sent to a VM\./,
		);
		expect([server.asked, vm.market.asked]).toEqual([[], []]);
	});

	it('tells what the server refuses, and where', async () => {
		const { vm, server } = vmWith();
		server.folders.add('job/a.py');
		const context = await vm.context();
		Object.assign(context.functions.helpers, {
			getBinaryDataBuffer: async () => await Promise.resolve(Buffer.from('hello')),
		});
		await expect(uploadFile.run(context, form())).rejects.toMatchObject({
			message: 'job/a.py is a folder on the VM: name the file, too',
			context: { known: { ...FACTS, remote_path: '~/job/a.py' } },
		});
	});
});

describe('a path on the VM', () => {
	const pathOf = (remotePath: string) =>
		message(() =>
			inputOf(downloadFile, { ...ON_VM, remotePath, binaryPropertyName: 'data', options: {} }),
		);

	it.each(['a', '~/a', '/tmp/a', './a', '../a', 'a/..b', 'a/b.', '~a', 'a~', '...'])(
		'may be %s',
		(path) => {
			expect(pathOf(path)).toBe('no error');
		},
	);

	it.each(['/', 'a/', '.', '..', 'a/.', 'a/..', '~', '~/'])('must name a file: not %s', (path) => {
		expect(pathOf(path)).toBe('Path on the VM must name a file, not a folder');
	});

	it('has no null character', () => {
		expect(pathOf('a\0b')).toBe('Path on the VM must not contain a null character');
	});
});

describe('Download File', () => {
	async function downloaded(changes: IDataObject = {}, shown: object = {}) {
		const { vm } = vmWith({ 'job/result.json': '{}' });
		const context = await vm.context();
		Object.assign(context.functions.helpers, {
			prepareBinaryData: async (content: Buffer, fileName?: string) =>
				await Promise.resolve({
					data: content.toString(),
					mimeType: 'application/json',
					fileName,
					...shown,
				}),
		});
		const values = { ...ON_VM, remotePath: '~/job/result.json', binaryPropertyName: 'out' };
		const input = inputOf(downloadFile, { ...values, options: {}, ...changes });
		return await downloadFile.run(context, input);
	}

	it('puts the file out under its own name', async () => {
		const data = { data: '{}', mimeType: 'application/json', fileName: 'result.json' };
		const json = {
			remote_path: '~/job/result.json',
			file_name: 'result.json',
			mime_type: 'application/json',
			size_in_bytes: 2,
			sha256: sha256('{}'),
			...FACTS,
		};
		expect(await downloaded()).toEqual([new FileItem(json, { out: data })]);
	});

	it('puts it out under another name, or under none where n8n tells none', async () => {
		expect(await downloaded({ options: { fileName: 'b.json' } })).toMatchObject([
			{ json: { file_name: 'b.json' }, binary: { out: { fileName: 'b.json' } } },
		]);
		expect(await downloaded({}, { fileName: undefined })).toMatchObject([
			{ json: { file_name: null } },
		]);
	});

	it('is done for one item at a time', () => {
		expect(downloadFile.requestsAtOnce?.([])).toBe(1);
	});

	const form = inputOf(downloadFile, {
		...ON_VM,
		remotePath: 'b',
		binaryPropertyName: 'data',
		options: {},
	});

	it('tells that there is no such file', async () => {
		const { vm } = vmWith();
		expect(told(await vm.does(downloadFile, form))).toEqual({
			message: 'b: there is no such file or folder on the VM',
			description:
				'Check the path and the permissions on the VM. Relative paths begin in the home folder.',
			known: { ...FACTS, remote_path: 'b' },
		});
	});

	it('takes no file of more than 100 MiB', async () => {
		const { vm, server } = vmWith({ b: 'x' });
		server.fstat = (_, done) => done(undefined, { size: 100 * MIB + 1, isDirectory: () => false });
		expect(told(await vm.does(downloadFile, form)).message).toBe(
			'b is larger than 104857600 bytes: it has 104857601',
		);
	});

	it('ends with the execution that is cancelled', async () => {
		const { vm, server } = vmWith({ b: 'x' });
		const controller = new AbortController();
		vm.signal = controller.signal;
		server.open = () => controller.abort();
		expect(told(await vm.does(downloadFile, form)).message).toBe('Cancelled');
	});

	it('does not hide a fault of its own', async () => {
		const { vm } = vmWith();
		vm.sftp = undefined;
		await expect(downloadFile.run(await vm.context(), form)).rejects.toThrow(TypeError);
	});
});
