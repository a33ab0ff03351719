import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { noteBought, ownDeployment } from '../../nodes/marketplace/ownDeployments.ts';
import { checked, lookFor, type PurchaseNote } from '../../nodes/marketplace/purchased.ts';
import { Market, productContext, REFUSED } from './market-parts.mts';
import { fresh, minutesAgo, noteOf, PRICES } from './purchase-parts.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const CUT = 'nightly-training-run';
const LONG = `${CUT}-eu`;

describe('a deployment that is looked for', () => {
	/** A look at a service that has these under a name. */
	async function looked(shown: IDataObject[], changes: Partial<PurchaseNote> = {}, name = LONG) {
		const market = new Market();
		const ids = shown.map((one) => {
			const id = fresh('d');
			market.add(id, { resource_private_name: name, ...one });
			return id;
		});
		const context = await productContext(market);
		const note = noteOf(name, changes);
		const evidence = await lookFor(context, note);
		return { evidence, ids, note, context, market };
	}

	it('is the one that has its name and what was ordered, and is an own one from then on', async () => {
		const { evidence, ids, note, context } = await looked([{ total_vms: 1 }]);
		const { purchaseId } = note;
		expect(evidence).toEqual({
			state: 'made',
			item: {
				deployment_id: ids[0],
				resource_private_name: LONG,
				status: 'running',
				total_vms: 1,
				expires_at: minutesAgo(-120),
				...PRICES,
			},
		});
		expect(ownDeployment(context, ids[0] ?? '')).toMatchObject({ names: [LONG], purchaseId });
	});

	it('is no own one where the service said no', async () => {
		const { evidence, ids, context } = await looked([{}], { isRefused: true });
		expect(evidence).toMatchObject({ state: 'made' });
		expect(ownDeployment(context, ids[0] ?? '')).toBeUndefined();
	});

	it('is absent where nothing has its name', async () => {
		const { evidence, context, ids } = await looked([{ resource_private_name: 'other' }]);
		expect(evidence).toEqual({
			state: 'absent',
			problem: 'it is not in the list of deployments',
		});
		expect(ownDeployment(context, ids[0] ?? '')).toBeUndefined();
	});

	it('is none that was there before, or that another purchase has made', async () => {
		const { ids, context, note } = await looked([{ resource_private_name: LONG }]);
		const again = noteOf(LONG);
		expect(await lookFor(context, again)).toMatchObject({ state: 'absent' });
		for (const knownIds of [ids, ids.map((id) => id.toUpperCase())])
			expect(await lookFor(context, { ...note, knownIds })).toMatchObject({ state: 'absent' });
		expect(await lookFor(context, note)).toMatchObject({ state: 'made' });
	});

	it('cannot be told from others of its name', async () => {
		const { evidence, ids, context } = await looked([{}, {}, { total_vms: 2 }]);
		expect(evidence).toEqual({
			state: 'unknown',
			problem: `it cannot be told from others of its name (${ids.join(', ')})`,
			item: expect.objectContaining({ deployment_id: ids[0] }) as unknown,
			mayBeIt: true,
		});
		expect(ownDeployment(context, ids[0] ?? '')).toBeUndefined();
	});

	it('cannot be told from what was there before where that is not known', async () => {
		const { evidence, ids } = await looked([{}], { knownIds: undefined });
		expect(evidence).toEqual({
			state: 'unknown',
			problem: `it cannot be told from others of its name (${ids[0]})`,
		});
	});

	it('may be one of a similar name, which proves nothing', async () => {
		const { evidence, ids } = await looked([{ resource_private_name: CUT }]);
		expect(evidence).toEqual({
			state: 'unknown',
			problem: `a similar name has ${ids[0]} ("${CUT}")`,
			item: {
				deployment_id: ids[0],
				resource_private_name: CUT,
				requested_name: LONG,
				status: 'running',
				expires_at: minutesAgo(-120),
				...PRICES,
			},
			mayBeIt: true,
		});
	});

	it('is rather the one of its name than one of a similar name', async () => {
		const { evidence, ids } = await looked([{ resource_private_name: LONG.toUpperCase() }, {}]);
		expect(evidence).toMatchObject({ state: 'made', item: { deployment_id: ids[1] } });
	});

	it('is unknown where what has its name differs, and all of it is told', async () => {
		const { evidence, ids } = await looked([
			{ total_vms: 2, gpus_per_vm: 8 },
			{ hardware_id: 13 },
			{ resource_private_name: LONG.toUpperCase(), total_vms: 2 },
		]);
		expect(evidence).toEqual({
			state: 'unknown',
			problem: `${ids[0]} has its name, but gpus_per_vm 8 instead of 1, total_vms 2 instead of 1, and ${ids[1]} has its name, but hardware_id 13 instead of 12, and a similar name has ${ids[2]} ("${LONG.toUpperCase()}")`,
			item: expect.objectContaining({ deployment_id: ids[0] }) as unknown,
			mayBeIt: true,
		});
	});

	it.each([{ hardware_id: 'gpu-a' }, { total_gpus: 8 }, { compute_minutes_remaining: 30 }])(
		'may be what is new under its name, whatever it shows (%j)',
		async (shown) => {
			const { evidence, ids } = await looked([{ compute_minutes_served: 0, ...shown }]);
			expect(evidence).toMatchObject({ item: { deployment_id: ids[0] }, mayBeIt: true });
		},
	);

	it('may be what is new under a similar name, whatever it shows', async () => {
		const { evidence, ids } = await looked([{ resource_private_name: CUT, total_gpus: 8 }]);
		expect(evidence).toMatchObject({ item: { deployment_id: ids[0] }, mayBeIt: true });
	});

	it('may rather be what has its name than what has a similar one, and what fits', async () => {
		const similar = { resource_private_name: LONG.toUpperCase() };
		const other = { total_vms: 2 };
		const first = async (shown: IDataObject[]) => {
			const { evidence, ids } = await looked(shown);
			return ids.indexOf(String('item' in evidence && evidence.item?.deployment_id));
		};
		expect(await first([similar, other])).toBe(1);
		expect(await first([similar, other, {}, {}])).toBe(2);
		expect(await first([{ ...similar, ...other }, similar])).toBe(1);
	});

	it('is compared by its details, by the clock of the service', async () => {
		const { market, ids, note, context } = await looked([{}]);
		market.hide(ids[0] ?? '', { created_at: minutesAgo(60) });
		expect(await lookFor(context, note)).toMatchObject({ state: 'unknown' });
		context.account.clockAheadMs = -3_600_000;
		expect(await lookFor(context, note)).toMatchObject({ state: 'made' });
	});
});

describe('a look at what was bought', () => {
	/** What the output says after it. */
	async function looked(details: IDataObject | undefined, bought: IDataObject = {}) {
		const [id, name] = [fresh('d'), fresh('job')];
		const market = new Market();
		if (details) market.add(id, { resource_private_name: name, ...details });
		const context = await productContext(market);
		const note = noteOf(name);
		const item = { deployment_id: id, ...bought };
		return {
			id,
			name,
			market,
			note,
			context,
			look: async () => await checked(context, note, item),
		};
	}

	it('changes nothing where it shows what was ordered', async () => {
		const { id, name, look, market, context, note } = await looked({ total_vms: 1 });
		expect(await look()).toStrictEqual({ deployment_id: id, resource_private_name: name });
		expect([...new Set(market.asked)]).toEqual([`GET deployment/${id}`, 'GET deployments']);
		expect(ownDeployment(context, id)).toMatchObject({ purchaseId: note.purchaseId });
	});

	it('tells the name that the service has given', async () => {
		const { id, name, look, context } = await looked({ resource_private_name: 'cut' });
		expect(await look()).toEqual({
			deployment_id: id,
			resource_private_name: 'cut',
			requested_name: name,
		});
		expect(ownDeployment(context, id)?.names).toEqual(['cut', name]);
	});

	it('tells the ID as the service spells it', async () => {
		const { id, look, market } = await looked({});
		market.details.set(id, { deployment_id: id.toUpperCase(), status: 'running' });
		expect(await look()).toMatchObject({ deployment_id: id.toUpperCase() });
	});

	it('changes nothing where it fails', async () => {
		const { id, name, look, market } = await looked({});
		market.instead = () => REFUSED;
		expect(await look()).toStrictEqual({ deployment_id: id, resource_private_name: name });
		expect([...new Set(market.asked)]).toEqual([`GET deployment/${id}`, 'GET deployments']);
	});

	it.each<[string, IDataObject, IDataObject, string]>([
		[
			'another size',
			{ total_vms: 2, gpus_per_vm: 8 },
			{},
			'The service shows another deployment than ordered: gpus_per_vm 8 instead of 1, total_vms 2 instead of 1.',
		],
		['a bill', { amount_paid: 5 }, {}, 'The service shows 5 paid instead of the price of 4.'],
		['its end', { status: 'failed' }, {}, 'It is "failed" already.'],
		[
			'several of them, after a hint',
			{ status: 'failed', amount_paid: 5 },
			{ hint: 'Note.' },
			'Note. The service shows 5 paid instead of the price of 4. It is "failed" already.',
		],
	])('tells %s', async (_, details, bought, hint) => {
		const { id, name, look } = await looked(details, bought);
		expect(await look()).toStrictEqual({ deployment_id: id, resource_private_name: name, hint });
	});

	it('does not take seconds between two clocks for another deployment', async () => {
		const { look, context, market, id } = await looked({});
		context.account.clockAheadMs = 0;
		market.hide(id, { created_at: minutesAgo(8 / 60) });
		expect(await look()).not.toHaveProperty('hint');
		market.hide(id, { created_at: minutesAgo(6) });
		expect((await look()).hint).toContain('before it was ordered');
	});

	it('tells a bill that its answer has shown', async () => {
		const { look } = await looked(undefined, { amount_paid: 5 });
		expect((await look()).hint).toBe('The service shows 5 paid instead of the price of 4.');
	});

	it('tells what shows under its name in place of its ID', async () => {
		const { id, name, look, market } = await looked(undefined);
		const other = fresh('d');
		market.add(other, { resource_private_name: name });
		expect((await look()).hint).toBe(
			`The service does not show ${id} yet, but ${other} ("${name}"). Check all of them: each may bill.`,
		);
	});

	it('tells what shows in place of its ID, whatever else it shows', async () => {
		const { look, market, name } = await looked(undefined);
		const other = fresh('d');
		market.add(other, { resource_private_name: name, total_gpus: 8, hardware_id: 13 });
		expect((await look()).hint).toContain(other);
	});

	it('tells what else is new under its name and has not ended', async () => {
		const { name, look, market, note, context } = await looked({}, {});
		const others = ['running', 'deployment requested', 'destroyed', 'running', 'running'].map(
			(status) => {
				const other = fresh('d');
				market.add(other, { resource_private_name: name, status });
				return other;
			},
		);
		note.knownIds = [others[3] ?? ''];
		noteBought(context, others[4] ?? '', { names: [name], purchaseId: 'another' });
		expect((await look()).hint).toBe(
			`Not this one alone is new under this name, but ${others[0]}, ${others[1]} as well. Check them: each may bill.`,
		);
	});

	it('tells what else is new under its name where it was looked up, whatever that shows', async () => {
		const { name, look, market } = await looked({}, { recovered: true });
		const other = fresh('d');
		market.add(other, { resource_private_name: name, hardware_id: 13 });
		expect((await look()).hint).toContain(`but ${other} as well`);
	});

	it('does not tell others where it is not known what was there before', async () => {
		const { name, look, market, note } = await looked({}, {});
		note.knownIds = undefined;
		market.add(fresh('d'), { resource_private_name: name });
		expect(await look()).not.toHaveProperty('hint');
		expect(market.asked).not.toContain('GET deployments');
	});

	it('tells the earlier one of two ends, by the clock of the service', async () => {
		const left = (compute_minutes_remaining: number) => ({ compute_minutes_remaining });
		const bought = { expires_at: minutesAgo(-120) };
		const ends = async (details: IDataObject) =>
			(await (await looked(details, bought)).look()).expires_at;
		expect(await ends(left(90))).toBe(minutesAgo(-90));
		expect(await ends(left(150))).toBe(minutesAgo(-120));
		expect(await ends({})).toBe(minutesAgo(-120));
		expect(await (await looked(left(90))).look()).not.toHaveProperty('expires_at');
	});
});
