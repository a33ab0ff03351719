import { describe, expect, it } from 'vitest';
import { Delivery } from '../../nodes/CaasLogsTrigger/delivery.ts';
import { logKey } from '../../nodes/marketplace/log/request.ts';
import { now } from '../../nodes/shared/time.ts';
import { attached } from './log-delivery-parts.mts';
import { LOG } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

const HOUR = 3_600_000;

describe('what is saved', () => {
	it('is the committed offset, a second after an execution has ended, once', async () => {
		const { deliver, executions, saves, saved } = attached();
		await deliver();
		expect(saved).toMatchObject({
			start: 'beginning',
			logs: { [logKey(LOG)]: { at: [0, 0, ''] } },
		});
		await executions[0]?.end();
		await deliver();
		await executions[1]?.end();
		await pass(999);
		expect(saves).toEqual([]);
		await pass(1);
		expect(saves).toHaveLength(1);
		expect(saved).toMatchObject({ logs: { [logKey(LOG)]: { at: [2, 0, ''] } } });
		await pass(HOUR);
		expect(saves).toHaveLength(1);
	});

	it('is nothing while an execution runs before which nothing has moved', async () => {
		const { deliver, executions, saves } = attached({ maxRunsInFlight: 2 });
		await deliver();
		await deliver();
		await executions[1]?.end();
		await pass(HOUR);
		expect(saves).toEqual([]);
		await executions[0]?.end();
		await pass(1_000);
		expect(saves).toEqual([executions[0]?.key]);
	});

	it('is saved again where nothing has moved, but nothing runs: an execution may have changed it', async () => {
		const { deliver, executions, saves } = attached({ delivery: 'succeeded' });
		await deliver();
		for (const tries of [0, 1]) {
			await executions[tries]?.end('error');
			await pass(3_000);
		}
		expect(saves).toHaveLength(2);
	});

	it('is not what another delivery has replaced', async () => {
		const { deliver, delivery, executions, saves } = attached();
		await deliver();
		delivery.markReplaced();
		await executions[0]?.end();
		await pass(HOUR);
		await delivery.close(async () => await Promise.resolve());
		expect(saves).toEqual([]);
	});

	it.each([[undefined], ['text'], [{}], [{ logs: [] }], [{ logs: 'x' }]])(
		'is not read where it is %j',
		(saved) => {
			expect(Delivery.load(saved)).toBeUndefined();
		},
	);

	it('is read as it was, without what is damaged', () => {
		const log = { at: [3, 30, ''], from: [0, 0, ''], known: '' };
		const loaded = Delivery.load({ start: 'now', logs: { a: log, b: 'damaged' } });
		expect(loaded?.startSetting).toBe('now');
		expect([...(loaded?.logs.keys() ?? [])]).toEqual(['a']);
		expect(Delivery.load({ start: 7, logs: {} })?.startSetting).toBe('');
	});
});

describe('logs that are not followed any more', () => {
	const load = (logs: Record<string, number | undefined>) =>
		Delivery.load({
			logs: Object.fromEntries(
				Object.entries(logs).map(([key, left]) => [
					key,
					{ at: [1, 1, ''], from: [0, 0, ''], known: '', ...(left !== undefined && { left }) },
				]),
			),
		}) ?? new Delivery('');

	it('are kept for a week', () => {
		const week = 7 * 24 * HOUR;
		const delivery = load({ a: now() - week, b: now() - week + 1, c: undefined, d: now() - week });
		delivery.follow(new Set(['d']));
		expect([...delivery.logs.keys()]).toEqual(['b', 'c', 'd']);
		expect(delivery.logs.get('b')?.leftAt).toBe(now() - week + 1);
		expect(delivery.logs.get('c')?.leftAt).toBe(now());
		expect(delivery.logs.get('d')?.leftAt).toBeUndefined();
	});

	it('are 50 at most, the latest ones', () => {
		const names = Array.from({ length: 52 }, (_, index) => `log ${index}`);
		const delivery = load(
			Object.fromEntries(names.map((name, index) => [name, now() - 1_000 + index])),
		);
		delivery.follow(new Set(['log 0']));
		expect([...delivery.logs.keys()]).toEqual(names.filter((_, index) => index !== 1));
	});
});
