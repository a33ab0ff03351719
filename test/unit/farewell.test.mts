import { describe, expect, it } from 'vitest';
import { Farewell } from '../../nodes/CaasLogsTrigger/farewell.ts';

describe('a farewell', () => {
	const connections = [
		['bye'],
		['a', 'b', 'c', 'd'],
		['a', 'b', 'c', 'e'],
		['x', 'b', 'c', 'd'],
		[],
		['bye'],
		['bye'],
		['bye'],
		['bye'],
	];

	it('is told from entries that come at once as from the same ones by and by', () => {
		const told = (note: (farewell: Farewell, texts: string[]) => void) => {
			const farewell = new Farewell();
			return connections.map((texts) => {
				farewell.begin();
				note(farewell, texts);
				return [farewell.received, farewell.isLikely, farewell.endConnection()];
			});
		};
		const oneByOne = told((farewell, texts) => texts.forEach((text) => farewell.note([text])));
		expect(oneByOne.map(([, , isOver]) => isOver)).toEqual([
			...Array.from({ length: 8 }, () => false),
			true,
		]);
		expect(told((farewell, texts) => farewell.note(texts))).toEqual(oneByOne);
		expect(
			told((farewell, [first, ...rest]) =>
				[first === undefined ? [] : [first], rest].forEach((texts) => farewell.note(texts)),
			),
		).toEqual(oneByOne);
	});
});
