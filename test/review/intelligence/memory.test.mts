import { describe, expect, it } from 'vitest';
import { subNode } from '../../engine/nodes.mts';
import { list, type Answer } from './forms.mts';
import { rejected, usePlay } from './setup.mts';

const play = usePlay();

interface Message {
	role: string;
	content: Array<{ type: string; text?: string }>;
}
interface History {
	getMessages(): Promise<Message[]>;
	addMessages(messages: Message[]): Promise<void>;
	clear(): Promise<void>;
}

let plays = 0;
const session = (name: string) => `${name} ${++plays}`;

/** @param isRestarted as another process of n8n, which remembers nothing */
async function historyOf(key: string, isRestarted = false): Promise<History> {
	const node = subNode('memoryCompute', {
		sessionIdType: 'customKey',
		sessionKey: key,
		contextWindowLength: 5,
	});
	if (isRestarted) node.credentials = { computeIntelligenceApi: { id: 'restarted', name: 'r' } };
	return (await play.engine.supply(node)).response as History;
}

const say = (role: string, text: string): Message => ({ role, content: [{ type: 'text', text }] });
const turn = (number: number) => [say('user', `Q${number}`), say('assistant', `A${number}`)];
const texts = async (history: History) =>
	(await history.getMessages()).map(({ content }) => content[0]?.text);

function changesNames(change: (name: string) => string): void {
	const { service } = play;
	service.on('POST /conversations', ({ path, body }) => {
		if (path.endsWith('/messages')) return undefined;
		const given = path.split('/conversations/')[1];
		const id = given ?? service.newId();
		const name = change(String(body.name));
		service.conversations.set(id, {
			name,
			messages: service.conversations.get(id)?.messages ?? [],
		});
		return { json: { results: { id, name } } };
	});
}

describe('world: the service changes the names of conversations', () => {
	for (const [what, change] of Object.entries({
		'lower case': (name: string) => name.toLowerCase(),
		'upper case': (name: string) => name.toUpperCase(),
		'stripped of what is no letter': (name: string) => name.replace(/\W/g, ''),
		'cut to 12 characters': (name: string) => name.slice(0, 12),
		'with a prefix': (name: string) => `user1/${name}`,
	}))
		it(`${what}: after a restart, the history is there, or its loss is said`, async () => {
			changesNames(change);
			const key = session('Telegram Chat');
			const history = await historyOf(key);
			const refused = await rejected(history.addMessages(turn(1)));
			if (refused) expect(refused.message).toMatch(/gives the conversation the name/);
			if (refused) return;
			const restarted = await historyOf(key, true);
			const seen = await texts(restarted).catch((error: Error) => error);
			if (!(seen instanceof Error)) expect(seen).toEqual(['Q1', 'A1']);
			expect(play.service.conversations.size).toBe(1);
		});
	it('names that become equal: never the memory of another session', async () => {
		changesNames((name) => name.toLowerCase());
		const key = session('Anna');
		await (await historyOf(key)).addMessages(turn(1));
		const other = await historyOf(key.toLowerCase(), true);
		const seen = await texts(other).catch((error: Error) => error);
		// The service has one name for both: whoever has that name exactly
		if (!(seen instanceof Error)) expect([['Q1', 'A1'], []]).toContainEqual(seen);
	});
});

describe('world: conversations whose IDs are odd, missing or late', () => {
	const own = (id: (made: string) => unknown, shows = () => true): void => {
		const { service } = play;
		service.on('POST /conversations', ({ path, body }) => {
			if (!path.endsWith('/conversations')) return undefined;
			const made = String(service.conversations.size + 7_000 + plays);
			service.conversations.set(made, { name: String(body.name), messages: [] });
			return { json: { results: { name: body.name, id: id(made) } } };
		});
		service.on('GET /conversations', ({ path, query }): Answer | undefined =>
			path.endsWith('/conversations')
				? list(
						shows()
							? [...service.conversations].map(([one, { name }]) => ({
									id: id(one) === undefined ? one : id(one),
									name,
								}))
							: [],
						query,
					)
				: undefined,
		);
	};
	it('numbers', async () => {
		own(Number);
		const key = session('numbers');
		await (await historyOf(key)).addMessages(turn(1));
		await (await historyOf(key, true)).addMessages(turn(2));
		expect(await texts(await historyOf(key))).toEqual(['Q1', 'A1', 'Q2', 'A2']);
		expect(play.service.conversations.size).toBe(1);
	});
	it('numbers that JavaScript cannot hold: never the messages of another conversation', async () => {
		const { service } = play;
		service.on('POST /conversations', ({ path }) =>
			path.endsWith('/conversations')
				? { parts: ['{"results": {"id": 9007199254740993}}'] }
				: undefined,
		);
		service.conversations.set('9007199254740992', {
			name: 'of another',
			messages: [{ id: 'x', message: { role: 'user', content: 'private' } }],
		});
		const history = await historyOf(session('big'));
		const error = await rejected(history.addMessages(turn(1)));
		if (!error) expect(await texts(history)).toEqual(['Q1', 'A1']);
		expect(service.conversations.get('9007199254740992')?.messages).toHaveLength(1);
	});
	it('missing: found in the list', async () => {
		own(() => undefined);
		const history = await historyOf(session('missing'));
		await history.addMessages(turn(1));
		expect(await texts(history)).toEqual(['Q1', 'A1']);
		expect(play.service.conversations.size).toBe(1);
	});
	it('missing, and the list is late: no message is called kept that is not', async () => {
		let looks = 0;
		own(
			() => undefined,
			() => ++looks > 4,
		);
		const history = await historyOf(session('late'));
		const error = await rejected(history.addMessages(turn(1)));
		const kept = [...play.service.conversations.values()].flatMap(({ messages }) => messages);
		if (!error) expect(kept).toHaveLength(2);
	});
});

describe('world: long conversations, all at once', () => {
	for (const count of [98, 100, 998, 1000, 1002])
		it(`${count} messages: the agent reads and goes on`, async () => {
			const { service } = play;
			const key = session('long');
			const history = await historyOf(key);
			await history.addMessages([say('user', 'first')]);
			const messages =
				[...service.conversations.values()].flatMap((one) => [one.messages])[0] ?? [];
			while (messages.length < count)
				messages.push({
					id: service.newId(),
					message: { role: 'user', content: `m${messages.length}` },
				});
			expect(await texts(history)).toHaveLength(count);
			await history.addMessages([say('assistant', 'last')]);
			expect((await texts(history)).at(-1)).toBe('last');
		});
});

describe('world: messages get lost on their way', () => {
	for (const end of ['cut', 'silent'] as const)
		it(`the answer is ${end}: each message once, in order`, async () => {
			const { service } = play;
			const history = await historyOf(session('lost'));
			let isLost = false;
			service.on('POST /messages', ({ path, body }) => {
				if (isLost || body.content !== 'Q2') return undefined;
				isLost = true;
				const [conversation] = service.conversations.values();
				conversation?.messages.push({
					id: service.newId(),
					message: { role: body.role, content: body.content },
					at: path,
				});
				return { parts: ['{'], end };
			});
			for (const number of [1, 2, 3]) await history.addMessages(turn(number));
			expect(await texts(history)).toEqual(['Q1', 'A1', 'Q2', 'A2', 'Q3', 'A3']);
		});
	it('200 that says no: an error', async () => {
		const history = await historyOf(session('no'));
		play.service.on('POST /messages', {
			json: { message: 'over quota', error_type: 'R2RException' },
		});
		expect((await rejected(history.addMessages(turn(1))))?.message).toBeDefined();
	});
	it('clear that is answered 200 with a no: an error', async () => {
		const history = await historyOf(session('clear'));
		await history.addMessages(turn(1));
		play.service.on('DELETE /conversations', {
			json: { results: { success: false, message: 'locked' } },
		});
		expect(await rejected(history.clear())).toBeDefined();
		expect(await texts(history)).toEqual(['Q1', 'A1']);
	});
});
