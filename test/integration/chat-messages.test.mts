import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, fileItem, locator } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';

const fixture = useFixture();
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const COMPLETIONS = { path: /chat\/completions$/ };

const complete = (parameters: IDataObject = {}, settings = {}) =>
	chat(
		'chat',
		'complete',
		{
			model: locator(MODEL),
			input: 'prompt',
			prompt: 'Why is the sky blue?',
			options: {},
			simplify: true,
			...parameters,
		},
		settings,
	);
const sentBody = (index = 0) => fixture.sent('POST', COMPLETIONS.path)[index]?.body as IDataObject;

describe('messages', () => {
	it('as a prompt, with and without a system prompt', async () => {
		await fixture.run(complete());
		await fixture.run(complete({ systemPrompt: ' Be brief. ' }));
		expect(sentBody(0)).toEqual({
			model: MODEL,
			messages: [{ role: 'user', content: 'Why is the sky blue?' }],
		});
		expect(sentBody(1).messages).toEqual([
			{ role: 'system', content: ' Be brief. ' },
			{ role: 'user', content: 'Why is the sky blue?' },
		]);
	});

	it('an assistant message that is an earlier output, with its tool calls', async () => {
		const calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];
		const values = [
			{ role: 'user', content: 'One' },
			{ role: 'assistant', content: '={{ $json }}' },
			{ role: 'tool', content: '2', toolCallId: 'a' },
		];
		await fixture.run(complete({ input: 'messages', messages: { values } }), [
			{ content: null, tool_calls: calls, finish_reason: 'tool_calls', usage: null },
		]);
		expect(sentBody().messages).toEqual([
			{ role: 'user', content: 'One' },
			{ role: 'assistant', content: null, tool_calls: calls },
			{ role: 'tool', content: '2', tool_call_id: 'a' },
		]);
	});

	it('as rows of the form', async () => {
		const values = [
			{ role: 'system', content: 'Be brief.' },
			{ role: 'user', content: 'One' },
			{ role: 'assistant', content: 'Two' },
			{ role: 'tool', content: '{"a": 1}', toolCallId: 'call_1' },
			{ role: 'user', content: 'Look', images: ['https://images.example/a,b.png', 'data'] },
		];
		const run = await fixture.engine.runItems(
			complete({ input: 'messages', messages: { values }, options: { imageDetail: 'low' } }),
			[fileItem('a.png', 'png', 'image/png')],
		);
		expect(onlyJson(run)).toHaveProperty('content');
		expect(sentBody().messages).toEqual([
			{ role: 'system', content: 'Be brief.' },
			{ role: 'user', content: 'One' },
			{ role: 'assistant', content: 'Two' },
			{ role: 'tool', content: '{"a": 1}', tool_call_id: 'call_1' },
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'Look' },
					{
						type: 'image_url',
						image_url: { url: 'https://images.example/a,b.png', detail: 'low' },
					},
					{
						type: 'image_url',
						image_url: {
							url: `data:image/png;base64,${Buffer.from('png').toString('base64')}`,
							detail: 'low',
						},
					},
				],
			},
		]);
	});

	it('as JSON, with unknown keys and tool calls', async () => {
		const messages = [
			{ role: 'user', content: [{ type: 'text', text: 'Hi' }], name: 'Ann' },
			{
				role: 'assistant',
				content: null,
				tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
			},
			{ role: 'tool', content: 'x', tool_call_id: 'c' },
		];
		await fixture.run(complete({ input: 'json', messagesJson: JSON.stringify(messages) }));
		await fixture.run(complete({ input: 'json', messagesJson: '={{ $json.messages }}' }), [
			{ messages },
		]);
		expect([sentBody(0).messages, sentBody(1).messages]).toEqual([messages, messages]);
	});

	const png = (bytes: number) => `data:image/png;base64,${'A'.repeat(Math.ceil((bytes * 4) / 3))}`;
	it.each<[string, IDataObject, string]>([
		[
			'no message',
			{ input: 'messages', messages: {} },
			'Messages is required: add at least one message',
		],
		[
			'an empty message',
			{ input: 'messages', messages: { values: [{ role: 'user', content: ' ' }] } },
			'Messages 1: Content is required and must not be empty',
		],
		[
			'an unknown role',
			{ input: 'messages', messages: { values: [{ role: 'robot', content: 'x' }] } },
			'Messages 1: Role must be one of assistant, developer, system, tool, user, got "robot"',
		],
		[
			'a tool result without its call',
			{ input: 'messages', messages: { values: [{ role: 'tool', content: 'x' }] } },
			'Messages 1: Tool Call ID is required and must not be empty',
		],
		['a blank prompt', { prompt: '  ' }, 'Prompt is required and must not be empty'],
		[
			'an empty list',
			{ input: 'json', messagesJson: '[]' },
			'Messages (JSON) must contain at least one message',
		],
		[
			'no list',
			{ input: 'json', messagesJson: '{"role": "user"}' },
			'Messages (JSON) must be a JSON list such as ["a", "b"], got {"role":"user"}',
		],
		[
			'no JSON',
			{ input: 'json', messagesJson: '[{' },
			'Messages (JSON) must be valid JSON, got "[{"',
		],
		[
			'a wrong role in JSON',
			{ input: 'json', messagesJson: [{ role: 'x', content: 'y' }] },
			'Messages (JSON) must have one of the roles assistant, developer, system, tool, user, got "x" at position 1',
		],
		[
			'no content in JSON',
			{ input: 'json', messagesJson: [{ role: 'user' }] },
			'Messages (JSON) must have a content that is text or an array of parts, got nothing at position 1',
		],
		[
			'an unknown input',
			{ input: 'telepathy' },
			'Input must be one of messages, prompt, json, got "telepathy"',
		],
		[
			'no model',
			{ model: locator('={{ "" }}') },
			'Model is required: choose one from the list or enter its ID',
		],
		[
			'eleven images',
			{
				input: 'messages',
				messages: {
					values: [
						{
							role: 'user',
							content: 'x',
							images: Array.from({ length: 11 }, () => 'https://a.example/b.png'),
						},
					],
				},
			},
			'A request may contain at most 10 images, got 11',
		],
		[
			'a wrong type',
			{
				input: 'messages',
				messages: {
					values: [{ role: 'user', content: 'x', images: ['data:image/bmp;base64,AAAA'] }],
				},
			},
			'An image must be JPEG, PNG, WEBP or GIF, got "image/bmp"',
		],
		[
			'too large an image',
			{
				input: 'json',
				messagesJson: [
					{
						role: 'user',
						content: [{ type: 'image_url', image_url: { url: png(21 * 1024 * 1024) } }],
					},
				],
			},
			'An image may have at most 20 MB, got 21.0 MB',
		],
		[
			'a strange address',
			{
				input: 'json',
				messagesJson: [
					{
						role: 'user',
						content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
					},
				],
			},
			'An image URL must start with https://, http:// or data:, got "file:///etc/passwd"',
		],
	])('%s is an error, and nothing is sent', async (_, parameters, message) => {
		expect(errorOf(await fixture.run(complete(parameters))).message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('an image of exactly 20 MB is accepted, a byte more is not', async () => {
		const image = (bytes: number) => fileItem('a.png', Buffer.alloc(bytes), 'image/png');
		const node = complete({
			input: 'messages',
			messages: { values: [{ role: 'user', content: 'x', images: ['data'] }] },
		});
		const limit = 20 * 1024 * 1024;
		fixture.sandbox.faults.add({ match: COMPLETIONS, drop: 'before' });
		expect(errorOf(await fixture.engine.runItems(node, [image(limit)])).message).not.toContain(
			'at most 20 MB',
		);
		expect(errorOf(await fixture.engine.runItems(node, [image(limit + 1)])).message).toContain(
			'at most 20 MB',
		);
	});

	it.each(['image/jpg', 'IMAGE/JPEG; charset=binary', ' image/jpeg '])(
		'an image of the type "%s" is sent as JPEG',
		async (mimeType) => {
			const node = complete({
				input: 'messages',
				messages: {
					values: [
						{ role: 'user', content: 'x', images: ['data', `data:${mimeType.trim()};base64,AAAA`] },
					],
				},
			});
			onlyJson(await fixture.engine.runItems(node, [fileItem('a.jpg', 'jpg', mimeType)]));
			const parts = (index = 0) =>
				(sentBody(index).messages as Array<{ content: unknown[] }>)[0]?.content;
			const [file, typed] = [Buffer.from('jpg').toString('base64'), 'AAAA'].map((data) => ({
				type: 'image_url',
				image_url: { url: `data:image/jpeg;base64,${data}` },
			}));
			expect(parts()).toEqual([{ type: 'text', text: 'x' }, file, typed]);
			const url = `data:${mimeType.trim()};base64,AAAA`;
			for (const [index, image] of [{ url, detail: 'low' }, url].entries()) {
				const messagesJson = [{ role: 'user', content: [{ type: 'image_url', image_url: image }] }];
				await fixture.run(complete({ input: 'json', messagesJson }));
				expect(parts(index + 1)).toEqual([
					{
						type: 'image_url',
						image_url:
							image === url ? typed?.image_url.url : { ...typed?.image_url, detail: 'low' },
					},
				]);
			}
		},
	);

	it('binary data that is not an image, and a binary field that does not exist', async () => {
		const withImage = (field: string) =>
			complete({
				input: 'messages',
				messages: { values: [{ role: 'user', content: 'x', images: [field] }] },
			});
		const text = await fixture.engine.runItems(withImage('data'), [fileItem('a.txt', 'text')]);
		expect(errorOf(text).message).toBe(
			'The image in the binary field data must be JPEG, PNG, WEBP or GIF, got "text/plain"',
		);
		const untyped = {
			json: {},
			binary: { data: { data: 'AAAA', fileName: 'a.png' } },
		} as unknown as INodeExecutionData;
		expect(errorOf(await fixture.engine.runItems(withImage('data'), [untyped])).message).toBe(
			'The image in the binary field data must be JPEG, PNG, WEBP or GIF, got nothing',
		);
		expect(errorOf(await fixture.run(withImage('photo'))).message).toContain('photo');
		const inherited = await fixture.engine.runItems(withImage('constructor'), [fileItem('a', 'b')]);
		expect(errorOf(inherited).message).toBe('There is no file in the binary field "constructor"');
		expect(fixture.sandbox.requests).toEqual([]);
	});
});
