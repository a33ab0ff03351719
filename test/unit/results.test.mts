import { NodeOperationError, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { withKnown } from '../../nodes/shared/operation/context.ts';
import { FileItem } from '../../nodes/shared/operation/items.ts';
import type { Journal } from '../../nodes/shared/operation/journal.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import {
	earlierIntent,
	logFinished,
	outputOf,
	preflightError,
	withFinished,
} from '../../nodes/shared/operation/results.ts';
import { node } from './parameters-form.mts';

const operation = (more: Partial<Operation> = {}): Operation => ({
	value: 'deploy',
	name: 'Deploy',
	action: 'Deploy a container',
	description: 'Deploys a container',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'name'],
	fields: [],
	input: () => undefined,
	run: async () => [],
	...more,
});

/** An error of an item, with what is known of it. */
const failure = (message: string, itemIndex = 0, known?: IDataObject, description?: string) => {
	const error = new NodeOperationError(node, message, { itemIndex, description });
	return known ? withKnown(error, known) : error;
};

/** The journal of an item of which this was noted before. */
const journal = (intent?: IDataObject) => ({ intent: () => intent }) as Journal;

describe('the output of an item', () => {
	it('is each of its results, selected and paired, with its file', () => {
		const binary = { data: { data: 'AA==', mimeType: 'text/plain' } };
		const items = [{ a: 1, b: 2 }, new FileItem({ a: 3 }, binary)];
		expect(outputOf({ items }, 4, ['a'])).toEqual([
			{ json: { a: 1 }, pairedItem: { item: 4 } },
			{ json: { a: 3 }, binary, pairedItem: { item: 4 } },
		]);
	});

	it('is what is known of a failure', () => {
		expect(
			outputOf({ error: failure('It failed', 4, { name: 'x' }, 'Look.') }, 4, undefined),
		).toEqual([
			{
				json: { error: 'It failed', details: { name: 'x', description: 'Look.' } },
				pairedItem: { item: 4 },
			},
		]);
	});
});

describe('the error that ends an execution', () => {
	const done = { items: [{ deployment_id: 7, name: 'a' }, new FileItem({ name: 'b' }, {})] };

	it('says what a write has done', () => {
		const error = withFinished([failure('It failed', 1)], [done, undefined], operation(), ['More']);
		expect(error.message).toBe('It failed');
		expect(error.description).toBe(
			'Item 0 was done: deployment_id 7, name a.\nItem 0 was done: deployment_id unknown, name b.\nMore.',
		);
		expect(error.context.done).toEqual([
			{ item: 0, json: { deployment_id: 7, name: 'a' } },
			{ item: 0, json: { name: 'b' } },
		]);
		expect(error.context.others).toBeUndefined();
	});

	it('keeps its own description, and says nothing of what was read', () => {
		const alone = withFinished([failure('It failed', 0, {}, 'Look')], [], operation());
		expect(alone.description).toBe('Look');
		const read = withFinished([failure('It failed')], [done], operation({ effect: 'read' }));
		expect([read.description, read.context.done]).toEqual([undefined, undefined]);
	});

	it('names the items that failed too, those of the same words in one line', () => {
		const failed = [
			failure('first', 0),
			failure('busy', 1),
			failure('busy', 2),
			failure('gone', 3, { name: 'job-3', deployment_id: null }),
			failure('job-4 is gone', 4, { name: 'job-4' }),
		];
		expect(withFinished(failed, [], operation({ effect: 'read' })).description).toBe(
			'Items 1, 2 failed too: busy.\nItem 3 failed too: gone (name job-3).\nItem 4 failed too: job-4 is gone.',
		);
	});

	it('has what other failures have cost, where each is billed', () => {
		const generate = operation({ effect: 'generate' });
		const failed = () => [failure('first', 0), failure('second', 1, { total_tokens: 9 })];
		expect(withFinished(failed(), [done], generate).context).toMatchObject({
			done: [{ item: 0 }, { item: 0 }],
			others: [{ item: 1, total_tokens: 9 }],
		});
		expect(withFinished([failure('first')], [], generate).context.others).toBeUndefined();
		expect(withFinished(failed(), [], operation()).context.others).toBeUndefined();
	});
});

describe('the error before the first item', () => {
	const invalid = () => ({ error: failure('Name is wrong', 1) });
	const unsent = operation({ describeUnsent: (inputs) => ` (${inputs.join(', ')} go on)` });

	it('is none where every item is valid, or was done', () => {
		expect(preflightError(unsent, [{ value: 'a' }], [undefined], [journal()])).toBeUndefined();
		const finished = [{ items: [] }];
		expect(preflightError(unsent, [invalid()], finished, [journal()])).toBeUndefined();
	});

	it('says what is left, and what was sent before', () => {
		const inputs = [{ value: 'a' }, invalid(), { value: 'c' }, { value: 'd' }];
		const journals = [
			journal({ name: 'job-0' }),
			journal({ name: 'job-1' }),
			journal({ name: 'job-2' }),
			journal(),
		];
		const finished = [{ items: [{ name: 'job-0' }] }, undefined, undefined, undefined];
		const error = preflightError(unsent, inputs, finished, journals);
		expect(error?.message).toBe('Name is wrong (c, d go on)');
		expect(error?.description).toBe(
			'Item 0 was done: deployment_id unknown, name job-0.\nItem 2 was sent by an earlier try, and its outcome is unknown: name job-2.',
		);
	});

	it('says nothing of items where none are left', () => {
		expect(preflightError(unsent, [invalid()], [undefined], [journal()])?.message).toBe(
			'Name is wrong',
		);
	});
});

describe('what an earlier try has sent', () => {
	it.each<[IDataObject | undefined, ReturnType<typeof earlierIntent>]>([
		[undefined, undefined],
		[{ other: 1 }, undefined],
		[{ name: 'job' }, { what: 'name job', known: { name: 'job', outcome: 'unknown' } }],
		[
			{ name: 'job', deployment_id: 7 },
			{
				what: 'deployment_id 7, name job',
				known: { deployment_id: 7, name: 'job', outcome: 'unknown' },
			},
		],
		[
			{ what: 'Extend of 7', name: 'job' },
			{ what: 'Extend of 7', known: { name: 'job', outcome: 'unknown' } },
		],
	])('%j', (intent, expected) =>
		expect(earlierIntent(journal(intent), operation())).toEqual(expected),
	);

	it('has no words without names of the output', () => {
		const nameless = operation({ identifyingKeys: undefined });
		expect(earlierIntent(journal({ name: 'job' }), nameless)).toBeUndefined();
	});
});

it('the log of a cancelled execution has what was done', () => {
	const lines: unknown[] = [];
	const functions = {
		logger: { warn: (...line: unknown[]) => lines.push(line) },
	} as unknown as IExecuteFunctions;
	const results = [
		{ items: [{ name: 'a', secret: 'x' }] },
		{ error: failure('failed') },
		undefined,
		{ items: [{ deployment_id: 3 }] },
	];
	logFinished(functions, results, operation());
	logFinished(functions, results.slice(3), operation({ identifyingKeys: undefined }));
	expect(lines).toEqual([
		['Cancelled after item 0 was done: Deploy a container', { deployment_id: null, name: 'a' }],
		['Cancelled after item 3 was done: Deploy a container', { deployment_id: 3, name: null }],
		['Cancelled after item 0 was done: Deploy a container', {}],
	]);
});
