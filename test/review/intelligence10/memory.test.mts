import { describe, expect, it } from 'vitest';
import { Conversations } from './conversations.mts';
import type { Fields } from './service.mts';
import { failureOf, newSession, said, spoken, useStage } from './stage.mts';

// Independent review: memory
const stage = useStage();

const TURN = [said('user', 'q'), said('assistant', 'a')];
const BOTH = ['user: q', 'assistant: a'];

/** Answers to a deletion that was not done, or is not done yet. */
const KEPT: Array<[world: string, json: Fields]> = [
	['success: false', { results: { success: false, message: 'locked' } }],
	['deleted: 0', { results: { deleted: 0 } }],
	['deleted: false beside the ID', { results: { id: 'c1', deleted: false } }],
	['deleted_count: 0', { results: { deleted_count: 0 } }],
	['an empty list of what was deleted', { results: { deleted: [], failed: ['c1'] } }],
	['a task', { results: { message: 'Deletion queued', task_id: 't1' } }],
	['a yes, and nothing is done', { results: { success: true } }],
];

describe.each(KEPT)('a conversation whose deletion is answered with %s', (_world, json) => {
	it('is not called cleared', async () => {
		const talks = new Conversations(stage.service);
		const key = newSession();
		talks.begin(key, [['user', 'secret']]);
		talks.instead = ({ method }) => (method === 'DELETE' ? { json } : undefined);
		const error = await failureOf((await stage.memory(key)).clear());
		const left = await (await stage.memory(key, 'second')).getMessages();
		expect(error === undefined ? spoken(left) : []).toEqual([]);
	});
});

describe('a message that the service refuses for now', () => {
	it.each([429, 503])('is stored after the time that it names (%i)', async (status) => {
		const talks = new Conversations(stage.service);
		const key = newSession();
		const talk = talks.begin(key);
		let refusals = 0;
		talks.instead = ({ path }) =>
			path.endsWith('/messages') && refusals++ === 0
				? { status, headers: { 'retry-after': '1' }, json: { message: 'slow down' } }
				: undefined;
		const error = await failureOf((await stage.memory(key)).addMessages(TURN));
		expect(error?.message ?? '').toBe('');
		expect(talks.has(talk)).toEqual(BOTH);
	});
});

describe('a turn whose answer is refused', () => {
	it.each([400, 429, 500])('has its question once when it is stored again (%i)', async (status) => {
		const talks = new Conversations(stage.service);
		const key = newSession();
		const talk = talks.begin(key);
		let isDown = true;
		talks.instead = ({ path, json }) =>
			path.endsWith('/messages') && json.role === 'assistant' && isDown
				? { status, json: { message: 'no' } }
				: undefined;
		const memory = await stage.memory(key);
		const error = await failureOf(memory.addMessages(TURN));
		expect(error).toBeDefined();
		isDown = false;
		await memory.addMessages(TURN);
		expect(talks.has(talk)).toEqual(BOTH);
	});
});

describe('a read that shows the last messages alone', () => {
	it.each([true, false])('has each message once, and in order (with IDs: %s)', async (hasIds) => {
		const talks = new Conversations(stage.service);
		const key = newSession();
		const history = Array.from({ length: 60 }, (_, at): [string, string] => [
			at % 2 === 0 ? 'user' : 'assistant',
			`t${at}`,
		]);
		talks.begin(key, history);
		talks.window = (messages) => messages.slice(-20);
		talks.show = (message) => (hasIds ? message : { message: message.message });
		const memory = await stage.memory(key);
		await memory.addMessages(TURN);
		const shown = spoken(await memory.getMessages());
		expect(shown.slice(-2)).toEqual(BOTH);
		expect(shown.filter((one) => one === 'user: q')).toHaveLength(1);
		await memory.addMessages([said('user', 'r'), said('assistant', 's')]);
		expect(spoken(await memory.getMessages()).slice(-4)).toEqual([
			...[...BOTH, 'user: r', 'assistant: s'],
		]);
	});
});

describe('an answer to a message that is lost', () => {
	it.each([
		['stored', true],
		['not stored', false],
	])('stores it once, also where it is said for the third time (%s)', async (_world, isStored) => {
		const talks = new Conversations(stage.service);
		const key = newSession();
		const talk = talks.begin(key, [
			['user', 'q'],
			['assistant', 'a'],
			['user', 'q'],
			['assistant', 'a'],
		]);
		let lost = 0;
		talks.instead = (request) => {
			if (!request.path.endsWith('/messages') || lost++ > 0) return undefined;
			if (isStored) talks.answer(request);
			return { isLost: true };
		};
		await (await stage.memory(key)).addMessages(TURN);
		expect(talks.has(talk)).toEqual([...BOTH, ...BOTH, ...BOTH]);
	});
});

describe('the roles of a conversation', () => {
	it.each<[string, Array<[string, string]>]>([
		['an answer first', [['assistant', 'welcome']]],
		[
			'two questions in a row',
			[
				['user', 'one'],
				['user', 'two'],
				['assistant', 'both'],
			],
		],
		[
			'tools between',
			[
				['user', 'one'],
				['tool', '{"x":1}'],
				['assistant', 'two'],
			],
		],
		[
			'the rules in the middle',
			[
				['user', 'one'],
				['system', 'rules'],
				['assistant', 'two'],
			],
		],
		[
			'in capitals',
			[
				['USER', 'one'],
				['ASSISTANT', 'two'],
			],
		],
	])('keep their texts and their order: %s', async (_world, history) => {
		const talks = new Conversations(stage.service);
		const key = newSession();
		const talk = talks.begin(key, history);
		const memory = await stage.memory(key);
		await memory.addMessages(TURN);
		const known = history
			.filter(([role]) => role !== 'tool')
			.map(([role, text]) => `${role.toLowerCase()}: ${text}`);
		expect(spoken(await memory.getMessages())).toEqual([...known, ...BOTH]);
		expect(talks.has(talk).slice(-2)).toEqual(BOTH);
	});
});

it('a read that fails is an error, and no empty history', async () => {
	const talks = new Conversations(stage.service);
	const key = newSession();
	talks.begin(key, [['user', 'one']]);
	talks.instead = ({ method, path }) =>
		method === 'GET' && path.startsWith('/conversations/') ? { status: 500, json: {} } : undefined;
	expect(await failureOf((await stage.memory(key)).getMessages())).toBeDefined();
});

describe('two executions that begin a session', () => {
	it.each([false, true])('keep all turns, in one conversation (%s)', async (isLost) => {
		const talks = new Conversations(stage.service);
		const key = newSession();
		let lost = 0;
		talks.instead = (request) => {
			if (!isLost || request.method !== 'POST' || lost++ > 0) return undefined;
			talks.answer(request);
			return { isLost: true };
		};
		await Promise.all(
			['1', '2', '3'].map(async (one) => {
				const memory = await stage.memory(key);
				await memory.addMessages([said('user', `q${one}`), said('assistant', `a${one}`)]);
			}),
		);
		expect(talks.all).toHaveLength(1);
		const has = talks.all.flatMap((one) => talks.has(one));
		expect(has).toHaveLength(6);
		for (let at = 0; at < 6; at += 2)
			expect(has[at + 1]).toBe(has[at]?.replace('user: q', 'assistant: a'));
	});
});

it('Clear deletes all of several pages of a list that shifts', async () => {
	const talks = new Conversations(stage.service);
	const key = newSession();
	for (let at = 0; at < 130; at++) talks.begin(at % 2 === 0 ? key : `other-${at}`, [['user', 'x']]);
	await (await stage.memory(key)).clear();
	expect(talks.all.map(({ name }) => name)).not.toContain(key);
	expect(talks.all).toHaveLength(65);
});
