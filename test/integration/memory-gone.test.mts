import { describe, expect, it } from 'vitest';
import { json } from '../review/intelligence2/service.mts';
import { ADD, CREATE, DELETE, LIST, READ, turn, useMemories } from './memories.mts';

const memories = useMemories();
const NOT_FOUND = json({ detail: 'Not found' }, 404);
const EMPTY = json({ results: [], total_entries: 0 });

/** A memory that knows its conversation, beside that of another session. */
async function begun() {
	memories.add('other', 'bert');
	const history = await memories.of('anna');
	await history.addMessages(turn(1));
	return history;
}

describe('clear', () => {
	it('deletes the conversation, and the next message begins another one', async () => {
		const history = await begun();
		await history.clear();
		expect(memories.conversations.map(({ name }) => name)).toEqual(['bert']);
		expect(await history.getMessages()).toEqual([]);
		await history.addMessages(turn(2));
		expect(memories.kept(1)).toEqual(['user: Q2', 'assistant: A2']);
	});

	it('deletes all that have the name of the session, and no other', async () => {
		memories.add('older', 'anna', { created_at: '2026-01-01' });
		const history = await begun();
		memories.add('younger', 'anna', { created_at: '2026-01-02' });
		await history.clear();
		expect(memories.conversations.map(({ name }) => name)).toEqual(['bert']);
		expect(await history.getMessages()).toEqual([]);
	});

	it('asks for nothing where the session has no conversation', async () => {
		memories.add('other', 'bert');
		await (await memories.of('anna')).clear();
		expect(memories.asked(DELETE)).toBe(0);
		expect(memories.conversations).toHaveLength(1);
	});

	it('has nothing to do where somebody else has deleted it, beside those of other sessions', async () => {
		const history = await begun();
		memories.conversations.pop();
		await history.clear();
		expect(memories.asked(DELETE)).toBe(1);
		await history.addMessages(turn(2));
		expect(memories.asked(CREATE)).toBe(2);
	});

	it('that finds no conversation at the service, although the list has it, is an error', async () => {
		const history = await begun();
		memories.next(DELETE, NOT_FOUND);
		await expect(history.clear()).rejects.toMatchObject({
			httpCode: '404',
			description: expect.stringContaining('It is not known to be gone: its list has it.'),
		});
		expect(await history.getMessages()).toMatchObject(turn(1));
	});

	it.each([{ success: true }, { deleted: 0 }, { deleted: [], failed: ['c0'] }, { task_id: 't' }])(
		'that the service answers with %j, and does not do, is an error',
		async (results) => {
			const history = await begun();
			memories.next(DELETE, json({ results }));
			await expect(history.clear()).rejects.toThrow('but still shows it');
			expect(await history.getMessages()).toMatchObject(turn(1));
		},
	);

	it('that the list shows late is done', async () => {
		const history = await begun();
		const { conversations } = memories;
		const late = json({ results: conversations, total_entries: conversations.length });
		memories.next(LIST, late, late, late);
		await history.clear();
		expect(await history.getMessages()).toEqual([]);
	});

	it.each([401, 403, 409, 422])(
		'that the service refuses with %s is an error, whatever the list shows',
		async (status) => {
			const history = await begun();
			memories.next(DELETE, json({ detail: 'not yours to delete' }, status));
			memories.next(LIST, EMPTY);
			await expect(history.clear()).rejects.toMatchObject({
				message: expect.stringContaining('not yours to delete'),
				httpCode: String(status),
			});
			expect(await history.getMessages()).toMatchObject(turn(1));
		},
	);
});

describe('a conversation that cannot be read', () => {
	it('because it is gone is an empty memory, which begins again', async () => {
		const history = await begun();
		memories.conversations.pop();
		expect(await history.getMessages()).toEqual([]);
		await history.addMessages(turn(2));
		expect(memories.conversations.map(({ name }) => name)).toEqual(['bert', 'anna']);
		expect(memories.kept(1)).toEqual(['user: Q2', 'assistant: A2']);
	});

	it('because it is gone is the one that has its name by now', async () => {
		const history = await begun();
		const [, gone] = memories.conversations.splice(1);
		memories.add('new', 'anna', { messages: gone?.messages ?? [] });
		await history.addMessages(turn(2));
		expect(memories.asked(CREATE)).toBe(1);
		expect(memories.kept(1)).toHaveLength(2);
	});

	it.each([401, 403, 422])(
		'because of a %s is an error, also where the list does not show it',
		async (status) => {
			const history = await begun();
			memories.next(READ, json({ detail: 'no access' }, status));
			memories.next(LIST, EMPTY);
			await expect(history.getMessages()).rejects.toThrow('no access');
			expect(await history.getMessages()).toMatchObject(turn(1));
			expect(memories.asked(CREATE)).toBe(1);
		},
	);

	it('because of a 404 alone is read again: what was just written may not show yet', async () => {
		const history = await begun();
		memories.next(READ, NOT_FOUND);
		expect(await history.getMessages()).toMatchObject(turn(1));
	});

	it('because of a 404 that stays, although the list has it, is an error', async () => {
		const history = await begun();
		memories.service.when(READ, NOT_FOUND);
		await expect(history.getMessages()).rejects.toMatchObject({
			httpCode: '404',
			description: expect.stringContaining('It is not known to be gone: its list has it.'),
		});
	});

	it('because of a 404 that stays takes new messages after those that this process wrote', async () => {
		const history = await begun();
		memories.service.when(READ, NOT_FOUND);
		await history.addMessages(turn(2));
		expect(memories.kept(1)).toEqual(['user: Q1', 'assistant: A1', 'user: Q2', 'assistant: A2']);
		const parents = memories.service.asked(ADD).map(({ body }) => body?.parent_id);
		expect(parents).toEqual([undefined, 'm0', 'm1', 'm2']);
		expect(memories.asked(CREATE)).toBe(1);
	});

	it('because of a 404, to which this process has not written, is an error that stores nothing', async () => {
		memories.add('c9', 'anna');
		const history = await memories.of('anna');
		memories.service.when(READ, NOT_FOUND);
		await expect(history.addMessages(turn(2))).rejects.toMatchObject({
			httpCode: '404',
			description: expect.stringContaining('It is not known to be gone: its list has it.'),
		});
		expect(memories.asked(ADD)).toBe(0);
	});

	it('because its list cannot be read either is an error', async () => {
		const history = await begun();
		memories.service.when(READ, NOT_FOUND);
		memories.service.when(LIST, NOT_FOUND);
		await expect(history.getMessages()).rejects.toMatchObject({
			description: expect.stringContaining('its list could not be read'),
		});
	});

	it('because the list stays incomplete is an error', async () => {
		const history = await begun();
		memories.service.when(READ, json({ results: [], total_entries: 2 }));
		memories.service.when(LIST, EMPTY);
		await expect(history.getMessages()).rejects.toThrow('incomplete');
	});
});
