import { describe, expect, it } from 'vitest';
import { computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { HOUR, MINUTE, type Machine, type Service } from './service.mts';
import { stage } from './stage.mts';

type Row = Record<string, unknown>;

const expiring = (more = {}) =>
	computeTrigger('deploymentExpiresSoon', { product: 'vmaas', minutes: 60, options: {}, ...more });

/** Ways to show the time that is left; each is that of the contract with one oddity. */
const SHOWN: Array<[string, (machine: Machine, row: Row) => Row]> = [
	['as it is', (_, row) => row],
	[
		'as text',
		(_, row) => ({
			...row,
			compute_minutes_served: String(row.compute_minutes_served),
			compute_minutes_remaining: `${String(row.compute_minutes_remaining)}.0`,
		}),
	],
	[
		'summed over GPUs',
		({ gpus }, row) => ({
			...row,
			compute_minutes_served: Number(row.compute_minutes_served) * gpus,
			compute_minutes_remaining: Number(row.compute_minutes_remaining) * gpus,
		}),
	],
	[
		'in details alone',
		(_, row) =>
			'created_at' in row
				? row
				: { ...row, compute_minutes_remaining: undefined, compute_minutes_served: undefined },
	],
	[
		'in details alone, null in the list',
		(_, row) => ('created_at' in row ? row : { ...row, compute_minutes_remaining: null }),
	],
	['with a status that nobody knows', (_, row) => ({ ...row, status: 'active' })],
];

const show = (service: Service, change: (machine: Machine, row: Row) => Row): void => {
	service.listed = service.detailed = change;
};

describe.each(SHOWN)('time that is shown %s', (_, change) => {
	it('is told of once, an hour before its end', async () => {
		const { service, engine, time } = await stage();
		const at = service.clock.now();
		service.add({ gpus: 4, hours: 5, boughtAt: at, startedAt: at });
		show(service, change);
		const trigger = new PolledTrigger(engine, expiring());
		await time.during(trigger.activate(), HOUR);
		let toldAt: number | undefined;
		for (let minutes = 0; minutes <= 295; minutes += 5) {
			await time.pass(5 * MINUTE);
			await time.during(trigger.poll(), HOUR);
			if (trigger.items.length > 0) toldAt ??= minutes + 5;
		}
		expect(trigger.items).toHaveLength(1);
		// Between an hour and fifty minutes before
		expect(toldAt).toBeGreaterThanOrEqual(240);
		expect(toldAt).toBeLessThanOrEqual(250);
	});

	it('is told of again after an extension', async () => {
		const { service, engine, time } = await stage();
		const at = service.clock.now();
		const machine = service.add({ gpus: 4, hours: 2, boughtAt: at, startedAt: at });
		show(service, change);
		const trigger = new PolledTrigger(engine, expiring());
		await time.during(trigger.activate(), HOUR);
		for (let minutes = 0; minutes <= 240; minutes += 10) {
			await time.pass(10 * MINUTE);
			if (minutes === 90) machine.hours += 2;
			await time.during(trigger.poll(), HOUR);
		}
		expect(trigger.items).toHaveLength(2);
		expect(new Set(trigger.items.map(({ event_id: id }) => id)).size).toBe(2);
	});
});

describe('an end', () => {
	it.each(['completed', 'failed', 'destroyed', 'Terminated', 'EXPIRED'])(
		'(%s) is told once, whatever copy answers in between',
		async (status) => {
			const { service, engine, time } = await stage();
			const machine = service.add();
			const node = computeTrigger('deploymentStateChanged', { product: 'vmaas', options: {} });
			const trigger = new PolledTrigger(engine, node);
			await time.during(trigger.activate(), HOUR);
			machine.status = status;
			let polls = 0;
			service.listed = (_machine, entry) =>
				polls % 2 === 0 ? entry : { ...entry, status: 'running' };
			for (; polls < 8; polls++) {
				await time.pass(MINUTE);
				await time.during(trigger.poll(), HOUR);
			}
			expect(trigger.items.map(({ state }) => state)).toEqual(['ended']);
		},
	);

	it('that is shown nowhere is not told', async () => {
		const { service, engine, time } = await stage();
		service.add();
		service.add({ name: 'other' });
		const node = computeTrigger('deploymentStateChanged', { product: 'vmaas', options: {} });
		const trigger = new PolledTrigger(engine, node);
		await time.during(trigger.activate(), HOUR);
		service.listed = ({ name }, entry) => (name === 'job' ? undefined : entry);
		service.detailed = ({ name }, details) => (name === 'job' ? undefined : details);
		for (let polls = 0; polls < 5; polls++) {
			await time.pass(MINUTE);
			await time.during(trigger.poll(), HOUR).catch(() => undefined);
		}
		expect(trigger.items).toEqual([]);
	});
});

describe('an offer', () => {
	it.each([
		['price', '1.5'],
		['price', 'free'],
		['price', 0],
		['price', null],
		['price', -1],
		['sold_out', 'true'],
		['sold_out', 1],
	])('whose %s becomes %j is no match at 1', async (key, value) => {
		const { service, engine, time } = await stage();
		service.offers = [{ id: 'a', deploy_id: 1, num_cards: 1, price: 2, location: 'us' }];
		const node = computeTrigger('offerMatches', {
			maxHourlyPrice: 1,
			filters: {},
			offerOptions: {},
		});
		const trigger = new PolledTrigger(engine, node);
		await time.during(trigger.activate(), HOUR);
		service.offers = [{ ...service.offers[0], price: 0.5, [key]: value }];
		await time.during(trigger.poll(), HOUR);
		expect(trigger.items).toEqual([]);
	});
});
