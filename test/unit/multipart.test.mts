import { expect, it } from 'vitest';
import { multipart, type FormFile } from '../../nodes/Rag/multipart.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const file = (bytes: Buffer, more: Partial<FormFile> = {}): FormFile => ({
	field: 'file',
	fileName: 'a.bin',
	mimeType: 'application/x-test',
	size: bytes.length,
	content: inPieces(bytes, 3),
	...more,
});

/** Reads a form with the reader that the platform has. */
async function read(fields: Record<string, string>, ...files: FormFile[]): Promise<FormData> {
	const payload = await multipart(fields, ...files);
	if (!payload) throw new Error('There is no payload');
	return await new Response(new Uint8Array(payload.bytes), {
		headers: { 'content-type': payload.contentType },
	}).formData();
}

it('texts and a file arrive byte for byte', async () => {
	const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 254, 0]);
	const form = await read(
		{ id: 'ü "1"', raw_text: 'one\r\n--form-\r\ntwo' },
		file(bytes, { fileName: 'grüße "1"\r\n.bin' }),
	);
	expect([form.get('id'), form.get('raw_text')]).toEqual(['ü "1"', 'one\r\n--form-\r\ntwo']);
	const got = form.get('file');
	if (!(got instanceof File)) throw new Error('The file did not arrive as one');
	expect([got.type, Buffer.from(await got.arrayBuffer())]).toEqual(['application/x-test', bytes]);
	expect(got.name).toMatch(/^grüße ("|%22)1("|%22)(\r\n|%0D%0A)\.bin$/);
});

it('without a file, and without anything', async () => {
	expect([...(await read({ a: 'b' })).entries()]).toEqual([['a', 'b']]);
	expect(await multipart({})).toMatchObject({ bytes: expect.any(Buffer) });
});

it.each([-1, 1])('a file longer or shorter than announced is an error (%i)', async (difference) => {
	const bytes = Buffer.from('some content');
	expect(await multipart({}, file(bytes, { size: bytes.length + difference }))).toBeUndefined();
});

it.each([
	'text/plain\r\nX-Injected: yes',
	'text/plain\r\n\r\nbody\r\n--',
	'text/plain\n',
	'täxt/plain',
	'',
])('an invalid type (%j) adds neither a header nor a field', async (mimeType) => {
	const payload = await multipart({ id: '1' }, file(Buffer.from('content'), { mimeType }));
	expect(String(payload?.bytes)).not.toMatch(/x-injected|body\r\n/i);
	const form = await read({ id: '1' }, file(Buffer.from('content'), { mimeType }));
	expect([...form.keys()]).toEqual(['id', 'file']);
	expect((form.get('file') as File).type).toBe('application/octet-stream');
});
