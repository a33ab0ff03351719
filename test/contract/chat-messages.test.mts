import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, fileItem, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 5: Models in pages, Chat completions. */
const fixture = useFixture({ part: 'intelligence' });
const PATH = '/intelligence/api/v1/chat/completions';
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const messages = [{ role: 'user', content: 'Why?' }];

const complete = (options: IDataObject = {}, more: IDataObject = {}) =>
	chat('chat', 'complete', {
		model: locator(MODEL),
		input: 'messages',
		messages: { values: messages },
		options,
		simplify: false,
		...more,
	});
const bodyOf = async (options: IDataObject, more: IDataObject = {}) => {
	await fixture.run(complete(options, more));
	return fixture.sandbox.requests.at(-1)?.body as IDataObject;
};
const post = async (changes: object) =>
	await fixture.client.post(PATH, { model: MODEL, messages, ...changes });

describe('messages', () => {
	it('[chat.roles] [chat.tool_call_id] developer, system, user, assistant, tool, the last with its call', async () => {
		const values = ['developer', 'system', 'user', 'assistant'].map((role) => ({
			role,
			content: 'x',
		}));
		const body = await bodyOf(
			{},
			{ messages: { values: [...values, { role: 'tool', content: '{}', toolCallId: 'call_1' }] } },
		);
		expect(body.messages).toEqual([
			...values,
			{ role: 'tool', content: '{}', tool_call_id: 'call_1' },
		]);
		expect(violations(await post({ messages: [{ role: 'robot', content: 'x' }] }))).toEqual([
			'body.messages.0.role: enum',
		]);
	});

	it('[chat.content.parts] text, and image_url with url and detail', async () => {
		const values = [{ role: 'user', content: 'Look', images: ['https://images.example/a.png'] }];
		const parts = [
			{ type: 'text', text: 'Look' },
			{ type: 'image_url', image_url: { url: 'https://images.example/a.png', detail: 'low' } },
		];
		expect((await bodyOf({ imageDetail: 'low' }, { messages: { values } })).messages).toEqual([
			{ role: 'user', content: parts },
		]);
		expect((await post({ messages: [{ role: 'user', content: parts }] })).status).toBe(200);
	});

	it('[chat.images.count] at most 10 in a request', async () => {
		const images = (count: number) => ({
			messages: {
				values: [
					{
						role: 'user',
						content: 'x',
						images: Array.from({ length: count }, () => 'https://a.example/b.png'),
					},
				],
			},
		});
		expect(at(await bodyOf({}, images(10)), 'messages', 0, 'content')).toHaveLength(11);
		expect(errorOf(await fixture.run(complete({}, images(11)))).message).toBe(
			'A request may contain at most 10 images, got 11',
		);
	});

	it.each([
		['jpeg', true],
		['png', true],
		['webp', true],
		['gif', true],
		['bmp', false],
	])('[chat.images.kind] JPEG, PNG, WEBP or GIF: %s', async (kind, isTaken) => {
		const node = complete(
			{},
			{ messages: { values: [{ role: 'user', content: 'x', images: ['data'] }] } },
		);
		const run = await fixture.engine.runItems(node, [
			fileItem(`a.${kind}`, 'bytes', `image/${kind}`),
		]);
		if (isTaken) expect(onlyJson(run)).toHaveProperty('choices');
		else expect(errorOf(run).message).toContain('must be JPEG, PNG, WEBP or GIF, got "image/bmp"');
	});
});

describe('reasoning, errors, pages', () => {
	it('[chat.reasoning_tokens] reasoning_content and usage.completion_tokens_details.reasoning_tokens', async () => {
		const item = onlyJson(await fixture.run(complete({ reasoningContent: true })));
		expect(at(item, 'choices', 0, 'message', 'reasoning_content')).toEqual(expect.any(String));
		expect(at(item, 'usage', 'completion_tokens_details', 'reasoning_tokens')).toBeGreaterThan(0);
	});

	it.each([
		[400, 'Request rejected (400): no'],
		[402, 'Payment required (402): no'],
		[403, 'Permission denied (403): no'],
		[429, 'Rate limit or quota exceeded (429): no'],
	])('[chat.errors.%d] is an error in the words of the service', async (status, message) => {
		fixture.sandbox.faults.add({ times: Infinity, ...errorForms.detailString(status, 'no') });
		expect(errorOf(await fixture.run(complete())).message).toBe(message);
	});

	it('[model.paged] [model.paged.name] a list in pages is read to its end, and its name is what a request takes', async () => {
		const page = (number: number, more: boolean) => ({
			data: [{ model_id: `id-${number}`, name: `model-${number}` }],
			pagination: {
				total: 2,
				page: number,
				page_size: 1,
				total_pages: 2,
				has_next: more,
				has_previous: number > 1,
			},
		});
		const post = () =>
			[page(1, true), page(2, false)].forEach((body) =>
				fixture.sandbox.faults.add({ match: { path: /models$/ }, status: 200, body }),
			);
		post();
		expect(
			jsonOf(await fixture.run(chat('model', 'getAll', { returnAll: true }))).map(
				({ name }) => name,
			),
		).toEqual(['model-1', 'model-2']);
		expect(fixture.sandbox.requests.map(({ query }) => query)).toEqual([
			{},
			{ page: ['2'], page_size: ['1'] },
		]);
		post();
		expect(
			(await fixture.engine.search(complete(), 'searchModels')).results.map(({ value }) => value),
		).toEqual(['model-1', 'model-2']);
	});
});
