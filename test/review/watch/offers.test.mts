import { expect, test } from 'vitest';
import { computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { MINUTE, openService, type Service } from './service.mts';

interface Offer {
	id: string;
	price: number | string | null;
	sold_out?: boolean;
}

/** A service whose offers are those of the last look, and a trigger on them. */
async function watching(first: Offer[]) {
	const service = await openService();
	let offers = first;
	service.odd = ({ path }) =>
		path === '/hardware'
			? {
					status: 200,
					json: {
						data: {
							hardware: offers.map((one) => ({
								deploy_id: 7,
								name: 'L4',
								num_cards: 1,
								location: 'US',
								...one,
							})),
						},
					},
				}
			: undefined;
	const trigger = new PolledTrigger(
		service.engine,
		computeTrigger('offerMatches', {
			filters: {},
			maxHourlyPrice: 1,
			offerOptions: { alsoCheaper: true },
		}),
	);
	await trigger.activate();
	return {
		trigger,
		poll: async (now: Offer[]) => await pollOnce(service, trigger, (offers = now)),
	};
}

async function pollOnce(service: Service, trigger: PolledTrigger, _offers: Offer[]) {
	service.advance(10 * MINUTE);
	const before = trigger.items.length;
	await trigger.poll();
	return trigger.items.slice(before).map(({ id, hourly_price: price }) => [id, price]);
}

test('an offer is told once, and again when it is cheaper than it was told', async () => {
	const { poll } = await watching([{ id: 'a', price: 2 }]);
	expect(await poll([{ id: 'a', price: 0.9 }])).toEqual([['a', 0.9]]);
	expect(await poll([{ id: 'a', price: '0.90' }])).toEqual([]);
	expect(await poll([{ id: 'a', price: 0.95 }])).toEqual([]);
	expect(await poll([{ id: 'a', price: '0.5' }])).toEqual([['a', 0.5]]);
	expect(await poll([{ id: 'a', price: 0 }])).toEqual([]);
	expect(await poll([])).toEqual([]);
});

test('one empty list between two polls tells nothing again', async () => {
	const offer = { id: 'a', price: 0.5 };
	const { poll } = await watching([offer]);
	expect(await poll([])).toEqual([]);
	expect(await poll([offer])).toEqual([]);
});
