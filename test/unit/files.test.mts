import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { downloadFile, pickFile, readFile } from '../../nodes/Rag/files.ts';
import { digestOf } from '../../nodes/Rag/resources/document/documentId.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import { FileItem } from '../../nodes/shared/operation/items.ts';

const MIB = 1024 * 1024;
const node = {
	id: 'Node',
	name: 'Node',
	type: 'node',
	typeVersion: 1,
	position: [0, 0] as [number, number],
	parameters: {},
};
const field = {
	displayName: 'Input Field',
	name: 'binaryPropertyName',
	type: 'string' as const,
	default: 'data',
};
const inMemory = (bytes: Buffer, more: Partial<IBinaryData> = {}): IBinaryData => ({
	data: bytes.toString('base64'),
	mimeType: 'text/plain',
	fileName: 'a.txt',
	...more,
});
const stored = (bytes: number | undefined, more: Partial<IBinaryData> = {}): IBinaryData => ({
	data: 'filesystem-v2',
	id: 'filesystem-v2:one',
	mimeType: 'text/plain',
	fileName: 'a.txt',
	bytes,
	...more,
});

const pick = (file: IBinaryData | undefined) =>
	pickFile(new Parameters(node, 0, [field], () => 'data'), () => file, 'binaryPropertyName');

describe('the file of an item', () => {
	it('may be in memory or stored, with an unknown size too', () => {
		for (const file of [
			inMemory(Buffer.from('a')),
			stored(1),
			stored(undefined),
			stored(100 * MIB),
			// As base64 text it is larger than the limit
			inMemory(Buffer.alloc(80 * MIB)),
		])
			expect(pick(file)).toBe(file);
	});

	it('must exist', () => {
		let error: unknown;
		try {
			pick(undefined);
		} catch (caught) {
			error = caught;
		}
		expect(error).toMatchObject({
			message: 'Input Field must name a field with a file, but the item has no file in "data"',
			description:
				'Add a node that outputs a file before this one, such as n8n Form Trigger or HTTP Request, and enter the name of its output field.',
		});
	});

	it.each<[IBinaryData, string]>([
		[inMemory(Buffer.alloc(0)), 'Input Field must name a field with a file, but a.txt is empty'],
		[stored(0), 'Input Field must name a field with a file, but a.txt is empty'],
		[
			stored(0, { fileName: undefined }),
			'Input Field must name a field with a file, but data is empty',
		],
		[stored(100 * MIB + 1), 'Input Field must be a file of at most 100 MiB, got 100.1 MiB'],
		[stored(150.5 * MIB), 'Input Field must be a file of at most 100 MiB, got 150.5 MiB'],
	])('must have a size that can be sent: %#', (file, message) => {
		expect(() => pick(file)).toThrow(message);
	});
});

/** A call whose binary helpers hold this content, and whose service answers with a file. */
function callWith(content: {
	buffer?: Buffer;
	size?: number;
	answer?: { status?: number; body?: string; headers?: Record<string, string> };
}): OperationContext & { asked: string[] } {
	const asked: string[] = [];
	const { status = 200, body = 'bytes', headers = {} } = content.answer ?? {};
	const helpers = {
		getBinaryDataBuffer: async () => content.buffer,
		getBinaryMetadata: async (id: string) => (asked.push(id), { fileSize: content.size }),
		getBinaryStream: async (id: string) => (
			asked.push(id),
			Readable.from([Buffer.from('streamed')])
		),
		prepareBinaryData: async (bytes: Buffer, fileName?: string, mimeType?: string) => ({
			data: bytes.toString('base64'),
			fileName,
			mimeType: mimeType ?? 'found out',
		}),
		httpRequestWithAuthentication: async () => ({
			statusCode: status,
			headers,
			body: Readable.from([Buffer.from(body)]),
		}),
	};
	const account = {
		credentialType: 'any',
		baseUrl: 'http://127.0.0.1',
		segments: {},
		isOAuth2: false,
		redact: (text: string) => text,
	};
	return {
		functions: { getNode: () => node, helpers },
		account,
		itemIndex: 2,
		asked,
	} as unknown as OperationContext & { asked: string[] };
}

describe('reading a file', () => {
	it('from memory', async () => {
		const buffer = Buffer.from('content');
		const call = callWith({ buffer });
		expect(await readFile(call, inMemory(buffer), 'file', 'a.txt')).toEqual({
			field: 'file',
			fileName: 'a.txt',
			mimeType: 'text/plain',
			size: 7,
			content: [buffer],
		});
		expect(call.asked).toEqual([]);
	});

	it("in chunks from n8n's store", async () => {
		const call = callWith({ size: 8 });
		const file = await readFile(call, stored(undefined, { mimeType: '' }), 'file', 'a.bin');
		expect(file).toMatchObject({ mimeType: 'application/octet-stream', size: 8 });
		expect(file.content).toBeInstanceOf(Readable);
		expect(call.asked).toEqual(['filesystem-v2:one', 'filesystem-v2:one']);
	});

	it.each([
		[0, 'The file a.txt is empty'],
		[100 * MIB + 1, 'The file a.txt must have at most 100 MiB, got 100.1 MiB'],
	])('one of %d bytes is an error', async (size, message) => {
		await expect(
			readFile(callWith({ size }), stored(undefined), 'file', 'a.txt'),
		).rejects.toMatchObject({ message, context: { itemIndex: 2, known: {} } });
	});

	it('that turns out to be empty is an error with its name, also where it is only compared', async () => {
		await expect(digestOf(callWith({ size: 0 }), { file: stored(undefined) })).rejects.toThrow(
			'The file a.txt is empty',
		);
	});

	it('of the size limit', async () => {
		expect(
			await readFile(callWith({ size: 100 * MIB }), stored(undefined), 'file', 'a.txt'),
		).toMatchObject({ size: 100 * MIB });
	});
});

describe('downloading a file', () => {
	const fetched = async (headers: Record<string, string>, fileName?: string, answer = {}) =>
		await downloadFile(
			callWith({ answer: { headers, ...answer } }),
			{ method: 'GET', path: '/file', retry: 'never' },
			'data',
			fileName,
			{ id: 7 },
		);

	it('with its type and name', async () => {
		const item = await fetched({
			'content-type': ' text/plain ; charset=utf-8',
			'content-disposition': 'attachment; filename="a.txt"',
		});
		expect(item).toBeInstanceOf(FileItem);
		expect(item).toMatchObject({
			json: { id: 7, file_name: 'a.txt', mime_type: 'text/plain', size_in_bytes: 5 },
			binary: { data: { fileName: 'a.txt' } },
		});
	});

	it('with the type that n8n detects where the service sends none', async () => {
		expect((await fetched({ 'content-type': 'application/octet-stream' })).json).toEqual({
			id: 7,
			file_name: null,
			mime_type: 'found out',
			size_in_bytes: 5,
		});
	});

	it('under a chosen name', async () => {
		expect(
			(await fetched({ 'content-disposition': 'attachment; filename="a.txt"' }, 'mine.txt')).json
				.file_name,
		).toBe('mine.txt');
	});

	it.each<[string, string | null]>([
		['attachment', null],
		['attachment; filename=a.txt', 'a.txt'],
		['attachment; filename=a.txt ; size=5', 'a.txt'],
		['attachment; filename="a b;c.txt"', 'a b;c.txt'],
		['attachment; filename=""', ''],
		['attachment; filename = "a.txt"', 'a.txt'],
		['attachment; FileName = a.txt', 'a.txt'],
		['attachment; filename="x"; filename*=UTF-8\'\'gr%C3%BC%C3%9Fe.txt', 'grüße.txt'],
		['attachment; filename*=utf-8\'de\'gr%C3%BC%C3%9Fe.txt; filename="x"', 'grüße.txt'],
		["attachment; filename* = UTF-8''a%20b.txt", 'a b.txt'],
		['attachment; filename*=UTF-8\'\'%E0%A4%A; filename="x"', 'x'],
	])('with the name of %s', async (disposition, name) => {
		expect((await fetched({ 'content-disposition': disposition })).json.file_name).toBe(name);
	});

	it('a short refusal without a name is an error, and a large file that looks like one is a file', async () => {
		const refusal = (characters: number) => '{"error":"Not today"}'.padEnd(characters);
		await expect(fetched({}, undefined, { body: refusal(64 * 1024 - 1) })).rejects.toThrow(
			'Not today',
		);
		const item = await fetched({}, undefined, { body: refusal(64 * 1024) });
		expect(item.json.size_in_bytes).toBe(64 * 1024);
	});

	it.each([404, 500])('a %d is an error', async (status) => {
		await expect(fetched({}, undefined, { status, body: '{"detail":"No"}' })).rejects.toThrow('No');
	});
});
