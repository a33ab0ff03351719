import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';
import { StoredCredentials } from '../engine/credentials.mts';
import { useFixture } from '../engine/fixture.mts';
import {
	CONTAINER,
	DEPLOYMENT,
	LOG_PATH,
	numbered,
	openLog,
	runningDeployment,
} from '../engine/logs.mts';
import { locator } from '../engine/nodes.mts';
import { eventually } from '../engine/wait.mts';
import { errorForms } from '../sandbox/index.mts';

/** Where lines could be lost, or come without end, between two connections or two activations. */
const fixture = useFixture({ time: 'immediate' });

const came = async (...lines: string[]) => {
	await eventually(`${lines.length} lines`, () => fixture.trigger.lines.length >= lines.length);
	expect(fixture.trigger.lines).toEqual(lines);
};

describe('the end of a log', () => {
	it('what is written before the deployment is asked for its state still comes', async () => {
		const id = String(fixture.sandbox.books.seeded.find(({ state }) => state === 'completed')?.id);
		const log = fixture.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', 'one', 'two');
		log.finish();
		fixture.sandbox.faults.add({ match: { path: new RegExp(`/deployment/${id}$`) }, delayMs: 100 });
		await fixture
			.follow({ deploymentId: locator(id), options: { connectionEvents: true } })
			.activate();
		await eventually('the request for its state', () =>
			fixture.sandbox.requests.some(({ path }) => path.endsWith(`/deployment/${id}`)),
		);
		log.append('stdout', 'three', 'four');
		await fixture.sandbox.clock.advance(100);
		await eventually('the end', () =>
			fixture.trigger.items.some(({ event }) => event === 'finished'),
		);
		expect(fixture.trigger.lines.filter((line) => line !== 'undefined')).toEqual([
			'one',
			'two',
			'three',
			'four',
		]);
	});

	it('both streams of an ended container repeat the batches in flight after a kill', async () => {
		const id = String(fixture.sandbox.books.seeded.find(({ state }) => state === 'completed')?.id);
		const log = fixture.sandbox.logs.open(id, CONTAINER, 'lines');
		log.append('stdout', 'out');
		log.append('stderr', 'err');
		log.finish();
		let isStuck = true;
		// One of them comes long after the other one is at its end
		const slow = () =>
			fixture.sandbox.faults.add({
				match: { path: LOG_PATH },
				skip: 1,
				slowBytes: { chunk: 1, everyMs: 300 },
			});
		slow();
		const parameters = {
			deploymentId: locator(id),
			streams: ['stdout', 'stderr'],
			options: { maxRunsInFlight: 2 },
		};
		await fixture
			.follow(parameters, async () => {
				while (isStuck) await new Promise(setImmediate);
			})
			.activate();
		await eventually('both executions', () => fixture.trigger.lines.length === 2);
		await fixture.trigger.kill();
		isStuck = false;
		slow();
		await fixture.trigger.activate('init');
		await eventually('both again', () => fixture.trigger.lines.length === 4);
		expect(fixture.trigger.lines.slice(2).sort()).toEqual(['err', 'out']);
		expect(fixture.trigger.failures).toEqual([]);
	});
});

describe('Start From = Now', () => {
	it('what is written while n8n is down comes, even if nothing came before', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(5));
		await fixture.follow({ startFrom: 'now' }).activate();
		await fixture.trigger.kill();
		log.append('stdout', 'while it was down');
		await fixture.trigger.activate('init');
		await came('while it was down');
	});

	it('old lines are left out where no blank line ends an event', async () => {
		const log = openLog(fixture.sandbox, 'dataLines');
		log.append('stdout', ...numbered(5));
		await fixture.follow({ startFrom: 'now' }).activate();
		log.append('stdout', 'new');
		await came('new');
	});

	it('a service that ends each stream: new lines are not taken for old ones', async () => {
		const id = runningDeployment(fixture.sandbox);
		const log = fixture.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', ...numbered(5));
		log.finish();
		await fixture.follow({ startFrom: 'now', deploymentId: locator(id) }).activate();
		log.append('stdout', 'new');
		await came('new');
	});
});

describe('what is not a log', () => {
	it('the page of a proxy adds no line and loses none', async () => {
		openLog(fixture.sandbox, 'lines').append('stdout', ...numbered(8));
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 'line 0\nline 1\n'.length });
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, times: 2, ...errorForms.html(200) });
		await fixture.follow({ options: { offsetUnit: 'entries' } }).activate();
		await came(...numbered(8));
	});

	it('a credential that n8n cannot read once does not end the trigger', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', 'one');
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			cutBodyAt: 'id: 0\ndata: one\n\n'.length,
		});
		await fixture.follow().activate();
		await came('one');
		const reading = vi
			.spyOn(StoredCredentials.prototype, 'getDecrypted')
			.mockRejectedValueOnce(new Error('Database connection timed out'));
		log.append('stdout', 'two');
		await came('one', 'two');
		expect(fixture.trigger.errors).toEqual([]);
		reading.mockRestore();
	});

	it('a token that is corrected is used without another activation', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', 'one');
		await fixture.follow().activate();
		await came('one');
		let isWrong = true;
		const { getDecrypted } = StoredCredentials.prototype;
		const reading = vi
			.spyOn(StoredCredentials.prototype, 'getDecrypted')
			.mockImplementation(async function (this: StoredCredentials, ...given) {
				const data = await getDecrypted.apply(this, given);
				return isWrong ? { ...data, accessToken: 'wrong' } : data;
			});
		for (const connection of log.connections) connection.break();
		await eventually('the report', () => fixture.trigger.failures.length === 1);
		isWrong = false;
		log.append('stdout', 'two');
		await came('one', 'two');
		reading.mockRestore();
	});
});

describe('an execution that ends after another activation', () => {
	it('does not bring back the offsets of the activation before', async () => {
		openLog(fixture.sandbox).append('stdout', 'one');
		let isStuck = true;
		await fixture
			.follow({ startFrom: 'beginning' }, async () => {
				while (isStuck) await new Promise(setImmediate);
			})
			.activate();
		await came('one');
		await fixture.trigger.deactivate();
		fixture.trigger.change({ startFrom: 'now' });
		await fixture.trigger.activate();
		const saved = JSON.stringify(fixture.trigger.saved);
		isStuck = false;
		await eventually('the execution has ended', () =>
			fixture.trigger.executions.every(({ run }) => run !== undefined),
		);
		await fixture.quiet();
		expect(JSON.stringify(fixture.trigger.saved)).toBe(saved);
	});
});

describe('several activations', () => {
	it('at the same moment: one of them reads the log', async () => {
		const log = openLog(fixture.sandbox);
		await fixture.follow().activate();
		await Promise.all([
			fixture.trigger.activate(),
			fixture.trigger.activate(),
			fixture.trigger.activate(),
		]);
		log.append('stdout', 'one');
		await came('one');
		expect(await fixture.sandbox.openSockets()).toBe(1);
	});
});

describe('static data', () => {
	it('holds the batches in flight, not those that wait', async () => {
		let largest = 0;
		openLog(fixture.sandbox, 'lines').append('stdout', ...numbered(500));
		await fixture
			.follow({ batch: { maxEntries: 1, maxWaitMs: 20 } }, () => {
				largest = Math.max(largest, JSON.stringify(fixture.trigger.saved).length);
			})
			.activate();
		await came(...numbered(500));
		expect(largest).toBeGreaterThan(0);
		expect(largest).toBeLessThan(1_000);
	});

	it.each<[string, unknown]>([
		['null', null],
		['text', 'lastStop'],
		['a number', 7],
		['a list', []],
		['without logs', { start: 'lastStop', logs: null }],
		['with a log that is null', { start: 'lastStop', logs: { [`${DEPLOYMENT}/c1/stdout`]: null } }],
		[
			'with offsets below zero',
			{
				start: 'lastStop',
				logs: { [`${DEPLOYMENT}/c1/stdout`]: { at: [-9, 0, ''], from: [-9, 0, ''], known: '' } },
			},
		],
	])('that is %s does not stop an activation, and the log is followed', async (_, saved) => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', 'one');
		fixture.follow();
		fixture.trigger.saved = { 'node:Trigger': saved } as IDataObject;
		await fixture.trigger.activate('init');
		await came('one');
		await fixture.trigger.deactivate();
		log.append('stdout', 'two');
		await fixture.trigger.activate();
		await came('one', 'two');
		const isSavable = typeof saved === 'object' && saved !== null && !Array.isArray(saved);
		const warnings = fixture.log.filter(({ message }) => /kept in memory only/.test(message));
		expect(warnings).toHaveLength(isSavable ? 0 : 1);
	});
});

describe('a container that is chosen again', () => {
	const other = (containerIds: string[]) => fixture.trigger.change({ containerIds });

	it('continues at its offset, in another process too', async () => {
		const log = openLog(fixture.sandbox);
		openLog(fixture.sandbox, 'sse', 'c2');
		log.append('stdout', 'one');
		await fixture.follow({ containerIds: ['c1', 'c2'] }).activate();
		await came('one');
		await fixture.idle();
		for (const containers of [['c2'], ['c1', 'c2']]) {
			await fixture.trigger.deactivate();
			await fixture.trigger.kill();
			other(containers);
			await fixture.trigger.activate();
		}
		log.append('stdout', 'two');
		await came('one', 'two');
	});

	it.each<[string, number, number, number]>([
		['seven days later starts over', 7 * 24 * 3_600_000, 1, 0],
		['before that continues', 7 * 24 * 3_600_000 - 60_000, 1, 1],
		['after more than 50 others: only the latest 50 are kept', 0, 60, 50],
	])('%s', async (_, ms, count, kept) => {
		openLog(fixture.sandbox);
		const left = Date.now() - ms;
		const logs = Array.from({ length: count }, (_one, index) => [
			`${DEPLOYMENT}/old-${index}/stdout`,
			{ at: [1, 0, ''], from: [0, 0, ''], known: 'abc', left: left - (count - index) },
		]);
		fixture.follow();
		fixture.trigger.saved = {
			'node:Trigger': { start: 'lastStop', logs: Object.fromEntries(logs) as IDataObject },
		};
		await fixture.trigger.activate();
		const saved = fixture.trigger.saved['node:Trigger'] as { logs: IDataObject };
		const names = Object.keys(saved.logs).filter((name) => name.includes('/old-'));
		expect(names).toEqual(logs.slice(count - kept).map(([name]) => name));
	});
});
