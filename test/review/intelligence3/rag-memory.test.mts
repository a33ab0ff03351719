import { beforeEach, describe, expect, it } from 'vitest';
import { subNode } from '../../engine/nodes.mts';
import { useStage } from '../intelligence2/play.mts';
import { json, type Fields } from '../intelligence2/service.mts';

const stage = useStage();
const LIST = /^GET \/api\/rag\/v3\/conversations$/;
const ONE = /^GET \/api\/rag\/v3\/conversations\/[^/]+$/;
const ADD = /^POST \/api\/rag\/v3\/conversations\/[^/]+\/messages$/;
const CREATE = /^POST \/api\/rag\/v3\/conversations$/;

interface History {
	getMessages(): Promise<Fields[]>;
	addMessages(messages: Fields[]): Promise<void>;
}
let session = 4_000;
beforeEach(() => session++);
const memory = async () =>
	(
		await stage.engine.supply(
			subNode('memoryCompute', {
				sessionIdType: 'customKey',
				sessionKey: String(session),
				contextWindowLength: 5,
			}),
		)
	).response as unknown as History;
const said = (text: string, more: Fields = {}): Fields => ({
	role: 'user',
	content: [{ type: 'text', text }],
	...more,
});
const listed = (entries: unknown) => json({ results: entries, total_entries: 1 });

describe('what a message has', () => {
	beforeEach(() => stage.service.when(LIST, listed([{ id: 'c', name: String(session) }])));

	it('its name is stored with it, and comes back', async () => {
		const stored: Fields[] = [];
		stage.service.when(ONE, (response, heard, nth) =>
			json({ results: stored, total_entries: stored.length })(response, heard, nth),
		);
		stage.service.when(ADD, (response, heard, nth) => {
			const { role, content, metadata } = heard.body ?? {};
			stored.push({ id: `m${nth}`, message: { role, content }, metadata });
			return json({ results: stored.at(-1) })(response, heard, nth);
		});
		await (await memory()).addMessages([said('Hi', { name: 'Anna' }), said('and I')]);
		expect(stage.service.asked(ADD).map(({ body }) => body)).toEqual([
			{ role: 'user', content: 'Hi', metadata: { name: 'Anna' } },
			{ role: 'user', content: 'and I', parent_id: 'm0' },
		]);
		expect(await (await memory()).getMessages()).toEqual([
			{ id: 'm0', ...said('Hi', { name: 'Anna' }) },
			{ id: 'm1', ...said('and I') },
		]);
	});

	it.each([
		['in the message', { message: { role: 'user', content: 'Hi', name: 'Anna' } }],
		['beside the message', { role: 'user', content: 'Hi', name: 'Anna' }],
		['in its metadata', { message: { role: 'user', content: 'Hi', metadata: { name: 'Anna' } } }],
	])('a name %s is read', async (_, entry) => {
		stage.service.when(ONE, listed([{ id: 'm', ...entry }]));
		expect(await (await memory()).getMessages()).toMatchObject([said('Hi', { name: 'Anna' })]);
	});

	it.each([
		['42', 42],
		['0', 0],
		['1234567890123456789', '1234567890123456789'],
	])('a content that is the number %s is a text', async (text, number) => {
		const entry = `{"id":"m","message":{"role":"user","content":${number}}}`;
		stage.service.when(ONE, json(`{"results":[${entry}],"total_entries":1}`));
		expect(await (await memory()).getMessages()).toMatchObject([said(text)]);
	});
});

describe('a conversation', () => {
	it('whose name is shown as a number is that of the session', async () => {
		stage.service.when(LIST, listed([{ id: 'c', name: session }]));
		stage.service.when(ONE, listed([{ id: 'm', message: { role: 'user', content: 'Hi' } }]));
		expect(await (await memory()).getMessages()).toMatchObject([said('Hi')]);
	});

	it('is created once where the service answers with numbers; its ID of 19 digits stays exact', async () => {
		stage.service.when(LIST, json({ results: [], total_entries: 0 }));
		const created = `{"results":{"id":1234567890123456789,"name":${session}}}`;
		stage.service.when(CREATE, json(created));
		stage.service.when(ADD, json({ results: { id: 'm' } }));
		await (await memory()).addMessages([said('Hi')]);
		expect(stage.service.asked(/^POST/).map(({ line }) => line)).toEqual([
			'POST /api/rag/v3/conversations',
			'POST /api/rag/v3/conversations/1234567890123456789/messages',
		]);
	});
});
