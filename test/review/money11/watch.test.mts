import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { packageTime } from '../../engine/time.mts';
import { HOUR, MINUTE, SECOND, type Json, type Said } from './market.mts';
import { open, type Opened } from './open.mts';

interface Watched extends Opened {
	trigger: PolledTrigger;
	/** What a poll tells, some time after the one before. */
	poll(passMs?: number): Promise<IDataObject[]>;
}

async function watch(event: string, parameters: IDataObject = {}, add?: (opened: Opened) => void) {
	const opened = await open();
	add?.(opened);
	const { engine, time } = opened;
	const node = computeTrigger(event, { product: 'vmaas', minutes: 60, options: {}, ...parameters });
	const trigger = new PolledTrigger(engine, node);
	await time.during(trigger.activate(), HOUR);
	const poll = async (passMs = MINUTE) => {
		await time.pass(passMs);
		const before = trigger.items.length;
		await time.during(trigger.poll(), HOUR);
		return trigger.items.slice(before);
	};
	return { ...opened, trigger, poll } satisfies Watched;
}

const OUTAGES: Said[] = [
	{ status: 500, body: 'internal' },
	{ status: 429, body: { detail: 'slow' }, headers: { 'retry-after': '120' } },
	{ body: '<html>maintenance</html>', headers: { 'content-type': 'text/html' } },
	{ isLost: true },
	{ body: { data: { deployments: [], total: 7 } } },
	{ status: 404, body: { message: 'no Route matched' } },
];

/** What a deployment goes through, with words that are not known. */
const LIVES: Array<[string[], string[]]> = [
	[
		['deployment requested', 'running', 'termination requested', 'destroyed'],
		['running', 'termination requested', 'destroyed'],
	],
	[
		['Deployment_Requested', 'provisioning disks', 'RUNNING', 'on hold', 'running', 'completed'],
		['provisioning disks', 'RUNNING', 'on hold', 'running', 'completed'],
	],
	[['running', 'failed', 'running', 'failed', 'destroyed', 'running', 'completed'], ['failed']],
];

describe.each(OUTAGES)('a trigger whose every second poll meets %o', (said) => {
	it.each(LIVES)('tells each change of %j once', async (statuses, told) => {
		const [begin, ...rest] = statuses;
		const { market, poll } = await watch('deploymentStateChanged', {}, (opened) => {
			opened.market.add('train', { status: begin });
		});
		const [machine] = market.machines;
		const seen: IDataObject[] = [];
		for (const status of rest) {
			Object.assign(machine ?? {}, { status });
			market.before = () => said;
			seen.push(...(await poll(30 * SECOND)));
			market.before = () => undefined;
			seen.push(...(await poll(30 * SECOND)));
		}
		expect(seen.map((item) => item.status)).toEqual(told);
		expect(new Set(seen.map((item) => item.event_id)).size).toBe(told.length);
	});
});

describe('one that vanishes from the list', () => {
	it.each([true, false])('has ended once its details say so (shown: %s)', async (isShown) => {
		const { market, poll } = await watch('deploymentStateChanged', {}, (opened) => {
			opened.market.add('web');
			opened.market.add('train');
		});
		const [, train] = market.machines;
		market.entry = (one, shown) => (one === train ? undefined : shown);
		market.detail = (one, shown) => (one === train && !isShown ? undefined : shown);
		const seen: IDataObject[] = [];
		for (let nth = 0; nth < 5; nth++) seen.push(...(await poll()));
		expect(seen).toEqual([]);
		Object.assign(train ?? {}, { status: 'destroyed' });
		for (let nth = 0; nth < 5; nth++) seen.push(...(await poll()));
		expect(seen.map(({ state }) => state)).toEqual(isShown ? ['ended'] : []);
	});
});

/** How minutes are written. */
const WRITTEN: Array<[string, (minutes: number) => unknown]> = [
	['a number', (minutes) => minutes],
	['a text', String],
	['a text with decimals', (minutes) => minutes.toFixed(2)],
];

describe.each(WRITTEN)('minutes that are %s', (_how, written) => {
	const expiring = async () =>
		await watch('deploymentExpiresSoon', {}, ({ market }) => {
			market.add('train', { madeAt: market.clock.now() - 30 * MINUTE });
			market.entry = (_one, shown) => asWritten(shown);
			market.detail = (_one, shown) => asWritten(shown);
		});
	const asWritten = (shown: Json): Json => ({
		...shown,
		compute_minutes_remaining: written(Number(shown.compute_minutes_remaining)),
	});

	it('tell an end once, also where each second poll fails', async () => {
		const { market, poll } = await expiring();
		const seen: IDataObject[] = [];
		for (let nth = 0; nth < 12; nth++) {
			market.before = () => (nth % 2 === 0 ? { status: 500, body: '' } : undefined);
			seen.push(...(await poll(10 * MINUTE)));
		}
		expect(seen.map(({ remaining_minutes: left }) => Number(left) <= 60)).toEqual([true]);
	});

	it('tell the end of an extension once more', async () => {
		const { market, poll } = await expiring();
		const [machine] = market.machines;
		expect(await poll(35 * MINUTE)).toHaveLength(1);
		if (machine) machine.hours++;
		expect(await poll(MINUTE)).toHaveLength(0);
		expect(await poll(60 * MINUTE)).toHaveLength(1);
		expect(await poll(MINUTE)).toHaveLength(0);
	});

	it.each([-HOUR])('tell no end again when the wall clock is set by %i ms', async (ms) => {
		const { market, poll } = await expiring();
		expect(await poll(35 * MINUTE)).toHaveLength(1);
		packageTime().now = () => market.clock.now() + ms;
		expect(await poll(MINUTE)).toHaveLength(0);
		expect(await poll(MINUTE)).toHaveLength(0);
	});
});
