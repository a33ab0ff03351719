import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { useFixture } from '../engine/fixture.mts';
import { LOG_PATH, numbered, openLog } from '../engine/logs.mts';
import { locator } from '../engine/nodes.mts';
import { eventually } from '../engine/wait.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture({ time: 'real' });

describe('after a restart', () => {
	it('killed while an execution is in flight: one that ended before it does not come again', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(200));
		const stuck = new Promise<void>(() => undefined);
		let begun = 0;
		await fixture
			.follow({ options: { maxRunsInFlight: 2 } }, async () => {
				if (++begun === 2) await stuck;
				await eventually('the second execution', () => begun > 1);
			})
			.activate();
		await eventually('the first is committed', () => fixture.trigger.dropped === 1);
		await fixture.trigger.kill();
		await fixture.trigger.activate('init');
		await fixture.delivered(300);
		expect(fixture.trigger.lines).toEqual([...numbered(200), ...numbered(100, 100)]);
	});

	it('killed: everything from the first batch that was not finished comes again, and nothing before it', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(1_000));
		const stuck = new Promise<void>(() => undefined);
		let runs = 0;
		await fixture
			.follow({ options: { maxRunsInFlight: 3 } }, async () => {
				if ([2, 4].includes(runs++)) await stuck;
			})
			.activate();
		await eventually('the others have ended', () => {
			const { executions } = fixture.trigger;
			return executions.length === 10 && executions.filter(({ run }) => !run).length === 2;
		});
		await fixture.trigger.kill();
		const before = fixture.trigger.lines.length;
		await fixture.trigger.activate('init');
		await fixture.delivered(before + 800);
		expect(fixture.trigger.lines.slice(before)).toEqual(numbered(800, 200));
		const keys = fixture.trigger.executions.map(({ key }) => key);
		expect(new Set(keys).size).toBe(keys.length);
	});

	it.each<[string, IDataObject]>([
		['the line to stop at', { stopOn: 'line 9' }],
		['the end of the container', {}],
	])(
		'killed during the last execution, after %s: its batch comes again, and nothing else does',
		async (_, options) => {
			const seed = fixture.sandbox.books.seeded.find(({ state }) => state === 'completed');
			const log = fixture.sandbox.logs.open(String(seed?.id), 'c', 'lines');
			log.append('stdout', ...numbered(10));
			log.append('stderr', 'slow');
			log.finish();
			const stuck = new Promise<void>(() => undefined);
			let isStuck = true;
			await fixture
				.follow(
					{
						deploymentId: locator(seed?.id),
						containerIds: ['c'],
						streams: ['stdout', 'stderr'],
						options: { ...options, maxRunsInFlight: 2, connectionEvents: true },
					},
					async (items) => {
						if (
							isStuck &&
							items.some(({ stream, line }) => stream === 'stdout' && line !== undefined)
						)
							await stuck;
					},
				)
				.activate();
			await eventually(
				'both have ended',
				() =>
					fixture.trigger.items.filter(({ event }) => event === 'finished' || event === 'stopped')
						.length === 2,
			);
			await fixture.trigger.kill();
			isStuck = false;
			const before = fixture.trigger.executions.length;
			await fixture.trigger.activate('init');
			const again = () =>
				fixture.trigger.executions
					.slice(before)
					.flatMap(({ items }) => items.map(({ json }) => json))
					.filter(({ line, stream }) => line !== undefined && stream === 'stdout')
					.map(({ line }) => line);
			await eventually('the last batch again', () => again().length >= 10);
			await eventually('its executions have ended', () =>
				fixture.trigger.executions.slice(before).every(({ run }) => run !== undefined),
			);
			expect(again()).toEqual(numbered(10));
		},
	);

	it('killed during an execution, and the log is not found for a while: its lines come again', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(150));
		const stuck = new Promise<void>(() => undefined);
		let isStuck = true;
		await fixture.follow({}, async () => await (isStuck ? stuck : undefined)).activate();
		await fixture.delivered(100);
		await fixture.trigger.kill();
		isStuck = false;
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			...errorForms.plainText(404, 'gone'),
		});
		await fixture.trigger.activate('init');
		await fixture.delivered(250);
		expect(fixture.trigger.lines.slice(100)).toEqual(numbered(150));
		expect(fixture.trigger.failures.map(({ message }) => message)).toEqual([
			'The stdout log of container c1 cannot be reached: Not found (404): gone',
		]);
		expect(fixture.trigger.errors).toEqual([]);
	});
});
