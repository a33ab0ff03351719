import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { checkName, uniqueNameOf, type NameRules } from '../../nodes/marketplace/deploymentName.ts';
import { noteAccepted, noteBought, noteConfirmed } from '../../nodes/marketplace/ownDeployments.ts';
import { noteSeen } from '../../nodes/marketplace/presence.ts';
import { CAAS } from '../../nodes/marketplace/product.ts';
import { now } from '../../nodes/shared/time.ts';
import { Market, productContext, REFUSED, refusalOf } from './market-parts.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

const RULES: NameRules = {
	name: 'job',
	uniqueName: false,
	ifNameExists: 'useExisting',
	minRemainingHours: 1,
	dryRun: false,
	workers: 1,
};
/** One that runs for an hour and a half. */
const LEFT = { compute_minutes_remaining: 90 };
const minutesAgo = (minutes: number) => new Date(now() - minutes * 60_000).toISOString();

interface Given extends Partial<NameRules> {
	clockAheadMs?: number;
}

/** The existing deployment that is used in place of a purchase, or the error. */
async function using(market: Market, { clockAheadMs = 0, ...more }: Given = {}) {
	const context = await productContext(market);
	context.account.clockAheadMs = clockAheadMs;
	const found = await checkName(context, 'job', { ...RULES, ...more }, new Map());
	return (found as { done: IDataObject }).done;
}

/** Why the only one is not used: all of the message that is about it. */
async function whyUnfit(shown: IDataObject, more: Given = {}) {
	const refusal = await refusalOf(using(new Market().add('d1', shown), more));
	return refusal?.message.replace('The existing deployment named "job" cannot be used: d1 ', '');
}

/** What the output says of the only one, which is used. */
const hintOf = async (shown: IDataObject, more: Given = {}) =>
	(await using(new Market().add('d1', shown), more)).hint;

describe('an existing deployment', () => {
	it('is passed on as its details show it, with its end', async () => {
		const market = new Market().add('d1', LEFT);
		market.details.set('d1', { id: 'd1', status: 'Running', compute_minutes_remaining: 61 });
		expect(await using(market)).toStrictEqual({
			id: 'd1',
			deployment_id: 'd1',
			resource_private_name: 'job',
			status: 'Running',
			compute_minutes_remaining: 61,
			expires_at: minutesAgo(-61),
			existing: true,
		});
	});

	it('is passed on as the list shows it where its details cannot be read', async () => {
		const market = new Market().add('d1', LEFT);
		market.instead = (request) => (request === 'GET deployment/d1' ? REFUSED : undefined);
		expect(await using(market)).toMatchObject({ deployment_id: 'd1', ...LEFT });
	});

	it('is the first one that fits', async () => {
		const market = new Market().add('d1', { status: 'paused' }).add('d2', LEFT).add('d3', LEFT);
		expect(await using(market)).toMatchObject({ deployment_id: 'd2' });
	});

	it('is none where none fits, and it says why for each', async () => {
		const market = new Market().add('d1', { status: 'paused' }).add('d2', { status: undefined });
		const context = await productContext(market);
		noteConfirmed(context, 'job', { purchaseId: 'p', sentAt: now(), knownIds: ['d1', 'd2'] });
		expect(await refusalOf(checkName(context, 'job', RULES, new Map()))).toEqual({
			message:
				'The existing deployment named "job" cannot be used: d1 is "paused"; d2 does not show its state yet; one without a known ID does not show its state yet',
			description:
				'Nothing was deployed. Extend or destroy it, change Safety > Min Remaining Hours, or use another name.',
			known: { deployment_id: 'd1' },
		});
	});

	it('is none that was told to end, also where it still shows as running', async () => {
		const market = new Market().add('d1', LEFT);
		noteAccepted(await productContext(market), 'd1');
		expect(await refusalOf(using(market))).toMatchObject({
			message: 'A deployment named "job" already exists (d1, running)',
			description: expect.stringContaining('It is being destroyed') as string,
		});
		market.add('d2', LEFT);
		expect(await using(market)).toMatchObject({ deployment_id: 'd2' });
	});

	it('is none that its details show as ending', async () => {
		const market = new Market().add('d1', LEFT).hide('d1', { status: 'terminating' });
		expect(await refusalOf(using(market))).toMatchObject({
			message: 'The existing deployment named "job" cannot be used: d1 is "terminating"',
			known: { deployment_id: 'd1' },
		});
	});
});

describe('the time that an existing deployment has left', () => {
	it('must be the least that is wanted', async () => {
		expect(await whyUnfit({ compute_minutes_remaining: 59.9 })).toBe(
			'has 59 minutes left, and Min Remaining Hours is 1',
		);
		expect(await hintOf({ compute_minutes_remaining: 60 })).toBeUndefined();
	});

	it('does not count before it runs', async () => {
		const shown = { status: 'deployment requested', compute_minutes_remaining: 0 };
		expect(await hintOf(shown)).toBeUndefined();
		expect(await hintOf({ status: 'deployment requested' })).toBeUndefined();
	});

	it('is told to be unknown where it is not shown', async () => {
		expect(await hintOf({})).toBe('The service does not show how much of its paid time is left.');
	});

	const PAIR = { total_vms: 1, gpus_per_vm: 2 };

	it('may be less where the service may add its minutes up', async () => {
		expect(await hintOf({ ...PAIR, compute_minutes_remaining: 119 })).toBe(
			'The service may add its minutes up over GPUs, so less of its paid time may be left.',
		);
		expect(await hintOf({ ...PAIR, compute_minutes_remaining: 120 })).toBeUndefined();
	});

	it('is known where the minutes served tell whether they are added up', async () => {
		const shown = (served: number, remaining: number) => ({
			...PAIR,
			started_at: minutesAgo(60),
			compute_minutes_served: served,
			compute_minutes_remaining: remaining,
		});
		expect(await hintOf(shown(60, 60))).toBeUndefined();
		expect(await whyUnfit(shown(120, 100))).toBe(
			'has 50 minutes left, and Min Remaining Hours is 1',
		);
		const used = await using(new Market().add('d1', shown(120, 240)));
		expect(used).toMatchObject({ expires_at: minutesAgo(-120) });
		// By the clock of the service it runs for two hours, and then nothing is added up
		const ahead = { clockAheadMs: 3_600_000 };
		expect(await hintOf(shown(120, 100), ahead)).toMatch(/^The service may add its minutes up/);
		const unsure = await using(new Market().add('d1', shown(120, 240)), ahead);
		expect(unsure).toMatchObject({ expires_at: minutesAgo(-240) });
	});
});

describe('the hardware of an existing deployment', () => {
	it('is told where another one is ordered', async () => {
		const shown = { ...LEFT, hardware_id: 13 };
		expect(await hintOf(shown, { hardwareId: 12 })).toBe('It has hardware 13, and 12 is ordered.');
		expect(await hintOf(shown)).toBeUndefined();
	});

	it.each(['12', '12__US', '', 0, undefined])('is not told where it shows %j', async (shown) => {
		expect(await hintOf({ ...LEFT, hardware_id: shown }, { hardwareId: 12 })).toBeUndefined();
	});
});

describe('the size of an existing deployment', () => {
	it.each<[IDataObject, Partial<NameRules>, string]>([
		[{ gpus_per_vm: 2 }, { gpus: 4 }, 'has 2 GPUs per VM, and 4 are ordered'],
		[{ total_vms: '4', total_gpus: 8 }, { gpus: 4 }, 'has 2 GPUs per VM, and 4 are ordered'],
		[{ total_vms: 2 }, { workers: 3 }, 'has 2 VMs, and 3 are ordered'],
		[{ gpus_per_vm: 4, total_gpus: 8 }, { workers: 3 }, 'has 2 VMs, and 3 are ordered'],
		[{ gpus_per_vm: 4, hardware_quantity: 8 }, { workers: 3 }, 'has 2 VMs, and 3 are ordered'],
		[{}, { gpus: 2 }, 'does not show how many VMs and GPUs it has'],
		[{}, { workers: 2 }, 'does not show how many VMs and GPUs it has'],
		[
			{ gpus_per_vm: 0, total_vms: 0, total_gpus: 0 },
			{ gpus: 2 },
			'does not show how many VMs and GPUs it has',
		],
		[{ gpus_per_vm: 4 }, { gpus: 4, workers: 2 }, 'does not show how many VMs and GPUs it has'],
		[{ total_vms: 2 }, { gpus: 4, workers: 2 }, 'does not show how many VMs and GPUs it has'],
		[{ total_gpus: 3 }, { gpus: 2, workers: 2 }, 'has 3 GPUs in all, and 4 are ordered'],
	])('with %j is too small for %j', async (size, ordered, problem) => {
		expect(await whyUnfit({ ...LEFT, ...size }, ordered)).toBe(problem);
	});

	it.each<[IDataObject, Partial<NameRules>]>([
		[{}, {}],
		[
			{ gpus_per_vm: 8, total_vms: 2 },
			{ gpus: 4, workers: 1 },
		],
		[
			{ gpus_per_vm: 4, total_vms: 2 },
			{ gpus: 4, workers: 2 },
		],
		[{ gpus_per_vm: 4 }, { gpus: 4 }],
		[
			{ total_gpus: 8, total_vms: 2 },
			{ gpus: 4, workers: 2 },
		],
		[{ total_vms: 2 }, { workers: 2 }],
	])('with %j is enough for %j', async (size, ordered) => {
		const more = { ...ordered, minRemainingHours: 0 };
		expect(await hintOf({ ...LEFT, ...size }, more)).toBeUndefined();
	});

	it.each(['total_gpus', 'hardware_quantity'])(
		'may be enough where %s alone is shown, which is told',
		async (key) => {
			const ordered = { gpus: 2, workers: 2, minRemainingHours: 0 };
			expect(await hintOf({ ...LEFT, [key]: 4 }, ordered)).toBe(
				'The service shows how many GPUs it has in all, not how many each VM has.',
			);
		},
	);

	it('is that of containers for an order of containers', async () => {
		const context = await productContext(
			new Market().add('d1', { ...LEFT, total_containers: 1, gpus_per_container: 1 }),
			{ product: CAAS },
		);
		const checked = checkName(context, 'job', { ...RULES, gpus: 2 }, new Map());
		expect(await refusalOf(checked)).toMatchObject({
			message:
				'The existing deployment named "job" cannot be used: d1 has 1 GPUs per container, and 2 are ordered',
		});
	});
});

describe('what was bought here and does not show', () => {
	const check = async (market: Market, bought: Record<string, number>) => {
		const context = await productContext(market);
		noteBought(context, 'd1', { names: ['job'], purchaseId: 'p' });
		noteSeen(context, 'd1');
		const rules = { ...RULES, ifNameExists: 'error' } as const;
		return await checkName(context, 'job', rules, new Map(Object.entries(bought)));
	};

	it('frees its name once it has been gone for two minutes', async () => {
		const others = new Market().add('d2', { resource_private_name: 'other' });
		expect(await ended(check(others, {}))).toMatchObject({
			value: { knownIds: ['d1'], olderIds: ['d2', 'd1'] },
			seconds: 120,
		});
	});

	it('keeps its name while it cannot be read, however old it is', async () => {
		const market = new Market();
		market.instead = (request) => (request === 'GET deployment/d1' ? REFUSED : undefined);
		expect(await refusalOf(check(market, { d1: 0 }))).toMatchObject({
			message: 'A deployment named "job" already exists (d1, state unknown)',
		});
	});
});

describe('a unique name', () => {
	const nameOf = async (changes: Record<string, unknown> = {}, itemIndex = 0) => {
		const context = await productContext(new Market());
		const functions = { ...context.functions, ...changes } as unknown as IExecuteFunctions;
		return uniqueNameOf({ ...context, functions, itemIndex }, 'job');
	};

	it('is the same for a retry', async () => {
		expect(await nameOf()).toMatch(/^job-[0-9a-f]{10}$/);
		expect(await nameOf()).toBe(await nameOf());
	});

	it('is another one for each instance, workflow, node, execution, run and item', async () => {
		const names = [
			await nameOf(),
			await nameOf({}, 1),
			await nameOf({ getInstanceId: () => 'other' }),
			await nameOf({ getWorkflow: () => ({ id: 'other' }) }),
			await nameOf({ getNode: () => ({ id: 'other' }) }),
			await nameOf({ getExecutionId: () => 'other' }),
			await nameOf({ getWorkflowDataProxy: () => ({ $runIndex: 1 }) }),
		];
		expect(new Set(names).size).toBe(names.length);
	});
});
