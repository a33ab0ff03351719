import { describe, expect, it } from 'vitest';
import { caas, locator } from '../../engine/nodes.mts';
import { extend, told } from '../money2/forms.mts';
import { openMarket, type Market } from '../money2/service.mts';

/** A service that knows the price of this hardware in this place alone. */
function priceOnly(market: Market, hardware: string, locations: string): void {
	market.odd = ({ path, query }) =>
		path === '/price' &&
		(query.get('hardware_id') !== hardware || query.get('location_ids') !== locations)
			? { status: 422, json: { detail: 'unknown' } }
			: undefined;
}

describe('Extend under a price limit', () => {
	it.each([
		['12__1', '12'],
		['8H100.80S.176V__FI', '8H100.80S.176V'],
		['12', '12'],
		[12, '12'],
	])('of hardware %j', async (shown, hardware) => {
		const market = await openMarket({ look: (one) => ({ ...one, hardware_id: shown }) });
		market.add();
		priceOnly(market, hardware, '["US"]');
		const { items, error } = await told(market, extend('d-1', 2, { maxPrice: 5 }));
		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ added_hours: 2 }]);
	});

	it.each([[['US']], [[{ id: 'US' }]]])('in %j', async (locations) => {
		const market = await openMarket({ look: (one) => ({ ...one, locations }) });
		market.add();
		priceOnly(market, '12', '["US"]');
		const { items } = await told(market, extend('d-1', 2, { maxPrice: 5 }));
		expect(items).toMatchObject([{ added_hours: 2 }]);
	});

	it.each([[[7]], [['7']], [[{ id: 7 }]], [[{ id: '7' }]]])(
		'of containers in %j',
		async (locations) => {
			const market = await openMarket({ look: (one) => ({ ...one, locations }) });
			market.add({ product: 'caas' });
			priceOnly(market, '12', '[7]');
			const node = caas('deployment', 'extend', {
				deploymentId: locator('d-1'),
				durationHours: 2,
				safety: { maxPrice: 5 },
			});
			const { items, error } = await told(market, node);
			expect(error).toBeUndefined();
			expect(items).toMatchObject([{ added_hours: 2 }]);
		},
	);
});
