import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { useFixture } from '../engine/fixture.mts';
import { CONTAINER, numbered, openLog } from '../engine/logs.mts';
import type { Cancellation } from '../engine/trigger.mts';
import { eventually } from '../engine/wait.mts';

/** What the end of an execution means for its lines and for those after it. Pauses take no time here. */
const fixture = useFixture();

/** Batches are full at once: no clock moves on that would end a wait for more lines. */
const batch = { maxEntries: 10 };

const linesOf = (container: string) =>
	fixture.trigger.items.filter(({ container_id }) => container_id === container);

/** Resolves when n8n's database has the position after so many lines, and nothing before it to repeat. */
const committed = async (count: number) =>
	await eventually(`${count} lines are committed`, () =>
		JSON.stringify(fixture.trigger.saved).includes(`"at":[${count},`),
	);

describe('an execution that does not end by itself', () => {
	/** Follows a log of 30 lines in batches of ten, of which the first execution with line 10 ends so. */
	async function follow(cancellation: Cancellation, delivery: string): Promise<void> {
		openLog(fixture.sandbox).append('stdout', ...numbered(30));
		fixture.follow({ batch, options: { delivery } });
		let isFirst = true;
		fixture.trigger.cancels = ([item]) => {
			if (!isFirst || item?.line !== 'line 10') return undefined;
			isFirst = false;
			return cancellation;
		};
		await fixture.trigger.activate();
	}

	it.each<[string, Cancellation, string]>([
		['stopped by a person, the default delivery', 'manual', 'completed'],
		['stopped by a person, delivered when it succeeds', 'manual', 'succeeded'],
		['in the timeout of the workflow, the default delivery', 'timeout', 'completed'],
		['in the timeout of the workflow, delivered immediately', 'timeout', 'immediately'],
	])('%s: its lines are done, and later ones come', async (_, cancellation, delivery) => {
		await follow(cancellation, delivery);
		await fixture.delivered(30);
		await committed(30);
		await fixture.trigger.kill();
		await fixture.trigger.activate('init');
		await fixture.quiet();
		expect(fixture.trigger.lines).toEqual(numbered(30));
		expect(fixture.trigger.failures).toEqual([]);
	});

	it.each<[string, Cancellation, string]>([
		['in the timeout of the workflow, delivered when it succeeds', 'timeout', 'succeeded'],
		['crashed with its worker, the default delivery', 'crashed', 'completed'],
		['crashed with its worker, delivered when it succeeds', 'crashed', 'succeeded'],
	])('%s: its lines come once more, then later ones', async (_, cancellation, delivery) => {
		await follow(cancellation, delivery);
		await fixture.delivered(40);
		await fixture.quiet();
		expect(fixture.trigger.lines).toEqual([...numbered(20), ...numbered(20, 10)]);
	});

	it('interrupted by a stop of n8n: its lines come after the next start', async () => {
		await follow('shutdown', 'completed');
		await fixture.delivered(20);
		await fixture.trigger.deactivate();
		await fixture.trigger.kill();
		const { length } = fixture.trigger.lines;
		await fixture.trigger.activate('init');
		await fixture.delivered(length + 20);
		await fixture.quiet();
		expect(fixture.trigger.lines.slice(length)).toEqual(numbered(20, 10));
	});
});

describe('a batch that fails', () => {
	const failing = (isFailing: (items: IDataObject[]) => boolean) => (items: IDataObject[]) => {
		if (isFailing(items)) throw new Error('no');
	};
	const succeeded = { delivery: 'succeeded' };

	it('is repeated with pauses from one second to five minutes', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(10));
		let runs = 0;
		await fixture
			.follow(
				{ batch, options: succeeded },
				failing(() => ++runs < 12),
			)
			.activate();
		await eventually('it has succeeded', () => runs === 12);
		// Each of them also has a wait of one second, after which positions are saved
		const seconds = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
		expect(fixture.time.waits.filter((ms) => ms >= 2_000)).toEqual(
			seconds.map((second) => second * 1_000),
		);
		await fixture.quiet();
		expect(fixture.trigger.lines).toHaveLength(12 * 10);
	});

	it('does not stop the log of another container, though only one may be in flight', async () => {
		openLog(fixture.sandbox, 'sse', 'bad').append('stdout', ...numbered(20));
		openLog(fixture.sandbox, 'sse', 'good').append('stdout', ...numbered(100));
		await fixture
			.follow(
				{ batch, containerIds: ['bad', 'good'], options: succeeded },
				failing(([item]) => item?.container_id === 'bad'),
			)
			.activate();
		await eventually('the other log', () => linesOf('good').length >= 100);
		expect(linesOf('good').map(({ line }) => line)).toEqual(numbered(100));
		// Its later batches wait, so that its lines keep their order
		expect(new Set(linesOf('bad').map(({ line }) => line))).toEqual(new Set(numbered(10)));
	});

	it('is skipped after as many failures as Give Up After says, and reported once', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(30));
		await fixture
			.follow(
				{ batch, options: { ...succeeded, giveUpAfter: 3 } },
				failing((items) => items.some(({ line }) => line === 'line 10')),
			)
			.activate();
		await fixture.delivered(50);
		await committed(30);
		expect(fixture.trigger.failures).toMatchObject([
			{
				message: `A batch of the stdout log of container ${CONTAINER} failed 3 times and is skipped`,
				description: expect.stringContaining('offset 10'),
			},
		]);
		await fixture.trigger.kill();
		await fixture.trigger.activate('init');
		await fixture.quiet();
		const bad = numbered(10, 10);
		expect(fixture.trigger.lines).toEqual([...numbered(20), ...bad, ...bad, ...numbered(10, 20)]);
	});
});

describe('executions', () => {
	it('of several logs take turns', async () => {
		const busy = openLog(fixture.sandbox, 'sse', 'busy');
		const calm = openLog(fixture.sandbox, 'sse', 'calm');
		let isStuck = true;
		busy.append('stdout', ...numbered(200));
		await fixture
			.follow({ batch, containerIds: ['busy', 'calm'] }, async () => {
				while (isStuck) await new Promise(setImmediate);
			})
			.activate();
		await eventually('the first execution', () => fixture.trigger.executions.length === 1);
		calm.append('stdout', ...numbered(30, 1_000));
		await fixture.quiet();
		isStuck = false;
		await fixture.delivered(230);
		const order = fixture.trigger.executions.map(({ items }) => items[0]?.json.container_id);
		expect(order.slice(0, 8).filter((container) => container === 'calm')).toHaveLength(3);
		expect(order.slice(0, 3)).toContain('calm');
	});

	it('above Max Executions per Minute: their lines are dropped, and the next item tells how many', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(50));
		await fixture.follow({ batch, options: { maxExecutionsPerMinute: 2 } }).activate();
		await fixture.delivered(20);
		await fixture.quiet();
		expect(fixture.trigger.lines).toEqual(numbered(20));
		fixture.sandbox.clock.advance(60_000);
		log.append('stdout', ...numbered(20, 50));
		await fixture.delivered(40);
		expect(fixture.trigger.lines.slice(20)).toEqual(numbered(20, 50));
		const told = fixture.trigger.items.flatMap(({ held_back }, index) =>
			held_back === undefined ? [] : [[index, held_back]],
		);
		expect(told).toEqual([[20, 30]]);
	});

	it('of before count as in flight when the workflow is published again, which waits for none', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(10));
		let isStuck = true;
		await fixture
			.follow({ batch, options: { maxRunsInFlight: 2 } }, async () => {
				while (isStuck) await new Promise(setImmediate);
			})
			.activate();
		await fixture.delivered(10);
		await fixture.trigger.activate();
		log.append('stdout', ...numbered(20, 10));
		await fixture.delivered(20);
		await fixture.quiet();
		expect(fixture.trigger.lines).toEqual(numbered(20));
		isStuck = false;
		await fixture.delivered(30);
		await committed(30);
		await fixture.trigger.kill();
		await fixture.trigger.activate('init');
		await fixture.quiet();
		expect(fixture.trigger.lines).toEqual(numbered(30));
	});

	it('that were stopped in the queue of n8n hold the log until the workflow is deactivated and activated', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(10));
		fixture.follow({ batch });
		let isQueued = true;
		fixture.trigger.cancels = () => (isQueued ? 'dequeued' : undefined);
		await fixture.trigger.activate();
		await fixture.delivered(10);
		isQueued = false;
		log.append('stdout', ...numbered(10, 10));
		for (const activation of ['update', 'activate'] as const) {
			await fixture.quiet();
			expect(fixture.trigger.lines).toEqual(numbered(10));
			await fixture.trigger.deactivate();
			await fixture.trigger.activate(activation);
		}
		await fixture.delivered(30);
		await committed(20);
		expect(fixture.trigger.lines).toEqual([...numbered(10), ...numbered(20)]);
	});
});
