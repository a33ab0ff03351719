import { describe, expect, it, vi } from 'vitest';
import { StoredCredentials } from '../engine/credentials.mts';
import { startEngine } from '../engine/engine.mts';
import { locator, sandboxCredentials } from '../engine/fixture.mts';
import {
	CONTAINER,
	endedLog,
	logRequests,
	LOG_PATH,
	logsTrigger,
	numbered,
	openLog,
	runningDeployment,
} from '../engine/logs.mts';
import { eventually, PublishedTrigger } from '../engine/trigger.mts';
import { useLogs } from '../engine/useLogs.mts';
import { errorForms } from '../sandbox/index.mts';

/** Where lines could be lost, or come without end, between two connections or two starts. */
const logs = useLogs();

const came = async (...lines: string[]) => {
	await eventually(`${lines.length} lines`, () => logs.trigger.lines.length >= lines.length);
	expect(logs.trigger.lines).toEqual(lines);
};
const reconnected = async (times: number) => {
	const { length } = logRequests(logs.sandbox);
	await eventually(
		'it has connected again',
		() => logRequests(logs.sandbox).length >= length + times,
	);
};

describe('the end of a log', () => {
	it('what is written between the end of the stream and the look at the deployment still comes', async () => {
		const id = String(logs.sandbox.books.seeded.find(({ state }) => state === 'completed')?.id);
		const log = logs.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', 'one', 'two');
		log.finish();
		logs.sandbox.faults.add({ match: { path: new RegExp(`/deployment/${id}$`) }, delayMs: 100 });
		await logs.follow({ deploymentId: locator(id), options: { connectionEvents: true } }).publish();
		await eventually('the look', () =>
			logs.sandbox.requests.some(({ path }) => path.endsWith(`/deployment/${id}`)),
		);
		log.append('stdout', 'three', 'four');
		await logs.sandbox.clock.advance(100);
		await eventually('the end', () => logs.trigger.items.some(({ event }) => event === 'finished'));
		expect(logs.trigger.lines.filter((line) => line !== 'undefined')).toEqual([
			'one',
			'two',
			'three',
			'four',
		]);
	});

	it('a 404 while the deployment runs is a hiccup: the log is followed on', async () => {
		const id = runningDeployment(logs.sandbox);
		const log = logs.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', 'one');
		logs.sandbox.faults.add({
			match: { path: LOG_PATH },
			cutBodyAt: 'id: 0\ndata: one\n\n'.length,
		});
		logs.sandbox.faults.add({
			match: { path: LOG_PATH },
			...errorForms.plainText(404, 'no upstream'),
		});
		await logs.follow({ deploymentId: locator(id), options: { offsetUnit: 'none' } }).publish();
		await came('one');
		log.append('stdout', 'two');
		await came('one', 'two');
		expect([...logs.trigger.errors, ...logs.trigger.failures]).toEqual([]);
	});
});

describe('the end of a log, again', () => {
	it('a 404 while the offset is tried out is a hiccup, too', async () => {
		const id = runningDeployment(logs.sandbox);
		const log = logs.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', 'one');
		logs.sandbox.faults.add({
			match: { path: LOG_PATH },
			cutBodyAt: 'id: 0\ndata: one\n\n'.length,
		});
		logs.sandbox.faults.add({
			match: { path: LOG_PATH },
			...errorForms.plainText(404, 'no upstream'),
		});
		await logs.follow({ deploymentId: locator(id) }).publish();
		await came('one');
		log.append('stdout', 'two');
		await came('one', 'two');
	});

	/** A log whose deployment has ended, at a service that sends what `page` says from an offset on. */
	async function ended(page: (offset: number) => string[]): Promise<void> {
		const service = await endedLog(page);
		const engine = await startEngine(sandboxCredentials({ ...logs.sandbox, url: service.url }));
		logs.trigger = new PublishedTrigger(
			engine,
			logsTrigger({ options: { connectionEvents: true } }),
		);
		await logs.trigger.publish();
		await eventually(
			'the end',
			() => logs.trigger.items.some(({ event }) => event === 'finished'),
			60_000,
		);
		service.close();
	}
	const linesOf = () => logs.trigger.lines.filter((line) => line !== 'undefined');

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
		const id = String(logs.sandbox.books.seeded.find(({ state }) => state === 'completed')?.id);
		const log = logs.sandbox.logs.open(id, CONTAINER, 'lines');
		log.append('stdout', 'out');
		log.append('stderr', 'err');
		log.finish();
		let isStuck = true;
		// One of them comes long after the other one is at its end
		const slow = () =>
			logs.sandbox.faults.add({
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
		await logs
			.follow(parameters, async () => {
				while (isStuck) await new Promise(setImmediate);
			})
			.publish();
		await eventually('both runs', () => logs.trigger.lines.length === 2);
		await logs.trigger.kill();
		isStuck = false;
		slow();
		await logs.trigger.publish('init');
		await eventually('both again', () => logs.trigger.lines.length === 4);
		expect(logs.trigger.lines.slice(2).sort()).toEqual(['err', 'out']);
		expect(logs.trigger.failures).toEqual([]);
	});
});

describe('from now on', () => {
	it('what is written while n8n is down comes, also when nothing came before', async () => {
		const log = openLog(logs.sandbox);
		log.append('stdout', ...numbered(5));
		await logs.follow({ startFrom: 'now' }).publish();
		await logs.trigger.kill();
		log.append('stdout', 'while it was down');
		await logs.trigger.publish('init');
		await came('while it was down');
	});

	it('what was there is left out, also where it waits for a blank line that never comes', async () => {
		const log = openLog(logs.sandbox, 'dataLines');
		log.append('stdout', ...numbered(5));
		await logs.follow({ startFrom: 'now' }).publish();
		log.append('stdout', 'new');
		await came('new');
	});

	it('a log whose stream ends each time has no lines that are taken for old ones', async () => {
		const id = runningDeployment(logs.sandbox);
		const log = logs.sandbox.logs.open(id, CONTAINER);
		log.append('stdout', ...numbered(5));
		log.finish();
		await logs.follow({ startFrom: 'now', deploymentId: locator(id) }).publish();
		log.append('stdout', 'new');
		await came('new');
	});
});

describe('a log that has begun anew, at a service that honours the offset', () => {
	it.each([1, 2])('comes whole: the %d. time', async (times) => {
		const deploymentId = runningDeployment(logs.sandbox);
		let log = logs.sandbox.logs.open(deploymentId, CONTAINER);
		log.append('stdout', 'a0', 'a1', 'a2');
		const expected = ['a0', 'a1', 'a2'];
		await logs.follow({ deploymentId: locator(deploymentId) }).publish();
		await came(...expected);
		for (let time = 0; time < times; time++) {
			const lines = numbered(5, time * 5);
			const next = logs.sandbox.logs.open(deploymentId, CONTAINER);
			next.append('stdout', ...lines);
			log.finish();
			log = next;
			expected.push(...lines);
			await came(...expected);
		}
	});
});

describe('a log that has begun anew, at a service that ignores the offset', () => {
	const deploymentId = () => locator(runningDeployment(logs.sandbox));
	const begin = (...lines: string[]) => {
		const log = logs.sandbox.logs.open(runningDeployment(logs.sandbox), CONTAINER, 'lines');
		log.resume = { ignoresOffset: true };
		log.append('stdout', ...lines);
		return log;
	};

	it('comes whole, once', async () => {
		const first = begin('a1', 'a2');
		await logs.follow({ deploymentId: deploymentId(), options: { offsetUnit: 'none' } }).publish();
		await came('a1', 'a2');
		const second = begin('b1', 'b2');
		first.finish();
		await came('a1', 'a2', 'b1', 'b2');
		expect(logs.trigger.items.map(({ offset }) => offset)).toEqual([0, 1, 0, 1]);
		second.finish();
		await reconnected(1);
		second.append('stdout', 'b3');
		await came('a1', 'a2', 'b1', 'b2', 'b3');
		expect(logs.trigger.items.at(-1)).toMatchObject({ offset: 2 });
	});

	it('and that begins with the same line', async () => {
		const first = begin('banner', 'a1', 'a2');
		await logs.follow({ deploymentId: deploymentId(), options: { offsetUnit: 'none' } }).publish();
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
			const id = runningDeployment(logs.sandbox);
			const log = logs.sandbox.logs.open(id, CONTAINER, format);
			log.resume = { ignoresOffset };
			log.append('stdout', 'a', 'b', 'c');
			log.finish();
			await logs
				.follow({
					deploymentId: locator(id),
					...(ignoresOffset && { options: { offsetUnit: 'none' } }),
				})
				.publish();
			await came('a', 'b', 'c');
			await reconnected(3);
			expect(logs.trigger.lines).toEqual(['a', 'b', 'c']);
		},
	);

	it('while n8n was down: what was in flight of the earlier one is reported, the new one comes whole', async () => {
		begin('a1', 'a2', 'a3');
		let isStuck = true;
		await logs
			.follow({ deploymentId: deploymentId(), options: { offsetUnit: 'none' } }, async () => {
				while (isStuck) await new Promise(setImmediate);
			})
			.publish();
		await came('a1', 'a2', 'a3');
		await logs.trigger.kill();
		isStuck = false;
		const { length } = logs.trigger.lines;
		begin('b1', 'b2', 'b3', 'b4');
		await logs.trigger.publish('init');
		await eventually('the new log', () => logs.trigger.lines.length >= length + 4);
		expect(logs.trigger.lines.slice(length)).toEqual(['b1', 'b2', 'b3', 'b4']);
		expect(logs.trigger.failures.map(({ message }) => message)).toEqual([
			'3 lines of the stdout log of container c1 cannot be delivered again',
		]);
	});
});

describe('what is no log', () => {
	it('a web page of a proxy is no line, and takes none away', async () => {
		openLog(logs.sandbox, 'lines').append('stdout', ...numbered(8));
		logs.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 'line 0\nline 1\n'.length });
		logs.sandbox.faults.add({ match: { path: LOG_PATH }, times: 2, ...errorForms.html(200) });
		await logs.follow({ options: { offsetUnit: 'entries' } }).publish();
		await came(...numbered(8));
	});

	it('a credential that n8n cannot read for a moment ends nothing', async () => {
		const log = openLog(logs.sandbox);
		log.append('stdout', 'one');
		logs.sandbox.faults.add({
			match: { path: LOG_PATH },
			cutBodyAt: 'id: 0\ndata: one\n\n'.length,
		});
		await logs.follow().publish();
		await came('one');
		const reading = vi
			.spyOn(StoredCredentials.prototype, 'getDecrypted')
			.mockRejectedValueOnce(new Error('Database connection timed out'));
		log.append('stdout', 'two');
		await came('one', 'two');
		expect(logs.trigger.errors).toEqual([]);
		reading.mockRestore();
	});
});

describe('a run that ends after another start', () => {
	it('does not bring back the book of the start before', async () => {
		openLog(logs.sandbox).append('stdout', 'one');
		let isStuck = true;
		await logs
			.follow({ startFrom: 'beginning' }, async () => {
				while (isStuck) await new Promise(setImmediate);
			})
			.publish();
		await came('one');
		await logs.trigger.close();
		logs.trigger.change({ startFrom: 'now' });
		await logs.trigger.publish();
		const book = JSON.stringify(logs.trigger.saved);
		isStuck = false;
		await eventually('the run has ended', () =>
			logs.trigger.executions.every(({ run }) => run !== undefined),
		);
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(JSON.stringify(logs.trigger.saved)).toBe(book);
	});
});

describe('two starts', () => {
	it('at the same moment: one of them follows', async () => {
		const log = openLog(logs.sandbox);
		await logs.follow().publish();
		await Promise.all([logs.trigger.publish(), logs.trigger.publish(), logs.trigger.publish()]);
		log.append('stdout', 'one');
		await came('one');
		expect(await logs.sandbox.openSockets()).toBe(1);
	});
});

describe('the book', () => {
	it('holds the batches in flight, not those that wait', async () => {
		let largest = 0;
		openLog(logs.sandbox, 'lines').append('stdout', ...numbered(500));
		await logs
			.follow({ batch: { maxEntries: 1, maxWaitMs: 20 } }, () => {
				largest = Math.max(largest, JSON.stringify(logs.trigger.saved).length);
			})
			.publish();
		await came(...numbered(500));
		expect(largest).toBeGreaterThan(0);
		expect(largest).toBeLessThan(1_000);
	});
});
