import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import { deployCheapest } from '../../nodes/Vmaas/resources/deployment/deployCheapest.ts';
import { message, node } from './parameters-form.mts';
import { cheapestForm } from './shop-parts.mts';

const keepTrying = (keepTryingFor: unknown) =>
	cheapestForm({ additionalFields: { keepTryingFor } as IDataObject });

describe('the form of Deploy Cheapest', () => {
	it('looks once, at offers of any size', () => {
		expect(cheapestForm()).toMatchObject({ gpusPerVm: undefined, maxTries: 3, keepTryingMs: 0 });
	});

	it('takes what is chosen, up to its limits', () => {
		expect(cheapestForm({ gpusPerVm: 8, maxTries: 20 })).toMatchObject({
			gpusPerVm: 8,
			maxTries: 20,
		});
		expect(keepTrying(1440).keepTryingMs).toBe(86_400_000);
		expect(keepTrying(0.5).keepTryingMs).toBe(30_000);
	});

	it.each<[string, () => unknown, string]>([
		[
			'no try',
			() => cheapestForm({ maxTries: 0 }),
			'Max Tries must be a whole number from 1 to 20, got 0',
		],
		[
			'21 tries',
			() => cheapestForm({ maxTries: 21 }),
			'Max Tries must be a whole number from 1 to 20, got 21',
		],
		[
			'time that is over',
			() => keepTrying(-1),
			'Additional Fields: Keep Trying For (Minutes) must be a number from 0 to 1440, got -1',
		],
		[
			'more than a day',
			() => keepTrying(1441),
			'Additional Fields: Keep Trying For (Minutes) must be a number from 0 to 1440, got 1441',
		],
		[
			'a size that an expression leaves empty',
			() => cheapestForm({ gpusPerVm: '' }),
			'GPUs per VM must not be empty; 0 accepts any number',
		],
	])('does not take %s', (_, work, text) => {
		expect(message(work)).toBe(text);
	});

	it('takes a size that a person has left empty for any', () => {
		const values: IDataObject = {
			...{ resourcePrivateName: 'a', durationHours: 1, useSshCredential: true, sshKeys: {} },
			...{ filters: {}, gpusPerVm: '', maxTries: 1, safety: {}, additionalFields: {} },
		};
		const saved = { ...node, parameters: { gpusPerVm: '' } };
		const read = (name: string) => values[name];
		const parameters = new Parameters(saved, 0, deployCheapest.fields, read);
		expect(deployCheapest.input(parameters, () => undefined)).toMatchObject({
			gpusPerVm: undefined,
			usesSshCredential: true,
		});
	});

	it('takes no filter that is empty, since it would let everything pass', () => {
		for (const filters of [{ gpu: '' }, { regions: [] }])
			expect(message(() => cheapestForm({ filters }))).toMatch(
				/^Filters: (GPU|Regions) must not be empty/,
			);
	});

	it('keeps trying among its other fields, beside those of Deploy', () => {
		const fields = deployCheapest.fields.find(({ name }) => name === 'additionalFields');
		expect(fields).toMatchObject({ displayName: 'Additional Fields', placeholder: 'Add Field' });
		expect(cheapestForm({ additionalFields: { vmsQty: 2, keepTryingFor: 1 } })).toMatchObject({
			vmsQty: 2,
			keepTryingMs: 60_000,
		});
	});
});
