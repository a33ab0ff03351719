import { NodeConnectionTypes, type IDataObject, type IRun } from 'n8n-workflow';
import { afterAll, beforeAll } from 'vitest';
import { contextError, type OperationContext } from '../../nodes/shared/operation/context.ts';
import { execute } from '../../nodes/shared/operation/execute.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { KEY_CREDENTIALS } from '../../nodes/marketplace/credentials.ts';
import { baseNodes } from '../engine/baseNodes.mts';
import { startEngine, type Engine, type RunOptions } from '../engine/engine.mts';
import { MARKETPLACE } from '../engine/nodes.mts';

/** A node of one operation that each test makes, run by the shared code in n8n's engine. */
export const TYPE = 'test.operation';
let operation: Operation<never>;

const node: (typeof baseNodes)[string] = {
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

export let engine: Engine;

/** The engine with this node; to be called by each test file, since files share modules. */
export function useOperation(): void {
	beforeAll(async () => {
		baseNodes[TYPE] = node;
		engine = await startEngine({
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: {
					baseUrl: 'http://127.0.0.1:9',
					service: 'svc',
					apiKey: 'key-of-the-operation-tests',
				},
			},
		});
	});
	afterAll(() => {
		delete baseNodes[TYPE];
	});
}

export type Run = (call: OperationContext, name: string) => Promise<IDataObject[]>;

/** Runs it for each name; the first is item 0. */
export async function run(
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

export const made: Run = async (_, name) => [{ id: `id of ${name}` }];
export const failsAt =
	(...bad: string[]): Run =>
	async (call, name) => {
		if (bad.includes(name))
			throw contextError(call, { message: `no ${name}`, description: 'Look.' }, { name });
		return await made(call, name);
	};

/** Changes the operation that was run last. */
export function change(more: object): void {
	operation = { ...operation, ...more } as Operation<never>;
}
