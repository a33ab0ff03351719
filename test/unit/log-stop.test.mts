import { beforeEach, describe, expect, it } from 'vitest';
import type { Delivery } from '../../nodes/CaasLogsTrigger/delivery.ts';
import { elapsed } from '../../nodes/shared/time.ts';
import { attached } from './log-delivery-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

/** How long a stop of n8n counts as one. */
const STOP_MS = 30_000;
beforeEach(async () => await pass(STOP_MS + 1));

/** Begins to close a delivery. @returns how long that took, once it is done */
function close(delivery: Delivery, stop: () => Promise<void>): { ms?: number } {
	const at = elapsed();
	const closing: { ms?: number } = {};
	void delivery.close(stop).then(() => (closing.ms = elapsed() - at));
	return closing;
}

/** A delivery with an execution in flight, and one that waits. */
async function busy() {
	const parts = attached();
	await parts.deliver();
	await parts.deliver();
	/** How long the stop took, if that is not longer than so many milliseconds. */
	const closedIn = async (ms: number) => {
		const closing = close(parts.delivery, parts.stop);
		await pass(ms);
		return closing.ms;
	};
	return { ...parts, closedIn };
}

describe('a stop', () => {
	it('takes no time where nothing is in flight, and saves what has ended', async () => {
		const { delivery, deliver, executions, saves, stop } = attached();
		await deliver();
		await executions[0]?.end();
		expect(saves).toEqual([]);
		const closing = close(delivery, stop);
		await pass();
		expect(closing.ms).toBe(0);
		expect(new Set(saves)).toEqual(new Set([executions[0]?.key]));
		expect(delivery).toMatchObject({ isSaved: true, isStuck: false });
	});

	it('saves once more what is saved: an execution may have changed it', async () => {
		const { delivery, deliver, executions, saves, stop } = attached();
		await deliver();
		await executions[0]?.end();
		await pass(1_000);
		const before = saves.length;
		close(delivery, stop);
		await pass();
		expect(saves.length).toBeGreaterThan(before);
	});

	it('saves nothing before any execution has ended', async () => {
		const { delivery, saves, stop } = attached();
		const closing = close(delivery, stop);
		await pass();
		expect(closing.ms).toBe(0);
		expect(saves).toEqual([]);
	});

	it('waits for the execution in flight, and starts none that waits', async () => {
		const { delivery, executions, saved, stop, results } = await busy();
		const closing = close(delivery, stop);
		await pass(3_000);
		expect(results).toEqual([true, false]);
		expect(closing.ms).toBeUndefined();
		await executions[0]?.end();
		expect(closing.ms).toBe(3_000);
		expect(executions).toHaveLength(1);
		expect(JSON.stringify(saved)).toContain('"at":[1,0,""]');
	});

	it('waits ten seconds, half a second at least for each further trigger', async () => {
		const [one, other, third] = [await busy(), await busy(), await busy()];
		expect(await one.closedIn(10_000)).toBe(10_000);
		expect(one.delivery).toMatchObject({ isSaved: false, isStuck: true });
		expect(await other.closedIn(500)).toBe(500);
		await one.executions[0]?.end();
		expect(one.delivery).toMatchObject({ isSaved: true, isStuck: false });
		// Another stop
		await pass(STOP_MS - 10_500 + 1);
		expect(await third.closedIn(10_000)).toBe(10_000);
	});

	it('is the same one for half a minute', async () => {
		const [one, other] = [await busy(), await busy()];
		expect(await one.closedIn(10_000)).toBe(10_000);
		await pass(STOP_MS - 10_000);
		expect(await other.closedIn(500)).toBe(500);
	});

	it('leaves a later trigger what the first one did not need', async () => {
		const [one, other] = [await busy(), await busy()];
		expect(await one.closedIn(4_000)).toBeUndefined();
		await one.executions[0]?.end();
		expect(await other.closedIn(6_000)).toBe(6_000);
	});

	it('is not held up by a database that hangs for more than five seconds', async () => {
		const { delivery, deliver, executions, database, stop } = attached();
		await deliver();
		await executions[0]?.end();
		database.hangs = true;
		const closing = close(delivery, stop);
		await pass(5_000);
		expect(closing.ms).toBe(5_000);
	});

	it('delivers the last batches, and no other', async () => {
		const { activation, delivery, deliver, batch, executions, starts, stop, results } = attached();
		close(delivery, async () => {
			await stop();
			for (const isLast of [true, false])
				results.push(await delivery.deliver(activation, batch('c', { isLast })));
		});
		await pass(1_000);
		expect(starts()).toEqual([0]);
		expect(results).toEqual([true, false]);
		await executions[0]?.end();
		// Closed: none starts any more
		await deliver(batch('c', { isLast: true }));
		expect(starts()).toEqual([0]);
		expect(results).toEqual([true, false, false]);
	});

	it('does not repeat what fails meanwhile', async () => {
		const { executions, closedIn } = await busy();
		expect(await closedIn(1_000)).toBeUndefined();
		await executions[0]?.end('crashed');
		await pass(3_600_000);
		expect(executions).toHaveLength(1);
	});

	it('between two tries of a batch ends it', async () => {
		const { delivery, deliver, executions, stop } = attached({ delivery: 'succeeded' });
		await deliver();
		await executions[0]?.end('error');
		const closing = close(delivery, stop);
		await pass(3_600_000);
		expect(closing.ms).toBe(0);
		expect(executions).toHaveLength(1);
	});
});

describe('static data that is damaged', () => {
	it('is told once, and no reason to wait for a save', async () => {
		const { delivery, deliver, functions, executions, warnings } = attached();
		Object.assign(functions, { getWorkflowStaticData: () => 'damaged' });
		for (const index of [0, 1]) {
			await deliver();
			await executions[index]?.end();
			await pass(1_000);
		}
		expect(warnings).toEqual([expect.stringContaining('Rename the node')]);
		expect(delivery).toMatchObject({ isSaved: false, isStuck: false });
		Object.assign(functions, { getWorkflowStaticData: () => ({}) });
		await deliver();
		expect(delivery.isSaved).toBe(false);
		await executions[2]?.end();
		await pass(1_000);
		expect(delivery.isSaved).toBe(true);
	});
});
