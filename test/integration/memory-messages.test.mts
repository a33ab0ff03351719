import { describe, expect, it } from 'vitest';
import { until } from '../engine/time.mts';
import { hangUp, json, type Answer, type Fields } from '../review/intelligence2/service.mts';
import {
	ADD,
	CREATE,
	READ,
	say,
	stored,
	turn,
	unavailable,
	useMemories,
	type History,
} from './memories.mts';

const memories = useMemories();
const textsOf = async (history: History) =>
	(await history.getMessages()).map(({ role, content }) => {
		const parts = content as Array<{ text: string }>;
		return `${String(role)}: ${parts.map(({ text }) => text).join('')}`;
	});
/** A memory of a conversation that is there, with these messages. */
const withMessages = async (...messages: Fields[]) => {
	memories.add('own', 'anna', { messages });
	return await memories.of('anna');
};
const bodies = () => memories.service.asked(ADD).map(({ body }) => body);

describe('what is stored', () => {
	it.each(['user', 'assistant', 'system'])('a message of the role %s', async (role) => {
		await (await memories.of('anna')).addMessage(say(role, 'Hi'));
		expect(bodies()).toEqual([{ role, content: 'Hi' }]);
	});

	it('the parts of a text as one, without reasoning and files', async () => {
		await (
			await memories.of('anna')
		).addMessage({
			role: 'assistant',
			content: [
				{ type: 'reasoning', text: 'hm' },
				{ type: 'text', text: 'Good ' },
				{ type: 'file', data: 'AQID' },
				{ type: 'text', text: 'day' },
			],
		});
		expect(memories.kept()).toEqual(['assistant: Good day']);
	});

	it.each<[string, Fields]>([
		['blank', say('assistant', ' \n')],
		['without a part', { role: 'user', content: [] }],
		['a result of a tool', say('tool', 'result')],
		['a call of a tool', { role: 'assistant', content: [{ type: 'tool-call', input: '{}' }] }],
	])('of a message that is %s nothing, and nothing is sent', async (_, message) => {
		await (await memories.of('anna')).addMessages([message]);
		expect(memories.service.heard).toEqual([]);
	});

	it('each message after the last one that is there', async () => {
		const history = await withMessages(
			...['a', 'b', 'c'].map((id) => stored(id, 'user', `text ${id}`)),
		);
		await history.addMessages(turn(1));
		expect(bodies()).toEqual([
			{ role: 'user', content: 'Q1', parent_id: 'c' },
			{ role: 'assistant', content: 'A1', parent_id: 'm3' },
		]);
	});

	it('the first message after none', async () => {
		await (await memories.of('anna')).addMessages(turn(1));
		expect(bodies()).toEqual([
			{ role: 'user', content: 'Q1' },
			{ role: 'assistant', content: 'A1', parent_id: 'm0' },
		]);
	});
});

describe('what is read', () => {
	it('texts with their roles, the oldest first', async () => {
		const history = await withMessages(
			stored('1', 'system', 'Be brief'),
			stored('2', 'user', 'Why?'),
			stored('3', 'assistant', 'So.'),
		);
		expect(await textsOf(history)).toEqual(['system: Be brief', 'user: Why?', 'assistant: So.']);
	});

	it('no message of another role, and none without a text', async () => {
		const history = await withMessages(
			stored('1', 'tool', 'result'),
			stored('2', 'assistant', ''),
			stored('3', undefined, 'of nobody'),
			stored('4', 'assistant', null),
			stored('5', 'user', 'Why?'),
		);
		expect(await textsOf(history)).toEqual(['user: Why?']);
	});

	it('roles in capitals', async () => {
		expect(await textsOf(await withMessages(stored('1', 'USER', 'Why?')))).toEqual(['user: Why?']);
	});

	it('messages without an ID, also those that are equal', async () => {
		const ja = { message: { role: 'user', content: 'ja' } };
		expect(await textsOf(await withMessages(ja, ja))).toEqual(['user: ja', 'user: ja']);
	});

	it.each([
		['no list', json({ results: 'maintenance' })],
		['nothing', json('')],
		['a login page', json('<html><title>Login</title></html>', 200)],
	])('%s instead of messages is an error, not an empty memory', async (_, answer) => {
		const history = await withMessages(stored('1', 'user', 'Why?'));
		memories.service.when(READ, answer);
		await expect(history.getMessages()).rejects.toThrow(/response|list/i);
		await expect(history.addMessages(turn(1))).rejects.toThrow(/response|list/i);
		expect(memories.asked(ADD)).toBe(0);
	});
});

describe('a message whose answer is lost', () => {
	const Ja = say('user', 'ja');

	it.each([
		['stored', () => memories.doneUnsaid(ADD), 1],
		['not stored', () => hangUp, 2],
		['not stored: 503', () => unavailable, 2],
		['not stored: 408', () => json({ detail: 'Timeout' }, 408), 2],
	])('and that is %s is there once', async (_, answer, requests) => {
		const history = await memories.of('anna');
		memories.next(ADD, answer());
		await history.addMessage(Ja);
		expect(memories.asked(ADD)).toBe(requests);
		expect(memories.kept()).toEqual(['user: ja']);
	});

	it('and that is stored is the parent of the next one', async () => {
		memories.next(ADD, memories.doneUnsaid(ADD));
		await (await memories.of('anna')).addMessages(turn(1));
		expect(bodies().map((body) => body?.parent_id)).toEqual([undefined, 'm0']);
	});

	it('is not taken for one with its text that was there before', async () => {
		const history = await withMessages(stored('1', 'user', 'ja'), stored('2', 'user', 'ja'));
		memories.next(ADD, hangUp);
		await history.addMessage(Ja);
		expect(memories.kept()).toEqual(['user: ja', 'user: ja', 'user: ja']);
	});

	it('is not taken for one before it that has its text and no ID', async () => {
		const history = await withMessages({ message: { role: 'user', content: 'ja' } });
		memories.next(ADD, hangUp);
		await history.addMessage(Ja);
		expect(memories.kept()).toEqual(['user: ja', 'user: ja']);
	});

	it('is not taken for an equal one of the same turn', async () => {
		for (const first of [undefined, memories.doneUnsaid(ADD)]) {
			memories.begin();
			const history = await memories.of('anna');
			if (first) memories.next(ADD, first, hangUp);
			else memories.next(ADD, usual, hangUp);
			await history.addMessages([Ja, Ja]);
			expect(memories.kept()).toEqual(['user: ja', 'user: ja']);
		}
	});

	it.each([
		['the same text by another role', stored('other', 'assistant', 'ja')],
		['another text by the same role', stored('other', 'user', 'nein')],
	])('is not taken for what somebody else adds meanwhile: %s', async (_, other) => {
		const history = await withMessages();
		memories.next(ADD, (response, heard, nth) => {
			memories.conversations[0]?.messages.push(other);
			return hangUp(response, heard, nth);
		});
		await history.addMessage(Ja);
		expect(memories.kept()).toHaveLength(2);
		expect(memories.kept()[1]).toBe('user: ja');
	});

	it('twice is an error with the words of the service', async () => {
		const history = await withMessages();
		memories.next(ADD, unavailable, unavailable);
		await expect(history.addMessages(turn(1))).rejects.toMatchObject({
			message: expect.stringContaining('(503): Try later'),
		});
		expect(memories.asked(ADD)).toBe(2);
		expect(memories.kept()).toEqual([]);
	});

	it.each([
		['without an ID', json({ results: { message: 'ok' } })],
		['with nothing', json('')],
	])('is none where the service confirms it %s, though the list is behind', async (_, yes) => {
		const history = await withMessages();
		memories.next(ADD, yes, yes);
		await history.addMessages(turn(1));
		expect(bodies().map((body) => body?.content)).toEqual(['Q1', 'A1']);
	});

	const usual: Answer = (response, heard, nth) => {
		const { role, content } = heard.body ?? {};
		memories.conversations[0]?.messages.push(stored('m0', role, content));
		return json({ results: { id: 'm0' } })(response, heard, nth);
	};
});

describe('a message that the service does not take', () => {
	it.each([400, 403, 413, 422, 451])('%s: its words, and no second try', async (status) => {
		const history = await withMessages(stored('1', 'user', 'Why?'));
		memories.next(ADD, json({ detail: 'this text is too long' }, status));
		await expect(history.addMessages(turn(1))).rejects.toMatchObject({
			message: expect.stringContaining('this text is too long'),
			httpCode: String(status),
		});
		expect(memories.asked(ADD)).toBe(1);
		// Nothing is looked up after a clear no
		expect(memories.asked(READ)).toBe(1);
	});

	it('429: is waited for, and nothing is looked up', async () => {
		const history = await withMessages();
		memories.next(ADD, json({ detail: 'slow down' }, 429, { 'retry-after': '1' }));
		await history.addMessages(turn(1));
		expect([memories.asked(ADD), memories.asked(READ)]).toEqual([3, 1]);
		expect(memories.kept()).toEqual(['user: Q1', 'assistant: A1']);
	});

	it('after another one of its turn: the turn goes on from there when it is stored again', async () => {
		const history = await withMessages();
		const ok = memories.usualOf(ADD);
		memories.next(ADD, ok, json({ detail: 'no' }, 400), json({ detail: 'no' }, 400));
		await expect(history.addMessages(turn(1))).rejects.toThrow('no');
		await expect(history.addMessages(turn(1))).rejects.toThrow('no');
		await history.addMessages(turn(1));
		expect(memories.kept()).toEqual(['user: Q1', 'assistant: A1']);
		await history.addMessages(turn(1));
		expect(memories.kept()).toHaveLength(4);
	});

	it('looks nothing up after a message with its ID', async () => {
		await (await withMessages()).addMessages(turn(1));
		expect(memories.asked(READ)).toBe(1);
	});
});

describe('several executions at once', () => {
	it('of one session take turns; another session does not wait for them', async () => {
		let go = (): void => undefined;
		const held = new Promise<void>((done) => (go = done));
		memories.add('own', 'anna');
		memories.add('other', 'bert');
		memories.next(ADD, async (response, heard, nth) => {
			await held;
			memories.conversations[0]?.messages.push(stored('m0', 'user', 'Q1'));
			return await json({ results: { id: 'm0' } })(response, heard, nth);
		});
		const first = (await memories.of('anna')).addMessages(turn(1));
		await until(() => memories.asked(ADD) === 1);
		const second = (await memories.of('anna')).addMessages(turn(2));
		await (await memories.of('bert')).addMessages(turn(3));
		expect(memories.kept(1)).toEqual(['user: Q3', 'assistant: A3']);
		expect(memories.kept(0)).toEqual([]);
		go();
		await Promise.all([first, second]);
		expect(memories.kept(0)).toEqual(['user: Q1', 'assistant: A1', 'user: Q2', 'assistant: A2']);
	});

	it.each([
		['the conversation is created', CREATE],
		['a message is stored', ADD],
	])('one that is stopped while %s asks nothing more', async (_, line) => {
		const stop = new AbortController();
		memories.service.when(line, () => stop.abort());
		const history = await memories.of('anna', 'anna', { cancel: stop.signal });
		await expect(history.addMessages(turn(1))).rejects.toThrow('The execution was cancelled');
		expect(memories.asked(line)).toBe(1);
		expect(memories.service.heard.at(-1)?.line).toMatch(line);
	});
});
