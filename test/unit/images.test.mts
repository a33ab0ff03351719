import type { IBinaryData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { withImages } from '../../nodes/ChatCompletion/images.ts';
import type { Message } from '../../nodes/ChatCompletion/messages.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import { node } from './parameters-form.mts';

const MIB = 1024 * 1024;

/** The messages that are sent, with one file in the binary field `photo`. */
async function sent(
	messages: Message[],
	{ mimeType, bytes = 3, detail }: { mimeType?: string; bytes?: number; detail?: string } = {},
) {
	const helpers = {
		assertBinaryData: (_: number, field: string) =>
			(field === 'photo' ? { data: 'x', mimeType } : {}) as IBinaryData,
		getBinaryDataBuffer: async () => Buffer.alloc(bytes, 1),
	};
	const functions = { helpers, getNode: () => node };
	const context = { functions, itemIndex: 2 } as unknown as OperationContext;
	return await withImages(context, messages, detail);
}

const message = (content: unknown, ...images: Message['images']): Message => ({
	body: { role: 'user', content: content as string },
	images,
});
const urlOf = (type: string, bytes = 3) =>
	`data:${type};base64,${Buffer.alloc(bytes, 1).toString('base64')}`;
const inJson = (...urls: unknown[]) =>
	message(urls.map((url) => ({ type: 'image_url', image_url: { url } })));

describe('the images of messages', () => {
	it('are parts of the content, after its text', async () => {
		const url = 'https://example.com/a.png';
		expect(
			await sent([message('Look', { url }, { binaryField: 'photo' })], { mimeType: 'image/png' }),
		).toEqual([
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'Look' },
					{ type: 'image_url', image_url: { url } },
					{ type: 'image_url', image_url: { url: urlOf('image/png') } },
				],
			},
		]);
		expect(await sent([message('', { url })], { detail: 'low' })).toEqual([
			{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }] },
		]);
	});

	it('leave a message without any as it is', async () => {
		const messages = [message('Hello'), message([{ type: 'text', text: 'x' }, 'y'])];
		expect(await sent(messages)).toEqual(messages.map(({ body }) => body));
	});

	it.each([
		['image/jpg', 'image/jpeg'],
		['IMAGE/JPG; charset=binary', 'image/jpeg'],
		[' image/webp ', 'image/webp'],
		['image/gif;a;b', 'image/gif'],
	])('of the type %j are sent as %s', async (mimeType, type) => {
		const [file] = await sent([message('', { binaryField: 'photo' })], { mimeType });
		expect(file?.content).toEqual([{ type: 'image_url', image_url: { url: urlOf(type) } }]);
		const [inMessage] = await sent([inJson(urlOf(mimeType))]);
		expect(inMessage?.content).toEqual([{ type: 'image_url', image_url: { url: urlOf(type) } }]);
	});

	it('may be a URL in place of an object', async () => {
		const part = { type: 'image_url', image_url: urlOf('image/jpg') };
		const [body] = await sent([message([part])]);
		expect(body?.content).toEqual([{ ...part, image_url: urlOf('image/jpeg') }]);
	});

	it.each<[string, () => Promise<unknown>, string]>([
		[
			'another type',
			() => sent([message('', { binaryField: 'photo' })], { mimeType: 'image/jpgx' }),
			'The image in the binary field photo must be JPEG, PNG, WEBP or GIF, got "image/jpgx"',
		],
		[
			'another type that ends like one',
			() => sent([message('', { binaryField: 'photo' })], { mimeType: 'x-image/jpg' }),
			'must be JPEG, PNG, WEBP or GIF, got "x-image/jpg"',
		],
		[
			'no type',
			() => sent([message('', { binaryField: 'photo' })]),
			'The image in the binary field photo must be JPEG, PNG, WEBP or GIF, got nothing',
		],
		[
			'no file',
			() => sent([message('', { binaryField: 'other' })]),
			'There is no file in the binary field "other"',
		],
		[
			'more than 20 MB in a field',
			() =>
				sent([message('', { binaryField: 'photo' })], {
					mimeType: 'image/png',
					bytes: 20 * MIB + 1,
				}),
			'The image in the binary field photo may have at most 20 MB, got 20.0 MB',
		],
		[
			'more than 20 MB in a message',
			() => sent([inJson(urlOf('image/png', 20 * MIB + 1))]),
			'An image may have at most 20 MB, got 20.0 MB',
		],
		['a file of the disk', () => sent([inJson('file:///x')]), 'got "file:///x"'],
		[
			'no URL',
			() => sent([inJson(undefined)]),
			'must start with https://, http:// or data:, got nothing',
		],
		[
			'eleven',
			() => sent([inJson(...Array.from({ length: 11 }, () => 'https://example.com'))]),
			'A request may contain at most 10 images, got 11',
		],
	])('are refused: %s', async (_, send, words) => {
		await expect(send()).rejects.toThrow(words);
	});

	it.each([20 * MIB, 20 * MIB - 1, 20 * MIB - 2])('may have %d bytes', async (bytes) => {
		expect(await sent([inJson(urlOf('image/png', bytes))])).toHaveLength(1);
		const file = message('', { binaryField: 'photo' });
		expect(await sent([file], { mimeType: 'image/png', bytes })).toHaveLength(1);
	});
});
