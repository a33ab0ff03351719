import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { watchOffers } from '../../nodes/ComputeTrigger/events/offers.ts';
import type { OfferSettings } from '../../nodes/ComputeTrigger/settings.ts';
import { jsonOf, watched } from './compute-parts.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const offer = (price: unknown, more: IDataObject = {}): IDataObject => ({
	id: 1,
	deploy_id: 2,
	location: 'US',
	num_cards: 1,
	price: price as number,
	...more,
});

function offers(changes: Partial<OfferSettings> = {}) {
	const filters = { query: {}, checks: [] } as unknown as OfferSettings['filters'];
	const one = watched(
		watchOffers({ filters, maxHourlyPrice: Infinity, alsoCheaper: true, ...changes }),
	);
	const told = async (...hardware: IDataObject[]) => {
		one.show({ hardware });
		return jsonOf(await one.look()).map(({ price, former_price }) => [price, former_price]);
	};
	return { ...one, told };
}

describe('an offer', () => {
	it('that gets cheaper is told with the price that was told last, and a dearer one is not', async () => {
		const { told } = offers();
		const prices = [3, 3, 4, 2.99, 3, 2.98];
		const all = [];
		for (const price of prices) all.push(...(await told(offer(price))));
		expect(all).toEqual([
			[2.99, 3],
			[2.98, 2.99],
		]);
	});

	it('that gets cheaper is none where that is not wanted', async () => {
		const { told } = offers({ alsoCheaper: false });
		await told(offer(3));
		expect(await told(offer(1))).toEqual([]);
	});

	it('whose price is shown for the first time is cheaper; one that is not shown any more is not', async () => {
		const { told } = offers();
		await told(offer(0));
		expect(await told(offer(3))).toEqual([[3, null]]);
		expect(await told(offer(0))).toEqual([]);
		expect(await told(offer(3))).toEqual([]);
	});

	it.each([
		[2, 1],
		[2.01, 0],
		[0, 0],
	])('with a limit of 2 and the price %d: %d events', async (price, count) => {
		const { told } = offers({ maxHourlyPrice: 2 });
		await told(offer(9));
		expect(await told(offer(price))).toHaveLength(count);
	});

	it('that is sold out has gone, and is told when it is back', async () => {
		const { told } = offers();
		await told(offer(1));
		expect(await told(offer(1, { sold_out: true }), offer(9, { id: 9 }))).toEqual([[9, null]]);
		expect(await told(offer(1), offer(9, { id: 9 }))).toEqual([[1, null]]);
	});

	it.each([
		['true', 0],
		[' True ', 0],
		[1, 0],
		['soon', 0],
		['false', 1],
		['No', 1],
		['0', 1],
		[0, 1],
		['', 1],
		[null, 1],
	])('with %j as sold_out: %d events', async (value, count) => {
		const { told } = offers();
		await told(offer(9, { id: 9 }));
		expect(await told(offer(1, { sold_out: value }))).toHaveLength(count);
	});

	it.each([
		['ID', { id: 7 }],
		['hardware', { deploy_id: 7 }],
		['location', { location: 'FI' }],
		['number of GPUs', { num_cards: 8 }],
	])('with another %s is another one', async (_, more) => {
		const { told } = offers();
		await told(offer(1));
		expect(await told(offer(1), offer(1, more), offer(0.5, more))).toEqual([[1, null]]);
	});

	it.each([undefined, null, ''])('with %j as its location is one without', async (location) => {
		const { told, show, look } = offers();
		await told(offer(9, { id: 9 }));
		show({ hardware: [offer(1, { location })] });
		const { events } = await look();
		expect(events.map(({ identity }) => identity)).toEqual([['["1","2","","1"]']]);
	});

	it.each([
		[1, 0],
		[2, 1],
	])('that was there before %d empty answers: %d events', async (empty, count) => {
		const { told } = offers();
		await told(offer(1));
		for (let answers = 0; answers < empty; answers++) expect(await told()).toEqual([]);
		expect(await told(offer(1))).toHaveLength(count);
	});

	it('of an empty base line is new', async () => {
		const { told } = offers();
		await told();
		expect(await told(offer(1))).toEqual([[1, null]]);
	});

	it('that is the cheapest is the sample', async () => {
		const { show, sample } = offers();
		show({ hardware: [offer(0, { id: 0 }), offer(3), offer(2, { id: 2 })] });
		expect(await sample()).toMatchObject({ price: 2, hourly_price: 2, former_price: null });
		show({ hardware: [offer(0)] });
		expect(await sample()).toMatchObject({ hourly_price: null });
		show({ hardware: [offer(1, { sold_out: true })] });
		expect(await sample()).toBeUndefined();
	});
});
