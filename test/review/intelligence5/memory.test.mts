import { expect, it } from 'vitest';
import { rag } from '../../engine/nodes.mts';
import {
	CONVERSATION,
	CONVERSATIONS,
	CREATE,
	DELETE,
	fresh,
	MESSAGES,
	stored,
	talks,
} from './talks.mts';
import { lost, whole } from '../intelligence4/service.mts';
import { useStage } from '../intelligence4/stage.mts';
import { by } from './service.mts';
import { KEY, say, texts } from './stage.mts';

const stage = useStage(KEY);

it('another process reads two turns', async () => {
	talks(stage);
	const key = fresh();
	await (await stage.memory(key)).addMessages([say('user', 'a'), say('assistant', 'b')]);
	await (await stage.memory(key)).addMessages([say('user', 'c'), say('assistant', 'd')]);
	const other = await stage.memory(key, 'second');
	expect(texts(await other.getMessages())).toEqual(['u:a', 'a:b', 'u:c', 'a:d']);
});

it('the answer to the creation of a conversation is lost, and the list is 5 s behind: there is one', async () => {
	const { all, create } = talks(stage, { lagMs: 5_000 });
	const key = fresh();
	stage.service.on(
		CREATE,
		by(({ json }, nth) => {
			const { id, name } = create(json.name);
			return nth === 0 ? lost : whole({ results: { id, name } });
		}),
	);
	await (await stage.memory(key)).addMessages([say('user', 'a'), say('assistant', 'b')]);
	stage.clock += 60_000;
	expect(all).toHaveLength(1);
	const other = await stage.memory(key, 'second');
	expect(texts(await other.getMessages())).toEqual(['u:a', 'a:b']);
});

it('messages that come newest first are in their order', async () => {
	talks(stage, { newestFirst: true });
	const key = fresh();
	for (const n of [1, 2, 3])
		await (await stage.memory(key)).addMessages([say('user', `q${n}`), say('assistant', `a${n}`)]);
	const got = texts(await (await stage.memory(key)).getMessages());
	expect(got).toEqual(['u:q1', 'a:a1', 'u:q2', 'a:a2', 'u:q3', 'a:a3']);
});

it('Conversation > Get with a limit has the last messages, though they come newest first', async () => {
	const { create } = talks(stage, { newestFirst: true });
	create(
		'x',
		['1', '2', '3', '4'].map((n) => ({
			...stored(`m${n}`, 'user', n),
			created_at: `2026-01-01T00:00:0${n}Z`,
		})),
	);
	const { items } = await stage.run(
		rag('conversation', 'get', { conversationId: '1', returnAll: false, limit: 2 }),
	);
	expect(items.map(({ id }) => id)).toEqual(['m3', 'm4']);
});

it('a deletion that is accepted with 202 and done 3 s later takes no message that comes after it', async () => {
	const { all } = talks(stage);
	stage.service.on(
		DELETE,
		by(() => {
			for (const one of all) one.gone = stage.now() + 3_000;
			return whole({ results: { message: 'queued' } }, 202);
		}),
	);
	const key = fresh();
	const memory = await stage.memory(key);
	await memory.addMessages([say('user', 'old'), say('assistant', 'old')]);
	// n8n's Chat Memory Manager, Insert with Override All Messages
	await memory.clear();
	await memory.addMessages([say('user', 'new'), say('assistant', 'new')]);
	expect(texts(await (await stage.memory(key)).getMessages())).toEqual(['u:new', 'a:new']);
	stage.clock += 10_000;
	expect(texts(await (await stage.memory(key)).getMessages())).toEqual(['u:new', 'a:new']);
});

it('a conversation that is cleared takes no message, though the list shows it for 5 s more', async () => {
	talks(stage, { ghostMs: 5_000, total: (count) => count });
	const key = fresh();
	const memory = await stage.memory(key);
	await memory.addMessages([say('user', 'old')]);
	await memory.clear();
	await memory.addMessages([say('user', 'new'), say('assistant', 'answer')]);
	stage.clock += 10_000;
	const other = await stage.memory(key, 'second');
	expect(texts(await other.getMessages())).toEqual(['u:new', 'a:answer']);
});

it('two copies of the list in turn, one with a conversation that was deleted: it is empty, after few requests', async () => {
	talks(stage);
	const key = fresh();
	const memory = await stage.memory(key);
	await memory.addMessages([say('user', 'a')]);
	stage.service.asked = [];
	stage.service.on(CONVERSATION, whole({ message: 'Conversation not found' }, 404));
	const row = { id: 1, name: key, created_at: '2026-01-01T00:00:00Z' };
	stage.service.on(
		CONVERSATIONS,
		by((_asked, nth) => {
			const results = nth % 2 === 1 ? [row] : [];
			return whole({ results, total_entries: results.length });
		}),
	);
	expect(await memory.getMessages()).toEqual([]);
	expect(stage.service.asked.length).toBeLessThan(50);
});

it('of two conversations with the name the older one counts: 9, not 10, where IDs are numbers without dates', async () => {
	const { create } = talks(stage, { firstId: 9, dates: false });
	const key = fresh();
	create(key, [stored('m1', 'user', 'first')]);
	create(key, [stored('m1', 'user', 'second')]);
	expect(texts(await (await stage.memory(key)).getMessages())).toEqual(['u:first']);
});

it('two executions at once in one session write one row of messages, and go on after a deletion elsewhere', async () => {
	const { all } = talks(stage);
	const key = fresh();
	const [one, two] = [await stage.memory(key), await stage.memory(key)];
	await Promise.all([
		one.addMessages([say('user', 'a'), say('assistant', 'A')]),
		two.addMessages([say('user', 'b'), say('assistant', 'B')]),
	]);
	expect(all).toHaveLength(1);
	const parents = all[0]?.messages.map(({ parent_id }) => parent_id);
	expect(parents).toEqual([null, 'm1', 'm2', 'm3']);
	for (const talk of all) talk.gone = 0;
	await one.addMessages([say('user', 'c'), say('assistant', 'C')]);
	expect(texts(await two.getMessages())).toEqual(['u:c', 'a:C']);
	expect(all).toHaveLength(2);
});

it('messages whose answers are lost are there once, equal ones too', async () => {
	const { all, add } = talks(stage);
	stage.service.on(
		MESSAGES,
		by((asked, nth) => {
			const results = add(asked);
			return nth % 2 === 0 ? lost : whole({ results });
		}),
	);
	const memory = await stage.memory(fresh());
	await memory.addMessages([say('user', 'same'), say('assistant', 'same'), say('user', 'same')]);
	expect(all[0]?.messages.map(({ message }) => message.role)).toEqual([
		'user',
		'assistant',
		'user',
	]);
});

it('where an answer was given twice, a conversation goes on from the last one', async () => {
	const { all, create } = talks(stage);
	const key = fresh();
	create(key, [
		stored('1', 'user', 'q'),
		stored('2', 'assistant', 'bad', '1'),
		stored('3', 'assistant', 'good', '1'),
	]);
	const memory = await stage.memory(key);
	await memory.addMessages([say('user', 'next')]);
	expect(texts(await memory.getMessages())).toEqual(['u:q', 'a:bad', 'a:good', 'u:next']);
	expect(all[0]?.messages.at(-1)).toMatchObject({ parent_id: '3' });
});
