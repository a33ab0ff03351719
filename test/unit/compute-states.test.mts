import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';
import { watchStates, type SeenStates } from '../../nodes/ComputeTrigger/events/states.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { jsonOf, MINUTE, useNoon, watched } from './compute-parts.mts';

useNoon();

const listOf = (deployments: IDataObject[]) => ({ deployments, total: deployments.length });
const DAY_MINUTES = 24 * 60;

function states() {
	const one = watched(watchStates(VMAAS));
	/** What is told of this list, after so many minutes. */
	const told = async (deployments: IDataObject[], minutes?: number) => {
		one.show(listOf(deployments));
		return jsonOf(await one.look(minutes)).map(({ deployment_id, status, former_status }) => [
			deployment_id,
			status,
			former_status,
		]);
	};
	/** The same where details of what is not in it are not found. */
	const toldAlone = async (deployments: IDataObject[], minutes?: number) => {
		one.answers((path) =>
			path.endsWith('/deployments') ? { json: { data: listOf(deployments) } } : { status: 404 },
		);
		one.asked.length = 0;
		await one.look(minutes);
		return one.asked.filter((path) => path !== 'deployments');
	};
	return { ...one, told, toldAlone };
}

const is = (status: unknown, more: IDataObject = {}): IDataObject[] => [
	{ id: 'a', status: status as string, ...more },
];

describe('a deployment that is seen for the first time', () => {
	it.each([
		['was there before the base line', { compute_minutes_served: 7 }, false],
		['may be new: minutes are rounded', { compute_minutes_served: 6 }, true],
		['adds the minutes up over GPUs', { compute_minutes_served: 48, hardware_quantity: 8 }, true],
		['was there for longer', { compute_minutes_served: 49, hardware_quantity: 8 }, false],
		['has no GPU', { compute_minutes_served: 6, hardware_quantity: 0 }, true],
		['shows no minutes', {}, true],
	])('%s', async (_, more, isTold) => {
		const { told } = states();
		await told([]);
		expect(await told(is('running', more))).toEqual(isTold ? [['a', 'running', null]] : []);
		// And once it was seen, its end is told in any case
		expect(await told(is('failed'))).toEqual([['a', 'failed', 'running']]);
	});
});

it('the base line has what there is, and nothing else', async () => {
	const { show, look } = states();
	show(listOf([...is('running'), { id: 'b', status: 'failed' }]));
	const { events, seen } = await look();
	expect(events).toEqual([]);
	const { ended, ...rest } = seen;
	expect(rest).toEqual({
		since: Date.now(),
		live: { a: 'running' },
		left: {},
		back: {},
		missing: {},
	});
	expect(ended).toMatch(/^[\w-]{8}$/);
});

describe('a deployment that was seen', () => {
	it('with no status any more has not changed, and what it shows later is compared', async () => {
		const { told } = states();
		await told(is('running'));
		expect(await told([{ id: 'a' }])).toEqual([]);
		expect(await told(is('failed'))).toEqual([['a', 'failed', 'running']]);
	});

	it('with a word of the service that is "ended" has not ended: its real end is told', async () => {
		const { show, look } = states();
		show(listOf(is('running')));
		await look();
		show(listOf(is('Ended')));
		await look();
		show(listOf(is('failed')));
		expect(jsonOf(await look())).toMatchObject([
			{ status: 'failed', state: 'ended', former_status: 'ended', former_state: 'unknown' },
		]);
	});

	it('and has ended is told no more, in whatever words it is shown, and for how long', async () => {
		const { told } = states();
		await told(is('running'));
		expect(await told(is('failed'))).toHaveLength(1);
		for (const status of ['destroyed', 'destroyed', 'failed'])
			expect(await told(is(status), 5)).toEqual([]);
	});

	it('is told with the state that it had before', async () => {
		const { show, look } = states();
		const formerStates = [];
		for (const status of ['', 'deployment requested', 'running', 'paused', 'failed', 'running']) {
			show(listOf(status === '' ? [] : is(status)));
			for (const { former_state } of jsonOf(await look())) formerStates.push(former_state);
		}
		// Once the earlier state has lasted
		formerStates.push(...jsonOf(await look(2)).map(({ former_state }) => former_state));
		expect(formerStates).toEqual([null, 'starting', 'running', 'unknown', 'ended']);
	});
});

/** The clock of n8n is set back by so many minutes. */
const setBack = (minutes: number) => vi.setSystemTime(Date.now() - minutes * MINUTE);

describe('after the clock was set back', () => {
	it('a new deployment is told', async () => {
		const { told } = states();
		await told([]);
		setBack(60);
		await told([]);
		expect(await told(is('running', { compute_minutes_served: 4 }), 5)).toHaveLength(1);
	});

	it('an earlier state that lasts is told', async () => {
		const { told } = states();
		await told(is('terminating'));
		await told(is('running'));
		setBack(60);
		expect(await told(is('running'), 0)).toEqual([]);
		expect(await told(is('running'), 2)).toHaveLength(1);
	});

	it('what the list does not show is asked for no longer than a day', async () => {
		const { told, toldAlone } = states();
		await told(is('running'));
		for (let looks = 0; looks < 100; looks++) await toldAlone([]);
		setBack(DAY_MINUTES);
		expect(await toldAlone([], 0)).toEqual(['a']);
		expect(await toldAlone([], DAY_MINUTES)).toEqual([]);
	});
});

describe('an earlier state', () => {
	it('is also a word that is not known, and came before a later state: two copies tell each once', async () => {
		const { told } = states();
		await told(is('deployment requested'));
		const events = [];
		for (let polls = 0; polls < 4; polls++)
			for (const status of ['provisioning', 'running']) events.push(...(await told(is(status), 3)));
		expect(events.map(([, status]) => status)).toEqual(['provisioning', 'running']);
		await told(is('provisioning'));
		expect(await told(is('provisioning'), 2)).toEqual([['a', 'provisioning', 'running']]);
	});

	it.each([
		[1.999, false],
		[2, true],
	])('that lasts for %d minutes is believed: %s', async (minutes, isTold) => {
		const { told } = states();
		await told(is('running'));
		expect(await told(is('deployment requested'))).toEqual([]);
		expect(await told(is('deployment requested'), minutes)).toHaveLength(isTold ? 1 : 0);
	});

	it('lasts from when it was shown, not from another one, nor from before a later state', async () => {
		const { told } = states();
		await told(is('terminating'));
		expect(await told(is('running'))).toEqual([]);
		expect(await told(is('deployment requested'), 1.5)).toEqual([]);
		expect(await told(is('deployment requested'), 1.5)).toEqual([]);
		expect(await told(is('terminating'))).toEqual([]);
		expect(await told(is('deployment requested'), 1.5)).toEqual([]);
		expect(await told(is('deployment requested'), 2)).toHaveLength(1);
	});

	it('is none of a word that is not known, which is told at once, and what follows it, too', async () => {
		const { told } = states();
		await told(is('running'));
		expect(await told(is('paused'))).toEqual([['a', 'paused', 'running']]);
		expect(await told(is('deployment requested'))).toHaveLength(1);
	});

	it('after the end is another life of it once that lasts, and its end is told again', async () => {
		const { told } = states();
		await told(is('failed'));
		expect(await told(is('paused'))).toEqual([]);
		expect(await told(is('paused'), 2)).toEqual([['a', 'paused', 'ended']]);
		expect(await told(is('destroyed'))).toEqual([['a', 'destroyed', 'paused']]);
		expect(await told(is('failed'))).toEqual([]);
	});
});

describe('a deployment that the list does not show', () => {
	it('is asked for, for a day, and 100 times', async () => {
		const { told, toldAlone } = states();
		await told(is('running'));
		expect(await toldAlone([])).toEqual(['a']);
		for (let looks = 1; looks < 100; looks++)
			expect(await toldAlone([], looks === 1 ? DAY_MINUTES : 1)).toEqual(['a']);
		expect(await toldAlone([], 0)).toEqual([]);
	});

	it('is asked for, for a day, however often', async () => {
		const { told, toldAlone } = states();
		await told(is('running'));
		for (let looks = 0; looks < 100; looks++) expect(await toldAlone([])).toEqual(['a']);
		expect(await toldAlone([], DAY_MINUTES - 99.01)).toEqual(['a']);
		expect(await toldAlone([], 0.01)).toEqual([]);
	});

	it('is asked for again for a day where the list has shown it meanwhile', async () => {
		const { told, toldAlone } = states();
		await told(is('running'));
		expect(await toldAlone([])).toEqual(['a']);
		await told(is('running'), DAY_MINUTES);
		expect(await toldAlone([])).toEqual(['a']);
	});

	it('is not asked for after its end', async () => {
		const { told, toldAlone } = states();
		await told(is('running'));
		await toldAlone([]);
		await told(is('failed'));
		expect(await toldAlone([])).toEqual([]);
	});

	it('takes its turn: five in a poll, those first that were asked for least', async () => {
		const { told, toldAlone } = states();
		const all = Array.from({ length: 7 }, (_, index) => ({ id: `d${index}`, status: 'running' }));
		await told(all);
		expect(await toldAlone([])).toEqual(['d0', 'd1', 'd2', 'd3', 'd4']);
		expect(await toldAlone([])).toEqual(['d5', 'd6', 'd0', 'd1', 'd2']);
	});
});

describe('beside 20,000 that have ended', () => {
	/** Looks at this list after they were seen. */
	const look = async (deployments: IDataObject[], count = 20_000) => {
		const watch = watchStates(VMAAS);
		const ended = Array.from({ length: count }, (_, index) => String(index).padStart(8, '0'));
		const before = {
			since: Date.now(),
			live: { a: 'running' },
			ended: ended.join(''),
			left: {},
			back: {},
			missing: {},
		};
		const one = watched<SeenStates>({
			...watch,
			look: async (context, seen = before) => await watch.look(context, seen),
		});
		const told = async () => jsonOf(await one.look()).map(({ status }) => status);
		one.show(listOf(deployments));
		const first = await told();
		const again = await told();
		const { seen } = await one.look();
		const left = new Set(seen.ended.match(/.{8}/g));
		return { first, again, forgotten: ended.filter((key) => !left.has(key)), size: left.size };
	};

	it('the oldest end is forgotten for a new one, which is told once', async () => {
		const { first, again, forgotten, size } = await look(is('failed'));
		expect([first, again, forgotten]).toEqual([['failed'], [], ['00000000']]);
		expect(size).toBe(20_000);
	});

	it('no other one is told that had ended when it was first seen, and none is forgotten', async () => {
		const { first, again, forgotten } = await look([{ id: 'b', status: 'failed' }]);
		expect([first, again, forgotten]).toEqual([[], [], []]);
	});

	it('but one, another one is told, and all of them are remembered', async () => {
		const { first, again, forgotten, size } = await look([{ id: 'b', status: 'failed' }], 19_999);
		expect([first, again, forgotten, size]).toEqual([['failed'], [], [], 20_000]);
	});
});
