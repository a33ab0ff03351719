import { describe, expect, it } from 'vitest';
import { type OperationContext } from '../../nodes/shared/operation/context.ts';
import { FileItem } from '../../nodes/shared/operation/items.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { outputOf } from '../engine/engine.mts';
import { CONTINUE, fileItem, MARKETPLACE, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import {
	TYPE,
	change,
	engine,
	failsAt,
	made,
	run,
	useOperation,
	type Run,
} from './one-operation.mts';

useOperation();

describe('a read', () => {
	it('that fails does not name the others, which changed nothing', async () => {
		const error = errorOf(await run('read', failsAt('b'), ['a', 'b']));
		expect(error.description).toBe('Look.');
		expect(error.context).not.toHaveProperty('done');
		const generated = errorOf(await run('generate', failsAt('b'), ['a', 'b']));
		expect(generated.description).toBe('Look.');
		expect(generated.context.done).toEqual([{ item: 0, json: { id: 'id of a' } }]);
	});

	it('of an object with an error field has not failed', async () => {
		let runs = 0;
		const work: Run = async () => [
			{ error: `no ${++runs}`, id: 7 },
			{ error: null, id: 8 },
			{ id: 9 },
		];
		expect(jsonOf(await run('read', work, ['a'], {}, RETRY))).toEqual([
			{ service_error: 'no 1', id: 7 },
			{ error: null, id: 8 },
			{ id: 9 },
		]);
	});

	it('is done again in every try', async () => {
		const runs: string[] = [];
		const work: Run = async (_, name) => {
			runs.push(name);
			if (runs.length === 2) throw new Error('once');
			return [{ name }];
		};
		await run('read', work, ['a', 'b'], {}, RETRY);
		expect(runs).toEqual(['a', 'b', 'a', 'b']);
	});

	it('shares what all items need, and loads it again where that failed', async () => {
		let loads = 0;
		const load = async () => {
			if (++loads === 1) throw new Error('first');
			return loads;
		};
		const work: Run = async (call) => [
			{ loads: await call.once('list', load).catch(() => call.once('list', load)) },
		];
		expect(jsonOf(await run('read', work, ['a', 'b', 'c']))).toEqual([
			{ loads: 2 },
			{ loads: 2 },
			{ loads: 2 },
		]);
		expect(loads).toBe(2);
	});
});

describe('On Error = Continue', () => {
	it('each failed item has its message and what is known', async () => {
		const result = await run('write', failsAt('b'), ['a', 'b', ' ', 'd'], {}, CONTINUE);
		expect(outputOf(result).map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual([
			{ json: { id: 'id of a' }, pairedItem: { item: 0 } },
			{
				json: { error: 'no b', details: { name: 'b', description: 'Look.' } },
				pairedItem: { item: 1 },
			},
			{
				json: { error: 'Name is required and must not be empty', details: { description: null } },
				pairedItem: { item: 2 },
			},
			{ json: { id: 'id of d' }, pairedItem: { item: 3 } },
		]);
	});

	it('an operation gets the inputs of all items, undefined for an invalid one', async () => {
		const result = await run(
			'read',
			async (call) => [{ inputs: call.inputs.map((input) => input ?? null) }],
			['a', ' '],
			{},
			CONTINUE,
		);
		expect(jsonOf(result)[0]).toEqual({ inputs: ['a', null] });
	});
});

describe('items', () => {
	it('may be many or none, with files', async () => {
		const binary = { data: { data: 'eA==', mimeType: 'text/plain' } };
		const work = async (_: OperationContext, name: string) =>
			name === 'none' ? [] : [{ name }, new FileItem({ file: name }, binary)];
		const result = await run('read', work as Run, ['none', 'two']);
		expect(outputOf(result)).toMatchObject([
			{ json: { name: 'two' }, pairedItem: { item: 1 } },
			{ json: { file: 'two' }, binary, pairedItem: { item: 1 } },
		]);
		expect(outputOf(result)[0]).not.toHaveProperty('binary');
	});

	it('can read their files', async () => {
		await run('read', made, []);
		change({
			input: (_: unknown, files: (name: string) => { fileName?: string } | undefined) => [
				files('data')?.fileName,
				files('other'),
			],
			run: async (_: unknown, names: unknown) => [{ names }],
		});
		const result = await engine.runItems(
			{
				type: TYPE,
				credentials: MARKETPLACE,
				parameters: { resource: 'thing', operation: 'make' },
			},
			[fileItem('a.txt', 'x')],
		);
		expect(jsonOf(result)).toEqual([{ names: ['a.txt', undefined] }]);
	});
});

it('whatever is thrown becomes an error of the node with its item', async () => {
	const thrown = async (what: unknown) =>
		errorOf(await run('read', () => Promise.reject(what), ['a']));
	expect(await thrown(new TypeError('not a function'))).toMatchObject({
		message: 'not a function',
		context: { itemIndex: 0 },
	});
	expect(await thrown('text')).toMatchObject({ message: 'text', context: { itemIndex: 0 } });
	const broken = {
		input: () => {
			throw new RangeError('in the form');
		},
	} as unknown as Partial<Operation>;
	expect(errorOf(await run('read', made, ['a'], broken))).toMatchObject({
		message: 'in the form',
		context: { itemIndex: 0 },
	});
});

it('an operation that the node does not have is an error', async () => {
	await run('read', made, []);
	const result = await engine.run({
		type: TYPE,
		credentials: MARKETPLACE,
		parameters: { resource: 'thing', operation: 'other' },
	});
	expect(errorOf(result).message).toBe('There is no operation "other" of "thing" in this node');
});
