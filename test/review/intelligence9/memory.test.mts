import { describe, expect, it } from 'vitest';
import { NOT_FOUND, type Json } from '../intelligence7/service.mts';
import { errorOf, texts, turn, useStage } from '../intelligence7/stage.mts';
import { fresh, HISTORY, stored, Talks, type Talk } from '../intelligence7/talks.mts';

// Independent review: conversations
const stage = useStage();

describe('two processes that begin a session at the same moment', () => {
	it.each([0, 500, 3_000])(
		'are in one conversation as soon as the list has both (%i ms behind)',
		async (lagMs) => {
			const talks = new Talks(stage);
			talks.lagMs = lagMs;
			const key = fresh();
			let other: Talk | undefined;
			talks.gateway(({ line }) => {
				if (line === 'POST /conversations') {
					other ??= talks.create(key);
					stage.clock += 10;
				}
				return undefined;
			});
			const own = await stage.memory(key);
			await turn(own, 'a');
			stage.clock += 300_000;
			await turn(await stage.memory(key), 'b');
			stage.clock += 300_000;
			await turn(await stage.memory(key, 'second'), 'c');
			stage.clock += 300_000;
			const [mine, theirs] = [
				texts(await (await stage.memory(key)).getMessages()),
				await stage.found(key),
			];
			expect(mine).toContain('u:c');
			expect(theirs).toContain('u:b');
		},
	);
});

it('a session is empty after Clear, also where several conversations have its name', async () => {
	const talks = new Talks(stage);
	const key = fresh();
	talks.create(key, [...HISTORY]);
	stage.clock += 10;
	talks.create(key, [stored('n1', 'user', 'secret'), stored('n2', 'assistant', 'SECRET')]);
	const memory = await stage.memory(key);
	await memory.getMessages();
	await memory.clear();
	expect(texts(await (await stage.memory(key)).getMessages())).toEqual([]);
});

describe('a service that does not keep the name of a conversation', () => {
	it.each<[string, (name: string) => string | null, (view: Json) => Json]>([
		['it answers null, and has null', () => null, (view) => view],
		['it answers with the ID alone, and has null', () => null, ({ id }) => ({ id })],
		[
			'it answers with the ID alone, and has another name',
			(name) => name.toLowerCase(),
			({ id }) => ({ id }),
		],
		['it answers with a part of it', (name) => name.slice(0, 9), (view) => view],
	])('%s: a new start of n8n finds it, or an error says so', async (_world, nameOf, answer) => {
		const talks = new Talks(stage);
		const key = `Session-${fresh()}`;
		talks.gateway(({ line, body }) => {
			if (line !== 'POST /conversations') return undefined;
			const talk = talks.create(nameOf(String(body.name)) as string);
			const view = { id: talk.id, name: talk.name, created_at: new Date(talk.at).toISOString() };
			return { body: { results: answer(view) } };
		});
		const error = await errorOf(turn(await stage.memory(key), 'a'));
		if (error === undefined) expect(await stage.found(key)).toEqual(['u:a', 'a:A']);
		else expect(error.message).toMatch(/name/);
	});
});

it('an answer to a message with the conversation in it is not taken for the message', async () => {
	const talks = new Talks(stage);
	const key = fresh();
	const talk = talks.create(key, [...HISTORY]);
	talks.said = () => ({
		body: {
			results: { id: talk.id, name: key, messages: talk.messages.map(({ value }) => value) },
		},
	});
	talks.gateway(({ id, body }) => {
		if (id !== 'messages') return undefined;
		const ids = talk.messages.map(({ value }) => value.id);
		const isKnown = (body.parent_id ?? null) === null || ids.includes(body.parent_id);
		return isKnown ? undefined : { status: 400, body: { message: 'Parent message not found' } };
	});
	expect(await errorOf(turn(await stage.memory(key), 'a'))).toBeUndefined();
	expect(talks.texts(talk)).toEqual(['old', 'OLD', 'a', 'A']);
	expect(texts(await (await stage.memory(key)).getMessages())).toEqual([
		...['u:old', 'a:OLD', 'u:a', 'a:A'],
	]);
});

it('a message that is stored, and its answer lost, comes once', async () => {
	const talks = new Talks(stage);
	const key = fresh();
	const talk = talks.create(key, [...HISTORY]);
	talks.gateway((call) => {
		if (call.id !== 'messages' || call.nth > 0) return undefined;
		talks.answer(call);
		return { isCut: true };
	});
	expect(await errorOf(turn(await stage.memory(key), 'a'))).toBeUndefined();
	expect(talks.texts(talk)).toEqual(['old', 'OLD', 'a', 'A']);
});

describe('executions side by side in one session', () => {
	it('keep each question with its answer', async () => {
		const talks = new Talks(stage);
		const key = fresh();
		await Promise.all(
			['a', 'b', 'c', 'a'].map(async (text) => await turn(await stage.memory(key), text)),
		);
		expect(talks.all).toHaveLength(1);
		const all = texts(await (await stage.memory(key)).getMessages());
		expect(all).toHaveLength(8);
		for (let at = 0; at < 8; at += 2)
			expect(all[at + 1]).toBe(`a:${all[at]?.slice(2).toUpperCase()}`);
	});
});

it.each([202, 200])(
	'a conversation whose list is late is cleared for good (%i)',
	async (status) => {
		const talks = new Talks(stage);
		const key = fresh();
		talks.create(key, [...HISTORY]);
		stage.clock += 600_000;
		talks.lagMs = 60_000;
		talks.gateway((call) => {
			if (!call.line.startsWith('DELETE')) return undefined;
			const said = talks.answer(call);
			return said === NOT_FOUND ? said : { ...said, status };
		});
		const memory = await stage.memory(key);
		await memory.clear();
		expect(texts(await memory.getMessages())).toEqual([]);
		await turn(memory, 'a');
		stage.clock += 120_001;
		expect(texts(await (await stage.memory(key)).getMessages())).toEqual(['u:a', 'a:A']);
		expect(await stage.found(key)).toEqual(['u:a', 'a:A']);
	},
);

it.each([20, 100])(
	'a long conversation in pages of %i ends with its last turn',
	async (pageSize) => {
		const talks = new Talks(stage);
		const key = fresh();
		const messages = Array.from({ length: 250 }, (_, at) =>
			stored(`h${at}`, at % 2 === 0 ? 'user' : 'assistant', `t${at % 6}`),
		);
		talks.create(key, messages);
		talks.pageSize = pageSize;
		await turn(await stage.memory(key), 'z');
		const all = await stage.found(key);
		expect(all).toHaveLength(252);
		expect(all.slice(-2)).toEqual(['u:z', 'a:Z']);
	},
);
