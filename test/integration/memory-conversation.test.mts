import { describe, expect, it } from 'vitest';
import { hangUp, json, type Answer } from '../review/intelligence2/service.mts';
import {
	ADD,
	CREATE,
	LIST,
	READ,
	RENAME,
	say,
	stored,
	turn,
	unavailable,
	useMemories,
} from './memories.mts';

const memories = useMemories();
const Hi = say('user', 'Hi');
const SAFE = /^n8n[0-9a-f]{24}$/;

describe('the conversation of a session', () => {
	it('is the one with its name, of several with similar names', async () => {
		for (const name of ['Anna', 'anna 7', 'anna', 'x anna', 'undefined'])
			memories.add(`id of ${name}`, name);
		await (await memories.of('anna')).addMessage(Hi);
		expect(memories.asked(CREATE)).toBe(0);
		expect(memories.kept(2)).toEqual(['user: Hi']);
	});

	it('is a new one, where those of other sessions and without a name are there', async () => {
		memories.add('a', null);
		memories.add('b', 'bert');
		await (await memories.of('anna')).addMessage(Hi);
		expect(memories.conversations.at(-1)).toMatchObject({ name: 'anna' });
		expect([0, 1, 2].map((index) => memories.kept(index))).toEqual([[], [], ['user: Hi']]);
	});

	it.each([
		['null', null],
		['undefined', undefined],
	])('of a session that is called %s is not one without a name', async (session, name) => {
		memories.add('of another', name, { messages: [stored('m', 'user', 'private')] });
		expect(await (await memories.of(session)).getMessages()).toEqual([]);
		await (await memories.of(session)).addMessage(Hi);
		expect(memories.kept(1)).toEqual(['user: Hi']);
	});

	it('is found on the second page of the list', async () => {
		for (let number = 0; number < 1_000; number++) memories.add(`o${number}`, `other ${number}`);
		memories.add('own', 'anna', { messages: [stored('m', 'user', 'Hi')] });
		memories.next(LIST, ...Array.from({ length: 2 }, () => page));
		expect(await (await memories.of('anna')).getMessages()).toMatchObject([Hi]);
		expect(memories.service.asked(LIST).map(({ query }) => query.get('offset'))).toEqual([
			'0',
			'1000',
		]);
	});

	it.each([
		['the first created', ['2026-01-03', '2026-01-01', '2026-01-02'], 'b'],
		['the smallest ID, of those created at once', ['2026-01-01', '2026-01-01'], 'a'],
		['the one that tells no time', ['2026-01-01', undefined, '2026-01-02'], 'b'],
	])('of several with its name is %s, in whatever order they come', async (_, times, own) => {
		for (const isReversed of [false, true]) {
			memories.begin();
			times.forEach((time, at) => memories.add('abc'.charAt(at), 'anna', { created_at: time }));
			if (isReversed) memories.conversations.reverse();
			await (await memories.of('anna')).addMessage(Hi);
			const used = memories.conversations.filter(({ messages }) => messages.length > 0);
			expect(used.map(({ id }) => id)).toEqual([own]);
		}
	});

	it('is none that has no ID', async () => {
		memories.add('own', 'anna', { messages: [stored('m', 'user', 'Hi')] });
		const entries = [{ name: 'anna' }, { id: '', name: 'anna' }, { id: 'own', name: 'anna' }];
		memories.next(LIST, json({ results: entries, total_entries: 3 }));
		expect(await (await memories.of('anna')).getMessages()).toMatchObject([Hi]);
	});

	it('is made once, though the list does not show it yet', async () => {
		const late = Array.from({ length: 10 }, () => json({ results: [], total_entries: 0 }));
		memories.next(LIST, ...late);
		await (await memories.of('anna')).addMessages(turn(1));
		await (await memories.of('bert')).addMessages(turn(3));
		await (await memories.of('anna')).addMessages(turn(2));
		expect(memories.conversations.map(({ name }) => name)).toEqual(['anna', 'bert']);
		const texts = ['user: Q1', 'assistant: A1', 'user: Q2', 'assistant: A2'];
		expect(memories.kept()).toEqual(texts);
		expect(await (await memories.of('anna')).getMessages()).toHaveLength(4);
	});

	it('is not created by who only reads', async () => {
		expect(await (await memories.of('anna')).getMessages()).toEqual([]);
		expect(memories.asked(READ)).toBe(0);
		expect(memories.asked(CREATE)).toBe(0);
	});

	it('is looked for once', async () => {
		const history = await memories.of('anna');
		await history.addMessages(turn(1));
		const looks = memories.asked(LIST);
		await history.addMessages(turn(2));
		await history.getMessages();
		expect(memories.asked(LIST)).toBe(looks);
	});

	it('is the older one of another process, as soon as the list shows both', async () => {
		const none = json({ results: [], total_entries: 0 });
		memories.next(LIST, ...Array.from({ length: 4 }, () => none));
		memories.next(CREATE, (response, heard, nth) => {
			memories.add('older', 'anna', { created_at: '2026-01-01' });
			memories.add('own', 'anna', { created_at: '2026-01-02' });
			return json({ results: { id: 'own', name: 'anna' } })(response, heard, nth);
		});
		await (await memories.of('anna')).addMessages(turn(1));
		expect(memories.kept(1)).toHaveLength(2);
		while (memories.asked(LIST) < 4) await (await memories.of('anna')).getMessages();
		await (await memories.of('anna')).addMessages(turn(2));
		expect(memories.kept(0)).toEqual(['user: Q2', 'assistant: A2']);
		expect(await (await memories.of('anna')).getMessages()).toMatchObject(turn(2));
		expect(memories.service.asked(ADD).at(-2)?.body).not.toHaveProperty('parent_id');
	});

	it('is one of its own for each account of the service', async () => {
		await (await memories.of('chat', 'anna')).addMessages(turn(1));
		await (await memories.of('chat', 'bert')).addMessages(turn(2));
		expect(memories.conversations.map(({ name }) => name)).toEqual(['chat', 'chat']);
		expect(await (await memories.of('chat', 'anna')).getMessages()).toMatchObject(turn(1));
		expect(await (await memories.of('chat', 'bert')).getMessages()).toMatchObject(turn(2));
	});

	const page: Answer = (response, heard, nth) => {
		const [offset, limit] = ['offset', 'limit'].map((name) => Number(heard.query.get(name)));
		const results = memories.conversations.slice(offset, (offset ?? 0) + (limit ?? 0));
		return json({ results, total_entries: 1_001 })(response, heard, nth);
	};
});

describe('a conversation that is created', () => {
	it.each([
		['500', 500],
		['503', 503],
		['408', 408],
	])('is asked for again after a %s, and at most once', async (_, status) => {
		const busy = json({ detail: 'Try later' }, status);
		memories.next(CREATE, busy);
		await (await memories.of('anna')).addMessage(Hi);
		expect(memories.asked(CREATE)).toBe(2);
		expect(memories.kept()).toEqual(['user: Hi']);
		memories.next(CREATE, busy, busy);
		await expect((await memories.of('bert')).addMessage(Hi)).rejects.toThrow('Try later');
		expect(memories.asked(CREATE)).toBe(4);
	});

	it('is asked for again after the time that a 429 names', async () => {
		memories.next(CREATE, json({ detail: 'slow down' }, 429, { 'retry-after': '1' }));
		await (await memories.of('anna')).addMessage(Hi);
		expect([memories.asked(CREATE), memories.kept()]).toEqual([2, ['user: Hi']]);
	});

	it.each([400, 402, 403, 422, 451])('is not asked for again after a %s', async (status) => {
		memories.next(CREATE, json({ detail: 'over the limit of your plan' }, status));
		await expect((await memories.of('anna')).addMessage(Hi)).rejects.toMatchObject({
			message: expect.stringContaining('over the limit of your plan'),
			httpCode: String(status),
		});
		expect(memories.asked(CREATE)).toBe(1);
		expect(memories.asked(ADD)).toBe(0);
	});

	it.each([
		['that no answer came of', () => memories.doneUnsaid(CREATE), 1],
		['that the service did not hear of', () => hangUp, 2],
	])('is made once, after a request %s', async (_, answer, requests) => {
		memories.next(CREATE, answer());
		await (await memories.of('anna')).addMessage(Hi);
		expect(memories.asked(CREATE)).toBe(requests);
		expect(memories.conversations).toHaveLength(1);
		expect(memories.kept()).toEqual(['user: Hi']);
	});

	it('has its name where the service answers with the ID alone', async () => {
		memories.next(CREATE, (response, heard, nth) => {
			memories.add('own', heard.body?.name);
			return json({ results: { id: 'own' } })(response, heard, nth);
		});
		await (await memories.of('anna')).addMessage(Hi);
		expect(memories.asked(RENAME)).toBe(0);
		expect(memories.kept()).toEqual(['user: Hi']);
	});

	it('is found in the list where the service answers without an ID', async () => {
		memories.next(CREATE, (response, heard, nth) => {
			memories.add('own', heard.body?.name);
			return json({ results: { name: heard.body?.name } })(response, heard, nth);
		});
		await (await memories.of('anna')).addMessage(Hi);
		expect(memories.asked(CREATE)).toBe(1);
		expect(memories.kept()).toEqual(['user: Hi']);
	});
});

describe('a conversation whose name the service changes', () => {
	const changed =
		(id: unknown = 'own'): Answer =>
		(response, heard, nth) => {
			memories.add('own', 'x');
			return json({ results: { id, name: 'x' } })(response, heard, nth);
		};

	it('gets one of letters and digits, by which the next start of n8n finds it', async () => {
		memories.next(CREATE, changed());
		await (await memories.of('anna')).addMessages(turn(1));
		expect(memories.conversations).toMatchObject([{ name: expect.stringMatching(SAFE) }]);
		memories.starts++;
		expect(await (await memories.of('anna')).getMessages()).toMatchObject(turn(1));
		expect(await (await memories.of('bert')).getMessages()).toEqual([]);
	});

	it('is found by that name in capitals, and with what the service puts around it', async () => {
		memories.next(CREATE, changed());
		await (await memories.of('anna')).addMessages(turn(1));
		const [own] = memories.conversations;
		if (own) own.name = `user1/${String(own.name).toUpperCase()}`;
		memories.starts++;
		expect(await (await memories.of('anna')).getMessages()).toMatchObject(turn(1));
	});

	it.each([
		['changes that one too', json({ results: { id: 'own', name: 'y' } })],
		['rejects that one', json({ detail: 'read only' }, 422)],
		['does not say which one it has', json({ results: {} })],
	])('and that %s is an error that says what to do', async (_, answer) => {
		memories.next(CREATE, changed());
		memories.service.when(RENAME, answer);
		await expect((await memories.of('anna')).addMessages(turn(1))).rejects.toMatchObject({
			message: 'The service gives the conversation the name "x", not that of the session',
			description:
				'It would not be found again, so no message was stored. Choose another session key.',
		});
		expect(memories.asked(ADD)).toBe(0);
	});

	it.each([
		['dropped', null],
		['changed', 'x'],
	])(
		'and whose answers are IDs alone has it where the list shows that it was %s',
		async (_, name) => {
			memories.next(CREATE, (response, heard, nth) => {
				memories.add('own', name);
				return json({ results: { id: 'own' } })(response, heard, nth);
			});
			memories.next(RENAME, (response, heard, nth) => {
				const [own] = memories.conversations;
				if (own) own.name = heard.body?.name;
				return json({ results: { id: 'own' } })(response, heard, nth);
			});
			await (await memories.of('anna')).addMessages(turn(1));
			memories.starts++;
			expect(await (await memories.of('anna')).getMessages()).toMatchObject(turn(1));
			expect(memories.asked(CREATE)).toBe(1);
		},
	);

	it('and that has no name after that either is an error, and stores nothing', async () => {
		memories.next(CREATE, (response, heard, nth) => {
			memories.add('own', null);
			return json({ results: { id: 'own', name: null } })(response, heard, nth);
		});
		memories.service.when(RENAME, json({ results: { id: 'own', name: null } }));
		for (let tries = 0; tries < 2; tries++)
			await expect((await memories.of('anna')).addMessages(turn(1))).rejects.toMatchObject({
				message: 'The service gives the conversation no name, not that of the session',
			});
		expect([memories.asked(CREATE), memories.asked(ADD)]).toEqual([1, 0]);
	});

	it('is renamed although the service is busy, with three tries', async () => {
		memories.next(CREATE, changed());
		memories.next(RENAME, unavailable, unavailable);
		await (await memories.of('anna')).addMessage(Hi);
		expect(memories.asked(RENAME)).toBe(3);
		memories.next(CREATE, changed('late'));
		memories.next(RENAME, unavailable, unavailable, unavailable);
		await expect((await memories.of('bert')).addMessage(Hi)).rejects.toThrow('the name "x"');
		expect(memories.asked(RENAME)).toBe(6);
	});

	it('is that error at once where the service tells no ID to change it by', async () => {
		memories.next(CREATE, changed(null), changed(null));
		await expect((await memories.of('anna')).addMessage(Hi)).rejects.toThrow('the name "x"');
		expect(memories.asked(CREATE)).toBe(1);
		expect(memories.asked(RENAME)).toBe(0);
	});
});
