import type { IDataObject } from 'n8n-workflow';
import { beforeAll, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { subNode } from '../engine/nodes.mts';
import { findAiNodeSdk, hasAiNodeSdk } from '../engine/supply.mts';

/** As much of a LangChain memory as n8n's agent calls. */
interface Memory {
	loadMemoryVariables(
		values: object,
	): Promise<{ chat_history: Array<{ content: unknown; type: string }> }>;
	saveContext(input: object, output: object): Promise<void>;
	clear(): Promise<void>;
}

const fixture = useFixture();

const parameters = (more: IDataObject) => ({ contextWindowLength: 5, ...more });
const ofChat = parameters({ sessionIdType: 'fromInput' });
const ofKey = (sessionKey: string, more: IDataObject = {}) =>
	parameters({ sessionIdType: 'customKey', sessionKey, ...more });

const memory = async (form: IDataObject, json?: IDataObject) =>
	(await fixture.engine.supply(subNode('memoryCompute', form), json)).response as Memory;
const turn = async (one: Memory, question: string) =>
	await one.saveContext({ input: question }, { output: `re: ${question}` });
const history = async (one: Memory) =>
	(await one.loadMemoryVariables({})).chat_history.map(({ type, content }) => {
		const parts = content as Array<{ text: string }>;
		return `${type} ${Array.isArray(parts) ? parts.map(({ text }) => text).join('') : content}`;
	});
const both = (question: string) => [`human ${question}`, `ai re: ${question}`];
/** The texts that the service keeps, by the names of the conversations. */
const kept = () =>
	[...fixture.sandbox.library.conversations.values()].map(({ name, messages }) => [
		name,
		messages.map(({ content }) => content),
	]);
const lose = (path: string | RegExp, drop: 'before' | 'after', times = 1) =>
	fixture.sandbox.faults.add({ match: { method: 'POST', path }, drop, times });

describe.skipIf(!hasAiNodeSdk)('a memory with the SDK of a real n8n', () => {
	beforeAll(findAiNodeSdk);

	it('keeps the turns of a session in one conversation, also for the next execution', async () => {
		const one = await memory(ofKey('anna'));
		expect(await history(one)).toEqual([]);
		await turn(one, 'first?');
		const later = await memory(ofKey('anna'));
		await turn(later, 'second?');
		expect(await history(later)).toEqual([...both('first?'), ...both('second?')]);
		expect(kept()).toEqual([['anna', ['first?', 're: first?', 'second?', 're: second?']]]);
	});

	it('sessions do not mix, and the window is counted in questions', async () => {
		await turn(await memory(ofKey('anna')), 'hers?');
		const his = await memory(ofKey('bert', { contextWindowLength: 2 }));
		for (const question of ['one?', 'two?', 'three?']) await turn(his, question);
		expect(await history(his)).toEqual([...both('two?'), ...both('three?')]);
	});

	it('the session comes from the chat trigger; without one it is an error', async () => {
		await turn(await memory(ofChat, { sessionId: 'chat-7' }), 'hello?');
		expect(kept()).toEqual([['chat-7', ['hello?', 're: hello?']]]);
		await expect(memory(ofChat, {})).rejects.toThrow('No session ID found');
		await expect(memory(ofKey(' '))).rejects.toThrow('Key');
	});

	it('of several conversations with the name of the session all executions take the oldest one', async () => {
		const { clock, library } = fixture.sandbox;
		const first = library.newConversation('anna');
		clock.advance(1_000);
		library.newConversation('anna');
		await turn(await memory(ofKey('anna')), 'first?');
		expect(first.messages).toHaveLength(2);
	});

	it('two turns at once make one conversation, and neither is lost', async () => {
		const [one, other] = await Promise.all([memory(ofKey('anna')), memory(ofKey('anna'))]);
		await Promise.all([turn(one, 'first?'), turn(other, 'second?')]);
		expect(kept()).toEqual([['anna', ['first?', 're: first?', 'second?', 're: second?']]]);
	});

	it.each(['before', 'after'] as const)(
		'a connection that is lost %s the service has done it changes nothing',
		async (when) => {
			lose('/conversations', when);
			lose(/\/messages$/, when);
			await turn(await memory(ofKey('anna')), 'first?');
			expect(kept()).toEqual([['anna', ['first?', 're: first?']]]);
		},
	);

	it('a message that is confirmed without an ID is not sent again, though the list is behind', async () => {
		const yes = { status: 200, body: { results: { message: 'added' } } };
		fixture.sandbox.faults.add({
			match: { method: 'POST', path: /\/messages$/ },
			times: Infinity,
			...yes,
		});
		await turn(await memory(ofKey('anna')), 'first?');
		expect(fixture.sent('POST', /\/messages$/)).toHaveLength(2);
	});

	it('a service that does not take a message is an error that says why', async () => {
		const refusal = { match: { path: /\/messages$/ }, status: 422, body: { detail: 'too long' } };
		fixture.sandbox.faults.add(refusal);
		await expect(turn(await memory(ofKey('anna')), 'first?')).rejects.toThrow('too long');
	});

	it('clear deletes the conversation, and the next turn begins a new one', async () => {
		const one = await memory(ofKey('anna'));
		await turn(one, 'first?');
		await one.clear();
		expect(await history(one)).toEqual([]);
		await one.clear();
		await turn(one, 'second?');
		expect(kept()).toEqual([['anna', ['second?', 're: second?']]]);
	});

	it('a conversation that somebody has deleted is begun again', async () => {
		const one = await memory(ofKey('anna'));
		await turn(one, 'first?');
		fixture.sandbox.library.conversations.clear();
		expect(await history(one)).toEqual([]);
		await turn(one, 'second?');
		expect(kept()).toEqual([['anna', ['second?', 're: second?']]]);
	});
});
