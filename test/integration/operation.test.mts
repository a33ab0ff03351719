import { NodeOperationError, type IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { CONTINUE, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { engine, failsAt, made, run, useOperation, type Run } from './one-operation.mts';

useOperation();

describe('a write', () => {
	it('starts only where every item is valid', async () => {
		let runs = 0;
		const error = errorOf(await run('write', async () => [{ runs: ++runs }], ['a', ' ', '']));
		expect(runs).toBe(0);
		expect(error).toMatchObject({
			message: 'Name is required and must not be empty',
			context: { itemIndex: 1, done: [] },
		});
		expect(error.description).toBe('Item 2 failed too: Name is required and must not be empty.');
	});

	it('that fails names what was done before, and does no more', async () => {
		const error = errorOf(
			await run('write', failsAt('c'), ['a', 'b', 'c', 'd'], { identifyingKeys: ['id', 'state'] }),
		);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'no c',
			context: {
				itemIndex: 2,
				known: { name: 'c' },
				done: [
					{ item: 0, json: { id: 'id of a' } },
					{ item: 1, json: { id: 'id of b' } },
				],
			},
		});
		expect(error.description).toBe(
			'Look.\nItem 0 was done: id id of a, state unknown.\nItem 1 was done: id id of b, state unknown.',
		);
	});

	it('does nothing twice in a retry', async () => {
		const runs: string[] = [];
		const work: Run = async (call, name) => {
			runs.push(name);
			if (name === 'b' && runs.length === 2) throw new Error('once');
			return await made(call, name);
		};
		expect(jsonOf(await run('write', work, ['a', 'b'], {}, RETRY))).toEqual([
			{ id: 'id of a' },
			{ id: 'id of b' },
		]);
		expect(runs).toEqual(['a', 'b', 'b']);
	});

	it('whose item holds an error is tried again; one without is not', async () => {
		const runs: string[] = [];
		const work: Run = async (call, name) => {
			runs.push(name);
			return name === 'a' && runs.length < 3
				? [{ error: 'not yet' }, ...(await made(call, name))]
				: await made(call, name);
		};
		expect(jsonOf(await run('write', work, ['a', 'b'], {}, { ...RETRY, ...CONTINUE }))).toEqual([
			{ id: 'id of a' },
			{ id: 'id of b' },
		]);
		expect(runs).toEqual(['a', 'b', 'a']);
	});

	it('still names what was done where an item is no longer valid in a retry', async () => {
		let tries = 0;
		const input = (form: { text(name: string): string }) => {
			if (form.text('name') === 'b' && tries > 0)
				throw new NodeOperationError({ name: 'Node' } as never, 'not any more');
			return form.text('name');
		};
		const work: Run = async (call, name) => {
			if (name === 'b' && ++tries) throw new Error('broke');
			return await made(call, name);
		};
		const error = errorOf(
			await run(
				'write',
				work,
				['a', 'b'],
				{ input, identifyingKeys: ['id'] } as Partial<Operation>,
				RETRY,
			),
		);
		expect(error.message).toBe('not any more');
		expect(error.description).toContain('Item 0 was done: id id of a');
	});

	it('names the intent of an item that is no longer valid in a retry', async () => {
		let tries = 0;
		const input = (form: { text(name: string): string }) => {
			if (tries > 0) throw new NodeOperationError({ name: 'Node' } as never, 'not any more');
			return form.text('name');
		};
		const after = async (note: IDataObject) => {
			tries = 0;
			const work: Run = async (call) => {
				tries++;
				call.journal.note(note);
				throw new Error('lost');
			};
			return errorOf(
				await run(
					'write',
					work,
					['a'],
					{ input, identifyingKeys: ['id', 'state'] } as Partial<Operation>,
					RETRY,
				),
			);
		};
		expect(await after({ what: 'Create of "a"', id: 7 })).toMatchObject({
			message: 'not any more. An earlier try was sent, and its outcome is unknown: Create of "a"',
			context: { known: { id: 7, outcome: 'unknown' } },
		});
		expect((await after({ id: 7, other: 8 })).message).toContain(' unknown: id 7');
		expect(await after({ other: 8 })).toMatchObject({
			message: 'not any more',
			context: { itemIndex: undefined },
		});
	});

	it('with triesAll continues after a failure and names every item', async () => {
		const error = errorOf(
			await run('write', failsAt('a', 'c'), ['a', 'b', 'c'], {
				runsAllItems: true,
				identifyingKeys: ['id'],
			}),
		);
		expect(error.description).toBe('Look.\nItem 2 failed too: no c.\nItem 1 was done: id id of b.');
	});

	it('those that fail in the same words share a line', async () => {
		const invalid = ['', '', 'a', ''];
		expect(errorOf(await run('write', failsAt(), invalid)).description).toBe(
			'Items 1, 3 failed too: Name is required and must not be empty.',
		);
	});

	it('of several that fail, names those whose message does not', async () => {
		const lost: Run = async ({ known }, name) => {
			known.id = `id-${name}`;
			throw new Error(name === 'b' ? 'id-b is lost' : 'lost');
		};
		const more = { runsAllItems: true, identifyingKeys: ['id', 'state'] };
		const error = errorOf(await run('write', lost, ['a', 'b', 'c'], more));
		expect(error.description).toBe(
			'Item 1 failed too: id-b is lost.\nItem 2 failed too: lost (id id-c).',
		);
	});

	it('takes one item at a time, or as many as atOnce', async () => {
		const most = async (atOnce?: number) => {
			let [now, top] = [0, 0];
			await run(
				'write',
				async () => {
					top = Math.max(top, ++now);
					await new Promise(setImmediate);
					now--;
					return [{}];
				},
				['a', 'b', 'c', 'd', 'e'],
				{ concurrency: atOnce },
			);
			return top;
		};
		expect(await most()).toBe(1);
		expect(await most(3)).toBe(3);
	});

	it('of a cancelled execution logs what was done', async () => {
		const stop = new AbortController();
		const before = engine.log.length;
		const work: Run = async (call, name) => {
			if (name === 'b') stop.abort();
			if (call.signal?.aborted) throw new Error('cancelled');
			return await made(call, name);
		};
		await run(
			'write',
			work,
			['a', 'b', 'c'],
			{ identifyingKeys: ['id', 'state'], runsAllItems: true },
			{},
			{ cancel: stop.signal },
		);
		expect(
			engine.log.slice(before).filter(({ message }) => message.startsWith('Cancelled')),
		).toMatchObject([
			{
				message: 'Cancelled after item 0 was done: Make a thing',
				facts: { id: 'id of a', state: null },
			},
		]);
	});
});
