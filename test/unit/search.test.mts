import { describe, expect, it } from 'vitest';
import { filterRows } from '../../nodes/shared/listSearch.ts';

const rows = [
	{ name: 'NVIDIA H100', value: 'offer-7', url: 'http://not-shown' },
	{ name: 'NVIDIA A100', value: 12 },
	{ name: 'GeForce RTX 4090', value: 'offer-9' },
];
const found = (filter?: string) => filterRows(rows, filter).results.map(({ value }) => value);

describe('the search in a list', () => {
	it('shows all rows without a text, name and value only', () => {
		expect(filterRows(rows)).toEqual({ results: rows.map(({ name, value }) => ({ name, value })) });
		expect(found('')).toEqual(['offer-7', 12, 'offer-9']);
	});

	it.each([
		['nvidia', ['offer-7', 12]],
		['H100', ['offer-7']],
		['100 nvid', ['offer-7', 12]],
		['rtx  nvidia', []],
		['rtx \t4090', ['offer-9']],
		['12', [12]],
		['OFFER-9', ['offer-9']],
		['nvidia offer', ['offer-7']],
	])('"%s": every word, in the name or the ID', (filter, values) =>
		expect(found(filter)).toEqual(values),
	);
});
