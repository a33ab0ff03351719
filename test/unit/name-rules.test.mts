import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { checkName, type NameRules } from '../../nodes/marketplace/deploymentName.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { withDetails } from '../../nodes/marketplace/spending.ts';
import { jobBench, outcome } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const NAME = 'nightly-training-0123456789';
/** What a service that cuts names makes of it. */
const CUT = NAME.slice(0, 20);

/** What is said about a purchase under the name, where these deployments are there. */
async function checked(list: IDataObject[], changes: Partial<NameRules> = {}) {
	const context = {
		...jobBench({
			list,
			instead: (one) => (/t\/[^/]+$/.test(one) ? [404, {}] : undefined),
		}).context(),
		product: VMAAS,
	};
	const rules: NameRules = {
		name: NAME,
		uniqueName: false,
		ifNameExists: 'error',
		minRemainingHours: 0,
		dryRun: false,
		workers: 1,
		...changes,
	};
	return await outcome(async () => await checkName(context, NAME, rules, new Map()));
}

const entry = (deployment_id: string, name: string, status = 'running') => ({
	deployment_id,
	name,
	status,
});

describe('a name that is to be bought', () => {
	it('is free where only others are there: each of them is older', async () => {
		const list = [entry('d1', 'other'), entry('d2', NAME, 'destroyed')];
		expect(await checked(list)).toEqual({ knownIds: ['d2'], olderIds: ['d1', 'd2'] });
	});

	it('is taken by one that has it', async () => {
		expect(await checked([entry('d1', NAME)])).toMatchObject({
			message: `A deployment named "${NAME}" already exists (d1, running)`,
		});
	});

	it.each([
		['in another case', NAME.toUpperCase()],
		['cut', CUT],
	])('may be taken by one that has it %s', async (_, name) => {
		expect(await checked([entry('d1', name)])).toMatchObject({
			message: `A deployment named "${name}" already exists (d1, running)`,
			description: expect.stringContaining(
				`It may be what the service has made of "${NAME}"`,
			) as unknown,
		});
	});

	it('is not taken by one that was cut, where it is unique: that is of another execution', async () => {
		expect(await checked([entry('d1', CUT)], { uniqueName: true })).toEqual({
			knownIds: ['d1'],
			olderIds: ['d1'],
		});
	});

	it('is free where it is unique and nothing similar shows its name', async () => {
		const list = [entry('d1', 'other'), { deployment_id: 'd2', status: 'running' }];
		expect(await checked(list, { uniqueName: true })).toEqual({
			knownIds: [],
			olderIds: ['d1', 'd2'],
		});
	});

	it.each([NAME, NAME.toUpperCase()])(
		'is taken where it is unique and shows as %s: an earlier try has bought it',
		async (name) => {
			expect(await checked([entry('d1', name)], { uniqueName: true })).toMatchObject({
				message: `A deployment named "${name}" already exists (d1, running)`,
			});
		},
	);
});

describe('what was paid for deployments', () => {
	it('is asked for where the list does not show it', async () => {
		const bench = jobBench({
			instead: () => [200, { data: { deployment_id: 'd2', amount_paid: 3 } }],
		});
		const list = [
			{ deployment_id: 'd1', status: 'running', amount_paid: 2 },
			{ deployment_id: 'd2', status: 'running', amount_paid: 0 },
		];
		const known = await withDetails({ ...bench.context(), product: VMAAS }, list);
		expect(known).toEqual([
			{ entry: list[0], details: list[0] },
			{ entry: list[1], details: { ...list[1], amount_paid: 3 } },
		]);
		expect(bench.requests.map((one) => one.replace(/.*\//, ''))).toEqual(['d2']);
	});
});
