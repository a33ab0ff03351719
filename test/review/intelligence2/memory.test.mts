import { beforeEach, describe, expect, it } from 'vitest';
import { subNode } from '../../engine/nodes.mts';
import { KEY, rejection, useStage } from './play.mts';
import { hangUp, json, type Answer, type Fields } from './service.mts';

const stage = useStage();
const LIST = /^GET \/api\/rag\/v3\/conversations$/;
const ONE = /^GET \/api\/rag\/v3\/conversations\/[^/]+$/;
const ADD = /^POST \/api\/rag\/v3\/conversations\/[^/]+\/messages$/;
const CREATE = /^POST \/api\/rag\/v3\/conversations$/;

/** What n8n's SDK is given as a chat history. */
interface History {
	getMessages(): Promise<Array<{ role: string; id?: string; content: Array<{ text: string }> }>>;
	addMessages(messages: Fields[]): Promise<void>;
	clear(): Promise<void>;
}
let sessions = 0;
let session = '';
const memory = async (key = session) =>
	(
		await stage.engine.supply(
			subNode('memoryCompute', {
				sessionIdType: 'customKey',
				sessionKey: key,
				contextWindowLength: 5,
			}),
		)
	).response as unknown as History;
const said = (role: string, text: string): Fields => ({ role, content: [{ type: 'text', text }] });

/** Conversations as documented, with messages that have IDs or not. */
class Conversations {
	readonly all = new Map<string, { name: string; messages: Fields[] }>();
	constructor(private readonly hasIds = true) {
		stage.service.when(LIST, (response, heard, nth) =>
			json({
				results: [...this.all].map(([id, { name }], at) => ({
					id,
					name,
					created_at: `2026-01-0${at + 1}`,
				})),
				total_entries: this.all.size,
			})(response, heard, nth),
		);
		stage.service.when(CREATE, (response, heard, nth) => {
			const id = `c${this.all.size}`;
			this.all.set(id, { name: String(heard.body?.name), messages: [] });
			return json({ results: { id, name: heard.body?.name } })(response, heard, nth);
		});
		stage.service.when(ONE, (response, heard, nth) => {
			const found = this.all.get(heard.line.split('/').at(-1) ?? '');
			return (
				found
					? json({ results: found.messages, total_entries: found.messages.length })
					: json({ detail: 'gone' }, 404)
			)(response, heard, nth);
		});
		stage.service.when(/^DELETE .*conversations/, (response, heard, nth) => {
			this.all.delete(heard.line.split('/').at(-1) ?? '');
			return json({ results: { success: true } })(response, heard, nth);
		});
		stage.service.when(ADD, this.add);
	}

	readonly add: Answer = (response, heard, nth) => {
		const found = this.all.get(heard.line.split('/').at(-2) ?? '');
		if (!found) return json({ detail: 'gone' }, 404)(response, heard, nth);
		const parent = heard.body?.parent_id;
		if (parent !== undefined && !found.messages.some(({ id }) => id === parent))
			return json(
				{ detail: [{ loc: ['body', 'parent_id'], msg: 'no such message', type: 'x' }] },
				422,
			)(response, heard, nth);
		const { role, content } = heard.body ?? {};
		const id = `m${found.messages.length}`;
		found.messages.push({ ...(this.hasIds && { id }), message: { role, content } });
		return json({ results: this.hasIds ? { id, message: { role, content } } : { message: 'ok' } })(
			response,
			heard,
			nth,
		);
	};

	texts(): string[] {
		return [...this.all.values()].flatMap(({ messages }) =>
			messages.map(({ message }) => String((message as Fields).content)),
		);
	}
}

describe('the memory keeps each message once, in order', () => {
	beforeEach(() => (session = `session ${sessions++}`));
	const turn = (n: number) => [said('user', `q${n}`), said('assistant', `a${n}`)];

	it.each([[true], [false]])('messages that have IDs: %s', async (hasIds) => {
		const service = new Conversations(hasIds);
		for (let n = 0; n < 3; n++) await (await memory()).addMessages(turn(n));
		expect(service.texts()).toEqual(['q0', 'a0', 'q1', 'a1', 'q2', 'a2']);
		expect((await (await memory()).getMessages()).map(({ content }) => content[0]?.text)).toEqual(
			service.texts(),
		);
	});

	it.each([[true], [false]])(
		'an answer that is lost after the message was stored; IDs: %s',
		async (hasIds) => {
			const service = new Conversations(hasIds);
			await (await memory()).addMessages(turn(0));
			stage.service.when(ADD, async (response, heard, nth) => {
				const sink = {
					writeHead: () => undefined,
					end: () => undefined,
				} as unknown as typeof response;
				await service.add(nth === 2 ? sink : response, heard, nth);
				if (nth === 2) return await hangUp(response, heard, nth);
			});
			await (await memory()).addMessages([said('user', 'q1'), said('assistant', 'a1')]);
			expect(service.texts()).toEqual(['q0', 'a0', 'q1', 'a1']);
		},
	);

	it('a question that was asked before is kept again', async () => {
		const service = new Conversations();
		await (await memory()).addMessages(turn(0));
		await (await memory()).addMessages(turn(0));
		expect(service.texts()).toEqual(['q0', 'a0', 'q0', 'a0']);
	});

	it('system messages stay, calls of tools and their results do not', async () => {
		const service = new Conversations();
		await (
			await memory()
		).addMessages([
			said('system', 's'),
			said('user', 'q'),
			{
				role: 'assistant',
				content: [{ type: 'tool-call', toolCallId: '1', toolName: 't', input: '{}' }],
			},
			{ role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', result: 'r' }] },
			said('assistant', 'a'),
		]);
		expect(service.texts()).toEqual(['s', 'q', 'a']);
	});

	it('ten agents at once begin one conversation, and no turn is torn apart', async () => {
		const service = new Conversations();
		const histories = await Promise.all(Array.from({ length: 10 }, async () => await memory()));
		await Promise.all(histories.map(async (one, n) => await one.addMessages(turn(n))));
		expect(service.all.size).toBe(1);
		const texts = service.texts();
		expect(texts).toHaveLength(20);
		for (let n = 0; n < 10; n++) expect(texts[texts.indexOf(`q${n}`) + 1]).toBe(`a${n}`);
	});

	it('a conversation that is gone begins again', async () => {
		const service = new Conversations();
		await (await memory()).addMessages(turn(0));
		service.all.clear();
		expect(await (await memory()).getMessages()).toEqual([]);
		await (await memory()).addMessages(turn(1));
		expect(service.texts()).toEqual(['q1', 'a1']);
	});

	it('10,000 messages are read in order', async () => {
		const service = new Conversations();
		await (await memory()).addMessages(turn(0));
		const [conversation] = [...service.all.values()];
		for (let n = 2; n < 10_000; n++)
			conversation?.messages.push({
				id: `m${n}`,
				message: { role: n % 2 ? 'assistant' : 'user', content: `t${n}` },
			});
		const messages = await (await memory()).getMessages();
		expect(messages).toHaveLength(10_000);
		expect(messages.at(-1)?.content[0]?.text).toBe('t9999');
		expect(stage.service.asked(ONE).length).toBeLessThan(30);
	});

	it.each<[string, Answer]>([
		['a 401', json({ detail: `bad key ${KEY}` }, 401)],
		['an error with 200', json({ detail: 'boom' })],
		[
			'a login page',
			json('<html><title>Login</title></html>', 200, { 'content-type': 'text/html' }),
		],
	])('%s is an error, not an empty memory', async (_, answer) => {
		new Conversations();
		await (await memory()).addMessages(turn(0));
		stage.service.when(ONE, answer);
		const failed = await rejection((await memory()).getMessages());
		expect(failed).toBeDefined();
		expect(failed?.message).not.toContain(KEY);
	});

	it('names that differ in case or blanks, and of __proto__, are sessions of their own', async () => {
		const service = new Conversations();
		for (const name of ['Anna', 'anna', '__proto__', 'constructor'])
			await (await memory(`${session} ${name}`)).addMessages([said('user', name)]);
		expect([...service.all.values()].map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1]);
	});

	it('clear deletes this conversation alone', async () => {
		const service = new Conversations();
		await (await memory()).addMessages(turn(0));
		await (await memory(`${session} 2`)).addMessages(turn(1));
		await (await memory()).clear();
		expect(service.texts()).toEqual(['q1', 'a1']);
	});
});
