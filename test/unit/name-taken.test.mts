import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { checkName, type NameRules } from '../../nodes/marketplace/deploymentName.ts';
import { noteBought, noteConfirmed } from '../../nodes/marketplace/ownDeployments.ts';
import type { ProductContext } from '../../nodes/marketplace/product.ts';
import { elapsed, now } from '../../nodes/shared/time.ts';
import { Market, productContext, REFUSED, refusalOf } from './market-parts.mts';

const LONG = 'nightly-training-run-eu';
/** What a service that cuts names makes of it. */
const CUT = 'nightly-training-run';

interface Given extends Partial<NameRules> {
	market?: Market;
	context?: ProductContext;
	/** What this process has bought under the name, and when. */
	bought?: Record<string, number>;
}

async function check({ market = new Market(), context, bought = {}, ...more }: Given = {}) {
	const rules: NameRules = {
		name: 'job',
		uniqueName: false,
		ifNameExists: 'error',
		minRemainingHours: 0,
		dryRun: false,
		workers: 1,
		...more,
	};
	const own = context ?? (await productContext(market));
	return await checkName(own, rules.name, rules, new Map(Object.entries(bought)));
}

/** A service whose list has these entries and no details of them. */
function listing(...entries: IDataObject[]): Market {
	const market = new Market();
	market.listed = entries;
	return market;
}

/** A service whose list cannot be read. */
function listless(): Market {
	const market = new Market();
	market.instead = () => REFUSED;
	return market;
}

/** An execution that has bought these deployments under the name. */
async function buyer(market: Market, ...ids: string[]): Promise<ProductContext> {
	const context = await productContext(market);
	for (const id of ids) noteBought(context, id, { names: ['job'], purchaseId: `of ${id}` });
	return context;
}

describe('a name, where the list of deployments cannot be read', () => {
	it('stops a purchase that must not have the name of another', async () => {
		const refusal = await refusalOf(check({ market: listless() }));
		expect(refusal?.message).toMatch(/^The list of deployments could not be read: /);
		expect(refusal?.description).toMatch(
			/Nothing was deployed\. Without this list only Unique Name, or Deploy Anyway .* can deploy\.$/,
		);
		const useExisting = check({ market: listless(), ifNameExists: 'useExisting' });
		expect(await refusalOf(useExisting)).toMatchObject({ message: refusal?.message });
	});

	it('does not stop one with a unique name, which knows what was bought here', async () => {
		const bought = { d1: elapsed() };
		expect(await check({ market: listless(), uniqueName: true, bought })).toEqual({
			knownIds: ['d1'],
			olderIds: ['d1'],
		});
	});

	it('does not stop one that deploys anyway, which does not know what has the name', async () => {
		const bought = { d1: elapsed() };
		expect(await check({ market: listless(), ifNameExists: 'deploy', bought })).toEqual({
			knownIds: undefined,
			olderIds: ['d1'],
		});
	});

	it('stops each of them once the execution is cancelled', async () => {
		const controller = new AbortController();
		controller.abort();
		const context = await productContext(listless(), { signal: controller.signal });
		for (const rules of [{ uniqueName: true }, { ifNameExists: 'deploy' as const }])
			expect((await refusalOf(check({ context, ...rules })))?.message).toMatch(
				/^The list of deployments could not be read: /,
			);
	});
});

describe('what a new deployment is told from', () => {
	it('is all that is there, and of what has the name each ID once', async () => {
		const market = listing(
			{ deployment_id: 'd1', resource_private_name: 'job', status: 'destroyed' },
			{ deployment_id: 'd2', resource_private_name: 'job', status: 'running' },
			{ deployment_id: 'd3', resource_private_name: 'other', status: 'running' },
		);
		const context = await buyer(market, 'd2');
		const bought = { d2: elapsed(), d4: 0 };
		expect(await check({ context, market, ifNameExists: 'deploy', bought })).toEqual({
			knownIds: ['d1', 'd2', 'd4'],
			olderIds: ['d1', 'd2', 'd3', 'd2', 'd4'],
		});
	});

	it('is what has the name and has ended, which stops nothing', async () => {
		const market = new Market().add('d1', { status: 'destroyed' }).add('d2', { status: 'failed' });
		expect(await check({ market })).toEqual({ knownIds: ['d1', 'd2'], olderIds: ['d1', 'd2'] });
	});

	it('is what the list shows as running and its details as ended', async () => {
		const market = new Market().add('d1').hide('d1', { status: 'destroyed' });
		expect(await check({ market })).toEqual({ knownIds: ['d1'], olderIds: ['d1'] });
	});
});

describe('what was bought here', () => {
	it('is not asked for by itself where the list shows it', async () => {
		const market = new Market().add('d1');
		await check({ market, bought: { d1: elapsed() }, ifNameExists: 'deploy' });
		expect(market.asked).not.toContain('GET deployment/d1');
	});

	it('takes up its name where its details alone show it', async () => {
		const market = new Market().hide('d1');
		const context = await buyer(market, 'd1');
		expect(await refusalOf(check({ context }))).toEqual({
			message: 'A deployment named "job" already exists (d1, running)',
			description: expect.stringMatching(
				/^This execution has deployed it\. .*Execute Once.* Nothing was deployed for this item\.$/,
			) as string,
			known: { deployment_id: 'd1' },
		});
	});

	it('does not where it has ended meanwhile', async () => {
		const market = new Market().hide('d1', { status: 'destroyed' });
		expect(await check({ market, bought: { d1: elapsed() } })).toMatchObject({ knownIds: ['d1'] });
	});

	it('takes up its name for two minutes while nothing shows it', async () => {
		const young = check({ bought: { d1: elapsed() - 119_000 } });
		expect(await refusalOf(young)).toMatchObject({ known: { deployment_id: 'd1' } });
		expect(await check({ bought: { d1: elapsed() - 120_000 } })).toMatchObject({
			knownIds: ['d1'],
		});
	});

	it('takes up its name where it was confirmed without an ID, also a unique one', async () => {
		for (const uniqueName of [false, true]) {
			const context = await productContext(new Market());
			noteConfirmed(context, 'job', { purchaseId: 'p', sentAt: now(), knownIds: [] });
			expect(await refusalOf(check({ context, uniqueName }))).toMatchObject({
				message: 'A deployment named "job" already exists (ID unknown, state unknown)',
				known: { deployment_id: null },
			});
		}
	});
});

describe('a name that the service may have cut', () => {
	it('stops a purchase, with the name that is shown', async () => {
		const market = new Market().add('d1', { resource_private_name: CUT });
		expect(await refusalOf(check({ market, name: LONG }))).toEqual({
			message: `A deployment named "${CUT}" already exists (d1, running)`,
			description: expect.stringMatching(
				/^It may be what the service has made of "nightly-training-run-eu": .* Use another name/,
			) as string,
			known: { deployment_id: 'd1' },
		});
	});

	it('does not stop one with a unique name, since those of a job may be cut to one', async () => {
		const market = new Market().add('d1', { resource_private_name: CUT });
		expect(await check({ market, name: LONG, uniqueName: true })).toMatchObject({
			knownIds: ['d1'],
		});
	});

	it.each([
		['cut', CUT, new Market().add('d1', { resource_private_name: CUT })],
		[
			'in no list, and its name in no details',
			'',
			new Market().hide('d1', { resource_private_name: '' }),
		],
	])('stops a unique one that was bought here and is %s', async (_, shown, market) => {
		const bought = { d1: elapsed() };
		const refusal = await refusalOf(check({ market, name: LONG, uniqueName: true, bought }));
		expect(refusal?.message).toBe(
			`A deployment named "${shown || LONG}" already exists (d1, running)`,
		);
	});

	it.each(['job-eu', 'JOB-EU'])('stops a unique one that is whole: %s', async (name) => {
		const market = new Market().add('d1', { resource_private_name: name });
		expect(await refusalOf(check({ market, name: 'Job-EU', uniqueName: true }))).toMatchObject({
			message: `A deployment named "${name}" already exists (d1, running)`,
		});
	});
});

describe('a name that is taken', () => {
	it('stops a purchase, and says how to go on', async () => {
		const market = new Market().add('d1', { status: 'termination requested' }).add('d2');
		expect(await refusalOf(check({ market }))).toEqual({
			message: 'A deployment named "job" already exists (d2, running)',
			description:
				'Use another name, turn on Unique Name, or choose under Safety > If Name Exists to use the existing one. Nothing was deployed.',
			known: { deployment_id: 'd2' },
		});
	});

	it('by one that ends only stops it until then', async () => {
		const market = new Market().add('d1', { status: 'terminating' });
		for (const ifNameExists of ['error', 'useExisting'] as const)
			expect(await refusalOf(check({ market, ifNameExists }))).toMatchObject({
				message: 'A deployment named "job" already exists (d1, terminating)',
				description: expect.stringMatching(/^It is being destroyed\. Wait until/) as string,
			});
	});
});

describe('an existing deployment that is to be used', () => {
	const rules = { ifNameExists: 'useExisting' } as const;

	it('is passed on, also in a dry run, which says so', async () => {
		const market = new Market().add('d1', { status: 'terminating' }).add('d2', { total_vms: 1 });
		const existing = {
			deployment_id: 'd2',
			resource_private_name: 'job',
			status: 'running',
			total_vms: 1,
			existing: true,
			hint: 'The service does not show how much of its paid time is left.',
		};
		expect(await check({ market, ...rules })).toStrictEqual({ done: existing });
		expect(await check({ market, ...rules, dryRun: true })).toEqual({
			done: { ...existing, dry_run: true },
		});
	});

	it('is never one whose name is only alike', async () => {
		const market = new Market().add('d1', { resource_private_name: 'JOB' });
		expect(await refusalOf(check({ market, ...rules }))).toMatchObject({
			message: 'A deployment named "JOB" already exists (d1, running)',
		});
	});

	it('is one that was bought here, whatever name it was given', async () => {
		const market = new Market().add('d1', { resource_private_name: 'JOB' });
		const context = await buyer(market, 'd1');
		expect(await check({ context, ...rules })).toMatchObject({
			done: { deployment_id: 'd1', resource_private_name: 'JOB' },
		});
	});

	it('is not bought beside where it is too small', async () => {
		const market = new Market().add('d1', { total_vms: 1, gpus_per_vm: 1 });
		expect(await refusalOf(check({ market, ...rules, workers: 2 }))).toMatchObject({
			message:
				'The existing deployment named "job" cannot be used: d1 has 1 VMs, and 2 are ordered',
			known: { deployment_id: 'd1' },
		});
	});
});
