import { describe, expect, it } from 'vitest';
import { hardwareRows, modelText } from '../../nodes/marketplace/hardwareRows.ts';
import type { Offer } from '../../nodes/marketplace/offers.ts';

const H100 = { deploy_id: 1, name: 'H100', vram_per_card: 80 };
const size = (num_cards: number | undefined, price = 2, more: Partial<Offer> = {}) => ({
	...H100,
	num_cards,
	price,
	...more,
});
const SOLD_OUT = { sold_out: true };

describe('a hardware in the list', () => {
	it.each<[string, Offer[], string]>([
		['has one size', [size(8)], '8 × H100 · from $2.00/h · 80 GB each'],
		['has two sizes', [size(8, 9), size(1)], '1 or 8 × H100 · from $2.00/h · 80 GB each'],
		[
			'has sizes that are sold out',
			[size(1, 2, SOLD_OUT), size(2, 3), size(8, 9)],
			'1 (sold out), 2 or 8 × H100 · from $3.00/h · 80 GB each',
		],
		[
			'is sold out',
			[size(1, 2, SOLD_OUT), size(2, 3, SOLD_OUT)],
			'1 or 2 × H100 · $2.00/h · sold out · 80 GB each',
		],
		['has no price', [size(1, 0)], '1 × H100 · price not given · 80 GB each'],
		[
			'has a size that is not shown',
			[size(1), size(undefined, 3)],
			'1 or ? × H100 · from $2.00/h · 80 GB each',
		],
		['has no name', [size(1, 2, { name: '' })], '1 × GPU · from $2.00/h · 80 GB each'],
		['shows no memory', [size(1, 2, { vram_per_card: 0 })], '1 × H100 · from $2.00/h'],
		[
			'shows its memory not at all',
			[size(1, 2, { vram_per_card: undefined })],
			'1 × H100 · from $2.00/h',
		],
		['has no GPUs', [size(0, 0.5)], 'H100 · from $0.50/h'],
		['has neither GPUs nor a name', [size(0, 0.5, { name: undefined })], 'CPU only · from $0.50/h'],
	])('that %s is told by its name', (_, offers, name) => {
		expect(hardwareRows(offers)).toEqual([{ name, value: 1 }]);
	});

	it('is told without sizes and prices where those are not its own', () => {
		expect(hardwareRows([size(8), size(0)], modelText)).toEqual([
			{ name: 'H100 · 80 GB each', value: 1 },
		]);
		expect(hardwareRows([size(0)], modelText)).toEqual([{ name: 'H100', value: 1 }]);
	});
});
