import { describe, expect, it } from 'vitest';
import { errorOf, texts, turn, useStage } from './stage.mts';
import { fresh, stored, Talks } from './talks.mts';
import type { Said } from './service.mts';

const stage = useStage();

describe.each([1_000, 5_000, 60_000])('where reads are %i ms behind writes', (lagMs) => {
	it('the turns of a session are in one conversation, in their order', async () => {
		const talks = new Talks(stage);
		talks.lagMs = lagMs;
		const key = fresh();
		for (const question of ['a', 'b', 'c']) {
			const memory = await stage.memory(key);
			await memory.getMessages();
			await turn(memory, question);
			stage.clock += 300;
		}
		stage.clock += 120_000;
		expect(talks.all.map((one) => talks.texts(one))).toEqual([['a', 'A', 'b', 'B', 'c', 'C']]);
		const whole = ['u:a', 'a:A', 'u:b', 'a:B', 'u:c', 'a:C'];
		expect(texts(await (await stage.memory(key)).getMessages())).toEqual(whole);
		expect(texts(await (await stage.memory(key, 'second')).getMessages())).toEqual(whole);
	});
});

it('a message whose answer is lost while reads are behind does not divide its session', async () => {
	const talks = new Talks(stage);
	talks.lagMs = 5_000;
	let count = 0;
	talks.said = (value) => (count++ === 0 ? { isCut: true } : { body: { results: value } });
	const key = fresh();
	await turn(await stage.memory(key), 'a');
	stage.clock += 60_000;
	await turn(await stage.memory(key), 'b');
	expect(talks.all).toHaveLength(1);
});

/** What says with 200 that nothing was done. */
const NO: Array<[world: string, said: Said]> = [
	['false', { body: 'false' }],
	['false as its results', { body: { results: false } }],
	['success: false', { body: { results: { success: false } } }],
	['created: false', { body: { results: { created: false, deleted: false } } }],
	['an error', { body: { results: { error: 'locked' } } }],
];

describe.each(NO)('an answer of %s', (_world, said) => {
	it('to a message is an error: it is not stored', async () => {
		const talks = new Talks(stage);
		const key = fresh();
		const talk = talks.create(key);
		stage.service.answer = (call) => (call.id === 'messages' ? said : talks.answer(call));
		const error = await errorOf(turn(await stage.memory(key), 'a'));
		expect(talks.texts(talk)).toEqual([]);
		expect(error).toBeDefined();
	});

	it('to a deletion is an error: all messages are there', async () => {
		const talks = new Talks(stage);
		const key = fresh();
		talks.create(key, [stored('m1', 'user', 'secret')]);
		stage.service.answer = (call) => (call.line.startsWith('DELETE') ? said : talks.answer(call));
		expect(await errorOf((await stage.memory(key)).clear())).toBeDefined();
	});
});

it('a conversation of several pages is read whole, among several pages of others', async () => {
	const talks = new Talks(stage);
	talks.pageSize = 2;
	const key = fresh();
	for (const name of ['x', `${key}-2`, 'y', `not ${key}`, 'z']) talks.create(name);
	const messages = [1, 2, 3, 4, 5].map((n) =>
		stored(`m${n}`, n % 2 === 1 ? 'user' : 'assistant', [{ type: 'text', text: `t${n}` }]),
	);
	const own = talks.create(key, messages);
	const memory = await stage.memory(key);
	const said = ['u:t1', 'a:t2', 'u:t3', 'a:t4', 'u:t5'];
	expect(texts(await memory.getMessages())).toEqual(said);
	await turn(memory, 'n');
	expect(texts(await memory.getMessages())).toEqual([...said, 'u:n', 'a:N']);
	expect(own.messages.slice(-2).map(({ value }) => value.parent_id)).toEqual(['m5', 'm6']);
	expect(talks.all).toHaveLength(6);
});

describe('a conversation that is deleted between the two messages of a turn', () => {
	it.each([0, 5_000])('loses neither of them in silence (reads behind: %i ms)', async (lagMs) => {
		const talks = new Talks(stage);
		const key = fresh();
		const talk = talks.create(key, [stored('m1', 'user', 'old')]);
		stage.clock += 60_000;
		talks.lagMs = lagMs;
		stage.service.answer = (call) => {
			const said = talks.answer(call);
			if (call.id === 'messages' && talk.gone === Infinity) talk.gone = stage.now();
			return said;
		};
		const error = await errorOf(turn(await stage.memory(key), 'a'));
		const kept = talks.all.flatMap((one) => talks.texts(one));
		expect(kept.includes('A') || error !== undefined).toBe(true);
		stage.clock += 60_000;
		await turn(await stage.memory(key), 'b');
		stage.clock += 60_000;
		expect(texts(await (await stage.memory(key)).getMessages()).slice(-2)).toEqual(['u:b', 'a:B']);
	});
});
