import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { chat, locator, rag } from '../../engine/nodes.mts';
import { DONE, event, events, whole, type Json } from './service.mts';
import { CHAT, DOCUMENTS, QUESTION, useStage } from './stage.mts';

const stage = useStage();

describe('the arguments of a tool call, as an agent parses them', () => {
	const ARGUMENTS =
		'{"id":1234567890123456789,"ids":[-1234567890123456788],"text":"1234567890123456789","n":2}';
	const EXACT = {
		id: '1234567890123456789',
		ids: ['-1234567890123456788'],
		text: '1234567890123456789',
		n: 2,
	};
	const called = { id: 'a', type: 'function', function: { name: 'destroy', arguments: ARGUMENTS } };

	it('keep all digits of IDs, streamed', async () => {
		const parts = [
			event({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...called }] } }] }),
			event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
		];
		stage.service.on(CHAT, events([...parts, DONE]));
		const heard: Json[] = [];
		for await (const one of (await stage.model(['destroy'])).stream(QUESTION)) heard.push(one);
		const { argumentsDelta } = heard.find(({ type }) => type === 'tool-call-delta') ?? {};
		expect(JSON.parse(String(argumentsDelta))).toEqual(EXACT);
	});

	it('keep all digits of IDs, whole', async () => {
		const message = { role: 'assistant', content: null, tool_calls: [called] };
		stage.service.on(
			CHAT,
			whole({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
		);
		const { content } = (await (await stage.model(['destroy'])).generate(QUESTION)).message;
		const { input } = content.find(({ type }) => type === 'tool-call') ?? {};
		expect(JSON.parse(String(input))).toEqual(EXACT);
	});
});

describe('Delete Many with numbers of 19 digits', () => {
	const deleteMany = async (filtersJson: string) => {
		stage.service.on(
			DOCUMENTS,
			whole(
				'{"results":[{"id":"old","metadata":{"batch":1234567890123456780}},{"id":"new","metadata":{"batch":1234567890123456789}}],"total_entries":2}',
			),
		);
		stage.service.on(/^DELETE /, whole({ results: { success: true } }));
		const filters = { filtersJson };
		return await stage.run(rag('document', 'deleteMany', { filters, limit: 10, dryRun: false }));
	};

	it.each([
		'{"metadata.batch": {"$ne": 1234567890123456789}}',
		'{"metadata.batch": {"$nin": [1234567890123456789]}}',
		'{"$and": [{"batch": {"$lt": 1234567890123456789}}]}',
		'{"batch": 1234567890123456789}',
	])('deletes nothing where they may be rounded: %s', async (filter) => {
		const { message } = await deleteMany(filter);
		expect(message).toContain('whose last digits may be lost');
		expect(stage.service.of(/^DELETE /)).toEqual([]);
	});

	it.each([
		'{"batch": {"$ne": "1234567890123456789"}}',
		'{"batch": {"$lte": "1234567890123456780"}}',
		'{"batch": {"$lt": "1234567890123456789"}}',
	])('deletes what passes, to the last digit: %s', async (filter) => {
		const { items } = await deleteMany(filter);
		expect(items.map(({ document_id: id }: IDataObject) => id)).toEqual(['old']);
	});
});

it('messages of the memory that come in parts are read', async () => {
	const results = [{ id: 'c', name: 'parts', created_at: '2026-01-01' }];
	stage.service.on(/^GET .*\/conversations$/, whole({ results, total_entries: 1 }));
	stage.service.on(
		/^GET .*\/conversations\/c$/,
		whole({
			results: [
				{ id: 'm', message: { role: 'user', content: [{ type: 'text', text: 'As parts' }] } },
			],
		}),
	);
	const messages = await (await stage.memory('parts')).getMessages();
	expect(messages).toMatchObject([{ role: 'user', content: [{ type: 'text', text: 'As parts' }] }]);
});

it('a vector with NaN is an error that says so and has the others', async () => {
	stage.service.on(
		/^POST .*\/embeddings$/,
		whole('{"data":[{"index":0,"embedding":[0.25]},{"index":1,"embedding":[NaN]}]}'),
	);
	const node = chat('embedding', 'create', {
		model: locator('m'),
		input: ['a', 'b'],
		options: {},
	});
	const { message, known } = await stage.run(node);
	expect(message).toContain('a text without a vector');
	expect(JSON.stringify(known)).toContain('0.25');
});
