import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { chooseOffers } from '../../nodes/Vmaas/candidates.ts';
import type { Check } from '../../nodes/marketplace/hardwareFilters.ts';
import { offer } from './shop-parts.mts';

const chosen = (offers: IDataObject[], checks: Check[] = [], gpus?: number) =>
	chooseOffers(offers, checks, gpus);

const idsOf = (...offers: IDataObject[]) =>
	chosen(offers).candidates.map(({ hardwareId }) => hardwareId);

describe('an offer that may be bought', () => {
	it('is told with what a deploy needs of it', () => {
		const listed = offer({ deploy_id: '8H100', num_cards: '8', location: 3 });
		expect(chosen([listed])).toEqual({
			candidates: [{ offer: listed, hardwareId: '8H100', gpusPerVm: 8, locationId: '3' }],
			skipped: [],
		});
	});

	it.each<[string, IDataObject]>([
		['is sold out', { sold_out: true }],
		['has no price', { price: 0 }],
		['has no ID', { deploy_id: null }],
		['has something else for an ID', { deploy_id: { id: 7 } }],
		['has no location', { location: undefined }],
		['has something else for a location', { location: ['us'] }],
		['has no number of GPUs', { num_cards: undefined }],
		['has part of a GPU', { num_cards: 1.5 }],
		['has no GPU', { num_cards: 0 }],
		['has more GPUs than can be ordered', { num_cards: 9 }],
	])('is not one that %s', (_, changes) => {
		expect(chosen([offer(changes)])).toEqual({ candidates: [], skipped: [] });
	});

	it('may have one GPU or eight, and IDs of text or numbers', () => {
		const most = offer({ deploy_id: 8, num_cards: 8, price: 3 });
		expect(idsOf(offer(), most, offer({ deploy_id: 'x', location: 1, price: 4 }))).toEqual([
			7,
			8,
			'x',
		]);
	});

	it('has as many GPUs as are asked for', () => {
		const offers = [offer(), offer({ deploy_id: 8, num_cards: 2 })];
		const ofTwo = chosen(offers, [], 2);
		expect(ofTwo.candidates.map(({ hardwareId }) => hardwareId)).toEqual([8]);
		expect(ofTwo.skipped).toEqual([]);
	});
});

describe('the order of offers', () => {
	const two = { deploy_id: 2 };

	it('begins with the cheapest', () => {
		expect(idsOf(offer(), offer({ ...two, price: 1 }))).toEqual([2, 7]);
	});

	it.each([
		['more memory a GPU', { vram_per_card: 81 }],
		['more GPUs', { num_cards: 2 }],
	])('has %s first where they cost the same', (_, changes) => {
		expect(idsOf(offer(), offer({ ...two, ...changes }))).toEqual([2, 7]);
		expect(idsOf(offer({ ...two, ...changes }), offer())).toEqual([2, 7]);
	});

	it('has memory that is not shown last', () => {
		expect(idsOf(offer({ vram_per_card: undefined }), offer({ ...two, vram_per_card: 1 }))).toEqual(
			[2, 7],
		);
	});

	it('goes by location where all else is equal, however they were listed', () => {
		const east = offer({ ...two, location: 'us-east-1' });
		expect(idsOf(offer(), east)).toEqual([2, 7]);
		expect(idsOf(east, offer())).toEqual([2, 7]);
	});
});

describe('offers that are left out', () => {
	it('are counted by their reasons', () => {
		const checks: Check[] = [
			{ what: 'GPU A', field: 'name', passes: (name) => name === 'A' },
			{ what: 'Storage 1', field: 'storage', passes: () => true },
		];
		const { candidates, skipped } = chosen(
			[
				offer({ name: 'B' }),
				offer({ name: 'A' }),
				offer({ name: 'B' }),
				offer({ name: 'B', sold_out: true }),
				offer({ name: 'A', storage: 1 }),
			],
			checks,
		);
		expect(candidates.map(({ offer: { storage } }) => storage)).toEqual([1]);
		expect(skipped).toEqual([
			{ reason: 'does not meet GPU A', offers: 2, isUnknown: false },
			{
				reason: 'Storage 1 cannot be checked: the offer shows no storage',
				offers: 1,
				isUnknown: true,
			},
		]);
	});
});
