import { describe, expect, it } from 'vitest';
import { Delivery } from '../../nodes/CaasLogsTrigger/delivery.ts';
import { ExecutionLimit } from '../../nodes/CaasLogsTrigger/executionLimit.ts';
import { attached } from './log-delivery-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

const MINUTE_MS = 60_000;
const batchOf = (lines = 1) => ({ items: [{ json: { held_back: undefined } }], lines });

describe('lines above the limit of executions in a minute', () => {
	it('are told by one batch in flight, and by the next one if that is not committed', async () => {
		const limit = new ExecutionLimit(5);
		const [first, second, third] = [batchOf(), batchOf(), batchOf()];
		const told = (one = first) => {
			expect(limit.allows(one, 10)).toBe(true);
			return one.items[0]?.json.held_back;
		};
		expect([told(first), told(second)]).toEqual([5, undefined]);
		limit.over(first);
		expect([told(third), limit.untold]).toEqual([5, 5]);
		limit.committed(third);
		limit.committed(third);
		limit.over(third);
		expect([told(batchOf()), limit.untold]).toEqual([undefined, 0]);
	});

	it('are added to those that a batch in flight tells', () => {
		const limit = new ExecutionLimit(5);
		const first = batchOf();
		limit.allows(first, 1);
		expect(limit.allows(batchOf(3), 1)).toBe(false);
		limit.committed(first);
		expect(limit.untold).toBe(3);
	});

	it('are none where there is no limit', () => {
		const limit = new ExecutionLimit(5);
		const one = batchOf();
		expect(limit.allows(one, Infinity)).toBe(true);
		expect(one.items[0]?.json.held_back).toBeUndefined();
	});
});

describe('at a stop, the number of dropped lines', () => {
	async function dropped() {
		const one = attached({ maxExecutionsPerMinute: 1 });
		await one.deliver();
		await one.executions[0]?.end();
		await one.deliver(one.batch('c', { lines: 7 }));
		await pass(MINUTE_MS);
		return one;
	}
	/** What is saved, and what is read from it. */
	const again = ({ delivery, functions, saved }: ReturnType<typeof attached>) => {
		delivery.write(functions);
		return { saved, loaded: Delivery.load(JSON.parse(JSON.stringify(saved))) };
	};

	it('is saved, and told after the next start', async () => {
		const { saved, loaded } = again(await dropped());
		expect(saved).toMatchObject({ heldBack: 7 });
		const next = attached({ maxExecutionsPerMinute: 1 }, loaded);
		await next.deliver();
		expect(next.executions[0]?.json?.held_back).toBe(7);
		expect(again(next).saved).toMatchObject({ heldBack: 7 });
		await next.executions[0]?.end();
		expect(again(next).saved.heldBack).toBeUndefined();
	});

	it('stays if the execution that tells it is interrupted', async () => {
		const one = await dropped();
		await one.deliver();
		expect(one.executions[1]?.json?.held_back).toBe(7);
		await one.executions[1]?.fail({ reason: 'shutdown' });
		expect(again(one).saved).toMatchObject({ heldBack: 7 });
	});

	it.each([-1, 1.5, '7', null])('is none where %j was saved', (heldBack) => {
		const loaded = Delivery.load({ start: '', logs: {}, heldBack });
		expect(again(attached({}, loaded)).saved.heldBack).toBeUndefined();
	});
});
