import { NodeConnectionTypes, type IDataObject, type IRun } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextError, type OperationContext } from '../../nodes/shared/operation/context.ts';
import { execute } from '../../nodes/shared/operation/execute.ts';
import { FileItem } from '../../nodes/shared/operation/items.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { KEY_CREDENTIALS } from '../../nodes/Vmaas/credentials.ts';
import { baseNodes } from '../engine/baseNodes.mts';
import { outputOf, startEngine, type Engine, type RunOptions } from '../engine/engine.mts';
import { CONTINUE, fileItem, MARKETPLACE, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';

/** A node of one operation that each test makes, run by the shared code in n8n's engine. */
const TYPE = 'test.operation';
let operation: Operation<never>;

baseNodes[TYPE] = {
	description: {
		displayName: 'Test',
		name: TYPE,
		group: ['output'],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'computeMarketplaceApi', required: true }],
		properties: ['resource', 'operation', 'name'].map((name) => ({
			displayName: name,
			name,
			type: 'string',
			default: '',
		})),
	},
	async execute() {
		return await execute(
			this,
			[{ value: 'thing', name: 'Thing', operations: [operation as Operation] }],
			KEY_CREDENTIALS,
		);
	},
};
afterAll(() => {
	delete baseNodes[TYPE];
});

let engine: Engine;
beforeAll(async () => {
	engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl: 'http://127.0.0.1:9', service: 'svc', apiKey: 'key-of-the-operation-tests' },
		},
	});
});

type Run = (call: OperationContext, name: string) => Promise<IDataObject[]>;

/** Runs it for each name; the first is item 0. */
async function run(
	effect: Operation['effect'],
	work: Run,
	names: string[],
	more: Partial<Operation> = {},
	settings: object = {},
	options: RunOptions = {},
): Promise<IRun> {
	operation = {
		value: 'make',
		name: 'Make',
		action: 'Make a thing',
		description: 'Makes a thing',
		effect,
		fields: [{ displayName: 'Name', name: 'name', type: 'string', default: '' }],
		input: (form: { text(name: string): string }) => form.text('name'),
		run: work,
		...more,
	} as unknown as Operation<never>;
	const parameters = { resource: 'thing', operation: 'make', name: '={{ $json.name }}' };
	return await engine.run(
		{ type: TYPE, credentials: MARKETPLACE, parameters, ...settings },
		names.map((name) => ({ name })),
		options,
	);
}

const made: Run = async (_, name) => [{ id: `id of ${name}` }];
const failsAt =
	(...bad: string[]): Run =>
	async (call, name) => {
		if (bad.includes(name))
			throw contextError(call, { message: `no ${name}`, description: 'Look.' }, { name });
		return await made(call, name);
	};

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
		operation = {
			...operation,
			input: (_: unknown, files: (name: string) => { fileName?: string } | undefined) => [
				files('data')?.fileName,
				files('other'),
			],
			run: async (_: unknown, names: unknown) => [{ names }],
		} as unknown as Operation<never>;
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
