import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CREATE, LIST, say, useMemories } from './memories.mts';

const memories = useMemories();
const ofChat = { sessionIdType: 'fromInput', contextWindowLength: 5 };
const NONE = {
	message: 'No session ID found',
	description:
		"The input has no field 'sessionId', which a chat trigger adds. Choose Define Below to use something else.",
	context: { itemIndex: 0 },
};
const WITHOUT_SESSION: Array<[what: string, item: IDataObject]> = [
	['nothing', {}],
	['blanks', { sessionId: '  ' }],
	['null', { sessionId: null }],
	['an object', { sessionId: { id: 1 } }],
	['true', { sessionId: true }],
];
const NAME = 'When chat "A" comes';
const chatOf = (...sessionIds: unknown[]) => ({
	chat: { name: NAME, items: sessionIds.map((sessionId) => ({ sessionId }) as IDataObject) },
});

/** The name of the conversation that a message is stored in. */
async function nameOf(...[form, item, options]: Parameters<typeof memories.supply>) {
	const { response } = await memories.supply(form, item, options);
	await response.addMessage(say('user', 'Hi'));
	expect(memories.asked(CREATE)).toBe(1);
	return memories.service.asked(CREATE)[0]?.body?.name;
}

describe('the session of the chat', () => {
	it.each([
		['a text', 'chat-7', 'chat-7'],
		['a number', 42, '42'],
		['zero', 0, '0'],
		['a text between blanks', ' chat-7\n', 'chat-7'],
	])('is the session ID of the input: %s', async (_, sessionId, name) => {
		expect(await nameOf(ofChat, { sessionId })).toBe(name);
	});

	it('is that of the input, where the chat trigger has another one', async () => {
		expect(await nameOf(ofChat, { sessionId: 'own' }, chatOf('of the trigger'))).toBe('own');
	});

	it.each(WITHOUT_SESSION)(
		'is that of the first item of the chat trigger, where the input has %s',
		async (_, item) => {
			expect(await nameOf(ofChat, item, chatOf(' first ', 'second'))).toBe('first');
		},
	);

	it('a number of the chat trigger is one, too', async () => {
		expect(await nameOf(ofChat, {}, chatOf(7))).toBe('7');
	});

	it.each(WITHOUT_SESSION)(
		'%s in the input, and no chat trigger: an error that says what to do',
		async (_, item) => {
			await expect(memories.supply(ofChat, item)).rejects.toMatchObject(NONE);
			expect(memories.service.heard).toEqual([]);
		},
	);

	it.each([[' '], [null], [undefined]])('%j in the chat trigger: the same error', async (value) => {
		await expect(memories.supply(ofChat, {}, chatOf(value))).rejects.toMatchObject(NONE);
	});
});

describe('the session of the form', () => {
	const ofKey = (sessionKey: unknown, more: IDataObject = {}) =>
		({ sessionIdType: 'customKey', sessionKey, contextWindowLength: 5, ...more }) as IDataObject;

	it.each([
		['a text', 'customer 7', 'customer 7'],
		['a number', 42, '42'],
		['an expression', '={{ $json.customer }}', 'Anna'],
		['a text between blanks', ' customer 7 ', 'customer 7'],
	])('is its key: %s', async (_, key, name) => {
		const item = { customer: 'Anna', sessionId: 'of the chat' };
		expect(await nameOf(ofKey(key), item, chatOf('of the trigger'))).toBe(name);
	});

	it.each([
		['', 'Key is required and must not be empty'],
		['  ', 'Key is required and must not be empty'],
		['={{ $json.nothing }}', 'Key'],
		['={{ [1] }}', 'Key must be text, got [1]'],
	])('the key %j is an error before anything is sent', async (key, message) => {
		await expect(memories.supply(ofKey(key), { sessionId: 'chat' })).rejects.toThrow(message);
		expect(memories.service.heard).toEqual([]);
	});

	it('the key counts alone where it was chosen, and the chat alone where that was', async () => {
		const form = { ...ofChat, sessionKey: 'left in the form' };
		expect(await nameOf(form, { sessionId: 'chat' })).toBe('chat');
		await expect(memories.supply(form)).rejects.toMatchObject(NONE);
	});

	it.each([1, 7, 1000])('a window of %s questions is that of the memory', async (length) => {
		const { memory } = await memories.supply(ofKey('k', { contextWindowLength: length }));
		expect(memory.config).toEqual({ windowSize: length });
	});

	it.each([
		[0, 'a whole number from 1 to 1000, got 0'],
		[1001, 'a whole number from 1 to 1000, got 1001'],
		[2.5, 'a whole number from 1 to 1000, got 2.5'],
		['many', 'a number, got "many"'],
	])('a window of %j questions is an error', async (length, problem) => {
		const form = ofKey('k', { contextWindowLength: length });
		const message = `Context Window Length must be ${problem}`;
		await expect(memories.supply(form)).rejects.toMatchObject({ message });
	});

	it('nothing is sent before the agent asks', async () => {
		const { response } = await memories.supply(ofKey('k'));
		expect(memories.service.heard).toEqual([]);
		expect(await response.getMessages()).toEqual([]);
		expect(memories.asked(LIST)).toBe(1);
		expect(memories.service.heard).toHaveLength(1);
	});
});
