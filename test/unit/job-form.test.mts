import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import { run } from '../../nodes/Vmaas/resources/job/run.ts';
import { start } from '../../nodes/Vmaas/resources/job/start.ts';
import { jobParameters } from '../engine/nodes.mts';
import { inputOf } from './job-bench.mts';
import { message, node } from './parameters-form.mts';

const form = (changes: IDataObject = {}) => inputOf(start, jobParameters(changes));
const refusal = (changes: IDataObject) => message(() => form(changes));

/** A form in which the editor has left this field empty, or an expression has given nothing. */
function formSaved(saved: IDataObject, values: IDataObject) {
	const asSaved = {
		...node,
		parameters: { ...jobParameters(), ...saved } as typeof node.parameters,
	};
	const all = jobParameters(values);
	return start.input(
		new Parameters(asSaved, 0, start.fields, (name) => all[name]),
		() => undefined,
	);
}

describe('the form of a job', () => {
	it('is an order with the key of the SSH credential alone, for the whole time', () => {
		expect(form()).toEqual({
			key: 'train',
			command: 'echo done',
			environment: [],
			inputs: [],
			order: {
				durationHours: 2,
				usesSshCredential: true,
				body: { duration_hours: 2, ssh_keys: {} },
				priceLimits: {
					maxPrice: 50,
					maxHourlyPrice: undefined,
					maxRunningCost: undefined,
					currency: 'usdc',
				},
				filters: expect.any(Object) as unknown,
				gpusPerVm: 1,
				maxTries: 3,
				keepTryingMs: 0,
			},
			waitMs: 900_000,
		});
	});

	it('takes the options that are added', () => {
		const options = {
			vmImageType: 'datascience',
			keepTryingFor: 1.5,
			environment: { variables: [{ name: 'A', value: '1' }] },
		};
		expect(form({ options })).toMatchObject({
			environment: [['A', '1']],
			order: {
				body: { duration_hours: 2, ssh_keys: {}, vm_image_type: 'datascience' },
				keepTryingMs: 90_000,
			},
		});
	});

	it.each([null, 'windows'])('takes %j for no image', (vmImageType) => {
		expect(refusal({ options: { vmImageType } })).toContain('VM Image Type');
	});

	it('leaves the command as it is', () => {
		const command = '  cat <<END\n  a\nEND\n';
		expect(form({ command }).command).toBe(command);
	});

	it.each([{ maxPrice: 50 }, { maxHourlyPrice: 3 }])('is complete with the limit %j', (safety) => {
		expect(form({ safety }).order.priceLimits).toMatchObject(safety);
	});

	it.each([{}, { currency: 'usdc' }])(
		'is an error with the limits %j: a job rents nothing without one',
		(safety) => {
			expect(refusal({ safety })).toBe(
				'Safety must hold a Maximum Price or a Maximum Hourly Price',
			);
		},
	);

	it('takes the files of the item, and is an error where one is missing', () => {
		const file = { fileName: 'in.csv', mimeType: 'text/csv', data: '' } as IBinaryData;
		const all = jobParameters({ inputFields: 'data' });
		const input = start.input(
			new Parameters(node, 0, start.fields, (name) => all[name]),
			(field) => (field === 'data' ? file : undefined),
		);
		expect(input.inputs).toEqual([{ name: 'in.csv', file }]);
		expect(refusal({ inputFields: 'data' })).toContain('the item has no file in "data"');
	});
});

describe('what is cheapest for a job', () => {
	it.each([
		['any number of GPUs, where 0 is chosen', 0, undefined],
		['this number of GPUs', 8, 8],
	])('is of %s', (_, gpusPerVm, expected) => {
		expect(form({ gpusPerVm }).order.gpusPerVm).toBe(expected);
	});

	it('is of any number of GPUs where a person has left the field empty', () => {
		expect(formSaved({ gpusPerVm: '' }, { gpusPerVm: '' }).order.gpusPerVm).toBeUndefined();
	});

	it.each(['', null])('is unknown where an expression gives %j GPUs', (gpusPerVm) => {
		const saved = { gpusPerVm: '={{ $json.gpus }}' };
		expect(message(() => formSaved(saved, { gpusPerVm }))).toBe(
			'GPUs per VM must not be empty; 0 accepts any number',
		);
	});

	it.each([
		[0, 0],
		[0.5, 30_000],
		[1_440, 86_400_000],
	])('is looked for again for %d minutes', (keepTryingFor, ms) => {
		expect(form({ options: { keepTryingFor } }).order.keepTryingMs).toBe(ms);
	});

	it.each([-1, 1_441])('is not looked for again for %d minutes', (keepTryingFor) => {
		expect(refusal({ options: { keepTryingFor } })).toContain(
			`Keep Trying For (Minutes) must be a number from 0 to 1440, got ${keepTryingFor}`,
		);
	});

	it.each([0, 21, 1.5])('is not tried %d times', (maxTries) => {
		expect(refusal({ maxTries })).toContain(`got ${maxTries}`);
	});
});

describe('the files that a job brings back', () => {
	const patterns = (resultFiles: unknown) =>
		inputOf(run, jobParameters({ resultFiles } as IDataObject)).outputs;

	it('are named by patterns, by commas or as a list', () => {
		expect(patterns('model.pt, /tmp/*.log')).toEqual(['model.pt', '/tmp/*.log']);
		expect(patterns(['a', '~/b/c'])).toEqual(['a', '~/b/c']);
		expect(patterns('')).toEqual([]);
	});

	it.each(['logs/', '/', 'a\tb', 'a\u0000b', 'a\u007Fb'])('are no files by %j', (pattern) => {
		expect(message(() => patterns([pattern]))).toBe(
			`Result Files must name files, got "${pattern}"`,
		);
	});
});
