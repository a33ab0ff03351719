import { describe, expect, it, vi } from 'vitest';
import { StoredCredentials } from '../engine/credentials.mts';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import {
	CONTAINER,
	LOG_PATH,
	endedLog,
	logRequests,
	logsTrigger,
	numbered,
	openLog,
	runningDeployment,
} from '../engine/logs.mts';
import { locator } from '../engine/nodes.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { eventually, ActiveTrigger } from '../engine/trigger.mts';
import { errorForms } from '../sandbox/index.mts';

/** Where lines could be lost, or come without end, between two connections or two starts. */
const fixture = useFixture({ time: 'real' });

const came = async (...lines: string[]) => {
	await eventually(`${lines.length} lines`, () => fixture.trigger.lines.length >= lines.length);
	expect(fixture.trigger.lines).toEqual(lines);
};
const reconnected = async (times: number) => {
	const { length } = logRequests(fixture.sandbox);
	await eventually(
		'it has connected again',
		() => logRequests(fixture.sandbox).length >= length + times,
	);
};

describe('the end of a log', () => {
	it('what is written between the end of the stream and the look at the deployment still comes', async () => {
		const id = String(fixture.sandbox.books.seeded.find(({ state }) => state === 'completed')?.id);
		const log = fixture.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', 'one', 'two');
		log.finish();
		fixture.sandbox.faults.add({ match: { path: new RegExp(`/deployment/${id}$`) }, delayMs: 100 });
		await fixture
			.follow({ deploymentId: locator(id), options: { connectionEvents: true } })
			.activate();
		await eventually('the look', () =>
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

	it('a 404 while the deployment runs is a hiccup: the log is followed on', async () => {
		const id = runningDeployment(fixture.sandbox);
		const log = fixture.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', 'one');
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			cutBodyAt: 'id: 0\ndata: one\n\n'.length,
		});
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			...errorForms.plainText(404, 'no upstream'),
		});
		await fixture.follow({ deploymentId: locator(id), options: { offsetUnit: 'none' } }).activate();
		await came('one');
		log.append('stdout', 'two');
		await came('one', 'two');
		expect([...fixture.trigger.errors, ...fixture.trigger.failures]).toEqual([]);
	});
});

describe('the end of a log, again', () => {
	it('a 404 while the offset is tried out is a hiccup, too', async () => {
		const id = runningDeployment(fixture.sandbox);
		const log = fixture.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', 'one');
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			cutBodyAt: 'id: 0\ndata: one\n\n'.length,
		});
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			...errorForms.plainText(404, 'no upstream'),
		});
		await fixture.follow({ deploymentId: locator(id) }).activate();
		await came('one');
		log.append('stdout', 'two');
		await came('one', 'two');
	});

	/** A log whose deployment has ended, at a service that sends what `page` says from an offset on. */
	async function ended(page: (offset: number) => string[]): Promise<void> {
		const service = await endedLog(page);
		const engine = await startEngine(sandboxCredentials({ ...fixture.sandbox, url: service.url }));
		fixture.trigger = new ActiveTrigger(
			engine,
			logsTrigger({ options: { connectionEvents: true } }),
		);
		await fixture.trigger.activate();
		await eventually(
			'the end',
			() => fixture.trigger.items.some(({ event }) => event === 'finished'),
			60_000,
		);
		service.close();
	}
	const linesOf = () => fixture.trigger.lines.filter((line) => line !== 'undefined');

	it('a word of farewell on each connection does not go on for ever', async () => {
		const lines = ['one', 'two', 'three', '[DONE]'];
		await ended((offset) => lines.slice(Math.min(offset, 3)));
		expect(linesOf()).toEqual([...lines, '[DONE]', '[DONE]', '[DONE]', '[DONE]']);
	});

	it('pages that say the same are no farewell', async () => {
		const lines = ['first', ...Array.from({ length: 29 }, () => 'tick')];
		await ended((offset) => lines.slice(offset, offset + 5));
		expect(linesOf()).toEqual(lines);
	});

	it('both streams of a container that had ended repeat what was broken off', async () => {
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
		await eventually('both runs', () => fixture.trigger.lines.length === 2);
		await fixture.trigger.kill();
		isStuck = false;
		slow();
		await fixture.trigger.activate('init');
		await eventually('both again', () => fixture.trigger.lines.length === 4);
		expect(fixture.trigger.lines.slice(2).sort()).toEqual(['err', 'out']);
		expect(fixture.trigger.failures).toEqual([]);
	});
});

describe('from now on', () => {
	it('what is written while n8n is down comes, also when nothing came before', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(5));
		await fixture.follow({ startFrom: 'now' }).activate();
		await fixture.trigger.kill();
		log.append('stdout', 'while it was down');
		await fixture.trigger.activate('init');
		await came('while it was down');
	});

	it('what was there is left out, also where it waits for a blank line that never comes', async () => {
		const log = openLog(fixture.sandbox, 'dataLines');
		log.append('stdout', ...numbered(5));
		await fixture.follow({ startFrom: 'now' }).activate();
		log.append('stdout', 'new');
		await came('new');
	});

	it('a log whose stream ends each time has no lines that are taken for old ones', async () => {
		const id = runningDeployment(fixture.sandbox);
		const log = fixture.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', ...numbered(5));
		log.finish();
		await fixture.follow({ startFrom: 'now', deploymentId: locator(id) }).activate();
		log.append('stdout', 'new');
		await came('new');
	});
});

describe('a log that has begun anew, at a service that honours the offset', () => {
	it.each([1, 2])('comes whole: the %d. time', async (times) => {
		const deploymentId = runningDeployment(fixture.sandbox);
		let log = fixture.sandbox.logs.open(deploymentId, CONTAINER);
		log.append('stdout', 'a0', 'a1', 'a2');
		const expected = ['a0', 'a1', 'a2'];
		await fixture.follow({ deploymentId: locator(deploymentId) }).activate();
		await came(...expected);
		for (let time = 0; time < times; time++) {
			const lines = numbered(5, time * 5);
			const next = fixture.sandbox.logs.open(deploymentId, CONTAINER);
			next.append('stdout', ...lines);
			log.finish();
			log = next;
			expected.push(...lines);
			await came(...expected);
		}
	});
});

describe('a log that has begun anew, at a service that ignores the offset', () => {
	const deploymentId = () => locator(runningDeployment(fixture.sandbox));
	const begin = (...lines: string[]) => {
		const log = fixture.sandbox.logs.open(runningDeployment(fixture.sandbox), CONTAINER, 'lines');
		log.resume = { ignoresOffset: true };
		log.append('stdout', ...lines);
		return log;
	};

	it('comes whole, once', async () => {
		const first = begin('a1', 'a2');
		await fixture
			.follow({ deploymentId: deploymentId(), options: { offsetUnit: 'none' } })
			.activate();
		await came('a1', 'a2');
		const second = begin('b1', 'b2');
		first.finish();
		await came('a1', 'a2', 'b1', 'b2');
		expect(fixture.trigger.items.map(({ offset }) => offset)).toEqual([0, 1, 0, 1]);
		second.finish();
		await reconnected(1);
		second.append('stdout', 'b3');
		await came('a1', 'a2', 'b1', 'b2', 'b3');
		expect(fixture.trigger.items.at(-1)).toMatchObject({ offset: 2 });
	});

	it('and that begins with the same line', async () => {
		const first = begin('banner', 'a1', 'a2');
		await fixture
			.follow({ deploymentId: deploymentId(), options: { offsetUnit: 'none' } })
			.activate();
		await came('banner', 'a1', 'a2');
		begin('banner', 'b1', 'b2', 'b3');
		first.finish();
		await came('banner', 'a1', 'a2', 'banner', 'b1', 'b2', 'b3');
	});

	it.each<['dataLines' | 'sse', boolean]>([
		['dataLines', true],
		['dataLines', false],
		['sse', true],
		['sse', false],
	])(
		'is no log that only ends again and again: %s, ignores the offset: %s',
		async (format, ignoresOffset) => {
			const id = runningDeployment(fixture.sandbox);
			const log = fixture.sandbox.logs.open(id, CONTAINER, format);
			log.resume = { ignoresOffset };
			log.append('stdout', 'a', 'b', 'c');
			log.finish();
			await fixture
				.follow({
					deploymentId: locator(id),
					...(ignoresOffset && { options: { offsetUnit: 'none' } }),
				})
				.activate();
			await came('a', 'b', 'c');
			await reconnected(3);
			expect(fixture.trigger.lines).toEqual(['a', 'b', 'c']);
		},
	);

	it('while n8n was down: what was in flight of the earlier one is reported, the new one comes whole', async () => {
		begin('a1', 'a2', 'a3');
		let isStuck = true;
		await fixture
			.follow({ deploymentId: deploymentId(), options: { offsetUnit: 'none' } }, async () => {
				while (isStuck) await new Promise(setImmediate);
			})
			.activate();
		await came('a1', 'a2', 'a3');
		await fixture.trigger.kill();
		isStuck = false;
		const { length } = fixture.trigger.lines;
		begin('b1', 'b2', 'b3', 'b4');
		await fixture.trigger.activate('init');
		await eventually('the new log', () => fixture.trigger.lines.length >= length + 4);
		expect(fixture.trigger.lines.slice(length)).toEqual(['b1', 'b2', 'b3', 'b4']);
		expect(fixture.trigger.failures.map(({ message }) => message)).toEqual([
			'The stdout log of container c1 is gone, and 3 of its lines cannot be repeated',
		]);
	});
});

describe('what is no log', () => {
	it('a web page of a proxy is no line, and takes none away', async () => {
		openLog(fixture.sandbox, 'lines').append('stdout', ...numbered(8));
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 'line 0\nline 1\n'.length });
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, times: 2, ...errorForms.html(200) });
		await fixture.follow({ options: { offsetUnit: 'entries' } }).activate();
		await came(...numbered(8));
	});

	it('a credential that n8n cannot read for a moment ends nothing', async () => {
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
});

describe('a run that ends after another start', () => {
	it('does not bring back the book of the start before', async () => {
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
		const book = JSON.stringify(fixture.trigger.saved);
		isStuck = false;
		await eventually('the run has ended', () =>
			fixture.trigger.executions.every(({ run }) => run !== undefined),
		);
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(JSON.stringify(fixture.trigger.saved)).toBe(book);
	});
});

describe('two starts', () => {
	it('at the same moment: one of them follows', async () => {
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

describe('the book', () => {
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
});
