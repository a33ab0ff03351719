import { describe, expect, it } from 'vitest';
import { EndOfLogCheck } from '../../nodes/CaasLogsTrigger/endOfLog.ts';

describe('the end-of-log check', () => {
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

	it('does not depend on how many entries come at once', () => {
		const results = (add: (check: EndOfLogCheck, texts: string[]) => void) => {
			const check = new EndOfLogCheck();
			return connections.map((texts) => {
				check.onConnected();
				add(check, texts);
				return [check.received, check.isLikelyEnd, check.onClosed()];
			});
		};
		const oneByOne = results((check, texts) => texts.forEach((text) => check.add([text])));
		expect(oneByOne.map(([, , isOver]) => isOver)).toEqual([
			...Array.from({ length: 8 }, () => false),
			true,
		]);
		expect(results((check, texts) => check.add(texts))).toEqual(oneByOne);
		expect(
			results((check, [first, ...rest]) =>
				[first === undefined ? [] : [first], rest].forEach((texts) => check.add(texts)),
			),
		).toEqual(oneByOne);
	});
});
