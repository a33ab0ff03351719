import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE, deployment, locator, RETRY } from '../../engine/nodes.mts';
import { MINUTE, SECOND, type Json, type Request, type Said } from './market.mts';
import type { Seen } from '../seen.mts';
import { open, type Opened } from './open.mts';

const isExtend = ({ path }: Request) => path.endsWith('/extend');

const extend = (safety: IDataObject, settings = {}) =>
	deployment(
		'extend',
		{ deploymentId: locator('={{ $json.id }}'), durationHours: 1, safety },
		settings,
	);

/** Hours that a person reads of as added. */
function saidHours({ items }: Seen): number {
	return items.reduce((sum, { added_hours: hours }) => sum + Number(hours ?? 0), 0);
}

/** A deployment that runs for half an hour, and what bills beside it. */
async function running(changes: Parameters<typeof open>[0] = {}) {
	const opened = await open(changes);
	opened.market.add('web');
	const madeAt = opened.market.clock.now() - 30 * MINUTE;
	const machine = opened.market.add('train', { madeAt });
	return { ...opened, machine };
}

/** What becomes of the answer to an extension, and whether it was made. */
const ANSWERS: Array<[string, Said | undefined, boolean]> = [
	['is as it should', undefined, true],
	['is empty', { body: '' }, true],
	['is lost, made', { isLost: true }, true],
	['is 504, made', { status: 504, body: '' }, true],
	['is 504, not made', { status: 504, body: '' }, false],
	['says it is busy, made', { status: 409, body: { detail: 'already in progress' } }, true],
	['says no, not made', { status: 402, body: { detail: 'insufficient balance' } }, false],
	['is a redirect, made', { status: 303, body: '', headers: { location: '/' } }, true],
	['says no in a 200, made', { body: { success: false, error: 'failed' } }, true],
];

function answers({ market }: Opened, said: Said | undefined, isMade: boolean): void {
	market.before = (call) => (!isMade && isExtend(call) ? said : undefined);
	market.after = (call, own) => (isExtend(call) && said ? said : own);
}

describe.each(ANSWERS)('an extension whose answer %s', (_how, said, isMade) => {
	describe.each([0, 20 * SECOND, 100 * SECOND])('and shows after %i ms', (extendedAfterMs) => {
		it.each([{}, { maxPrice: 5 }])(
			'is made once at most, and told as it is: %o',
			async (safety) => {
				const opened = await running({ extendedAfterMs });
				const { run, machine } = opened;
				answers(opened, said, isMade);
				const seen = await run(extend(safety, { ...CONTINUE, ...RETRY }), [{ id: machine.id }]);
				expect(machine.extensions.length).toBeLessThanOrEqual(1);
				expect(saidHours(seen)).toBeLessThanOrEqual(machine.extensions.length);
				if (isMade && machine.extensions.length > saidHours(seen))
					expect(seen.all).toMatch(/unknown|accepted/);
			},
		);
	});

	it('is not told as made where somebody else adds as much', async () => {
		const opened = await running();
		const { market, run, machine } = opened;
		answers(opened, said, isMade);
		const { after } = market;
		market.after = (call, own) => {
			if (isExtend(call)) machine.hours++;
			return after(call, own);
		};
		const before = market.before;
		market.before = (call) => {
			const answer = before(call);
			if (answer && isExtend(call)) machine.hours += 2;
			return answer;
		};
		const seen = await run(extend({}, CONTINUE), [{ id: machine.id }]);
		expect(saidHours(seen)).toBeLessThanOrEqual(machine.extensions.length);
	});
});

/** How the service writes numbers. */
const WRITTEN: Array<[string, (value: number) => unknown]> = [
	['texts', String],
	['texts with decimals', (value) => value.toFixed(2)],
];

describe.each(WRITTEN)('numbers that are %s', (_how, written) => {
	it.each(['own', 'lost'])('tell an extension, whose answer is %s', async (answer) => {
		const opened = await running({ total: () => String(3) });
		const { market, run, machine } = opened;
		const keys = ['compute_minutes_served', 'compute_minutes_remaining', 'amount_paid'];
		market.detail = (_one, shown): Json => ({
			...shown,
			...Object.fromEntries(keys.map((key) => [key, written(Number(shown[key]))])),
		});
		answers(opened, answer === 'lost' ? { isLost: true } : undefined, true);
		const seen = await run(extend({ maxPrice: 5 }), [{ id: machine.id }]);
		expect(machine.extensions).toHaveLength(1);
		expect(saidHours(seen)).toBe(1);
	});
});

describe('several extensions of one deployment', () => {
	it.each([0, 50 * SECOND])('by two items are two (shown after %i ms)', async (extendedAfterMs) => {
		const opened = await running({ extendedAfterMs });
		const { run, machine } = opened;
		const both = [{ id: machine.id }, { id: machine.id }];
		const seen = await run(extend({}, { ...CONTINUE, ...RETRY }), both);
		expect(saidHours(seen)).toBeLessThanOrEqual(machine.extensions.length);
		expect(machine.extensions.length).toBeLessThanOrEqual(2);
	});

	it.each([0, 50 * SECOND])('side by side are two (shown after %i ms)', async (extendedAfterMs) => {
		const { engine, time, machine } = await running({ extendedAfterMs });
		const runs = ['left', 'right'].map(
			async (executionId) =>
				await engine.run(extend({}, CONTINUE), [{ id: machine.id }], { executionId }),
		);
		await time.during(Promise.all(runs), 60 * MINUTE);
		expect(machine.extensions).toHaveLength(2);
	});
});
