import { describe, expect, it } from 'vitest';
import { LOG_PATH, logRequests, numbered, openLog } from '../engine/logs.mts';
import { useFixture } from '../engine/fixture.mts';
import { locator } from '../engine/nodes.mts';
import { eventually } from '../engine/wait.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture({ time: 'immediate' });

describe('the end of a log', () => {
	it('one that is not found does not stop the others', async () => {
		openLog(fixture.sandbox, 'sse', 'alive').append('stdout', 'hello');
		await fixture.follow({ containerIds: ['dead', 'alive'] }).activate();
		await eventually('the line', () => fixture.trigger.lines[0] === 'hello');
		await eventually('the report', () => fixture.trigger.failures.length > 0);
		expect(fixture.trigger.failures.map(({ message }) => message)).toEqual([
			'The stdout log of container dead cannot be reached: Not found (404): Container not found',
		]);
		expect(fixture.trigger.errors).toEqual([]);
	});

	it('one that the account may not read (403) does not stop the others', async () => {
		openLog(fixture.sandbox, 'sse', 'alive').append('stdout', 'hello');
		fixture.sandbox.faults.add({
			match: { path: /\/log\/foreign$/ },
			times: Infinity,
			...errorForms.detailString(403, 'Not your container'),
		});
		await fixture.follow({ containerIds: ['foreign', 'alive'] }).activate();
		await eventually('the line', () => fixture.trigger.lines[0] === 'hello');
		await eventually('the report', () => fixture.trigger.failures.length > 0);
		expect(fixture.trigger.failures.map(({ message }) => message)).toEqual([
			'The stdout log of container foreign cannot be reached: Permission denied (403): Not your container',
		]);
		expect(fixture.trigger.errors).toEqual([]);
	});

	it('one that is not found after a 503 is an outage: it is reported once, and followed when it is there', async () => {
		// Not for the last request of the test before, which may still be under way
		fixture.sandbox.faults.add({ match: { path: /\/log\/c1$/ }, ...errorForms.empty(503) });
		await fixture.follow().activate();
		await eventually('the report', () => fixture.trigger.failures.length === 1);
		expect(fixture.trigger.failures[0]?.message).toBe(
			'The stdout log of container c1 cannot be reached: Not found (404): Container not found',
		);
		const { length } = logRequests(fixture.sandbox);
		await eventually('more tries', () => logRequests(fixture.sandbox).length > length + 5);
		openLog(fixture.sandbox).append('stdout', 'hello');
		await fixture.delivered(1);
		expect(fixture.trigger.lines).toEqual(['hello']);
		expect(fixture.trigger.failures).toHaveLength(1);
		expect(fixture.trigger.errors).toEqual([]);
	});

	it.each([302, 400, 401, 403, 404, 410, 422])(
		'an answer with %i ends no log that is known: it is reported once, and no line is lost',
		async (status) => {
			const log = openLog(fixture.sandbox);
			log.append('stdout', ...numbered(5));
			await fixture.follow().activate();
			await fixture.delivered(5);
			fixture.sandbox.faults.add({
				match: { path: LOG_PATH },
				times: 10,
				...errorForms.plainText(status, 'not now'),
			});
			for (const connection of log.connections) connection.break();
			await eventually('the end of the outage', () => fixture.sandbox.faults.pending() === 0);
			log.append('stdout', ...numbered(5, 5));
			await fixture.delivered(10);
			expect(fixture.trigger.lines).toEqual(numbered(10));
			expect(fixture.trigger.failures.map(({ message }) => message)).toEqual([
				expect.stringMatching(/^The stdout log of container c1 cannot be reached: .*not now/),
			]);
			expect(fixture.trigger.errors).toEqual([]);
		},
	);

	it('one whose deployment has ended: the last line without a line feed comes too, and no error', async () => {
		const seed = fixture.sandbox.books.seeded.find(({ state }) => state === 'completed');
		const log = fixture.sandbox.logs.open(String(seed?.id), 'c', 'lines');
		log.append('stdout', 'one', 'two');
		log.finish();
		await fixture
			.follow({
				deploymentId: locator(seed?.id),
				containerIds: ['c'],
				options: { connectionEvents: true },
			})
			.activate();
		await eventually(
			'the end',
			() => fixture.trigger.items.some(({ event }) => event === 'finished') === true,
		);
		expect(fixture.trigger.lines.filter((line) => line !== 'undefined')).toEqual(['one', 'two']);
		const events = fixture.trigger.items.flatMap(({ event }) =>
			event === undefined ? [] : [event],
		);
		expect(events.at(-1)).toBe('finished');
		expect(events.filter((event) => event === 'finished')).toHaveLength(1);
		// One connection for the lines; others show that nothing follows
		expect(logRequests(fixture.sandbox).length).toBeLessThanOrEqual(6);
		const { length } = logRequests(fixture.sandbox);
		await fixture.quiet();
		expect(logRequests(fixture.sandbox)).toHaveLength(length);
	});

	it('one of an ended deployment is over when it was refused six times in a row', async () => {
		const seed = fixture.sandbox.books.seeded.find(({ state }) => state === 'completed');
		const log = fixture.sandbox.logs.open(String(seed?.id), 'c');
		log.append('stdout', 'one');
		await fixture
			.follow({
				deploymentId: locator(seed?.id),
				containerIds: ['c'],
				options: { connectionEvents: true },
			})
			.activate();
		await eventually('the line', () => fixture.trigger.lines.includes('one'));
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, times: 6, ...errorForms.empty(404) });
		for (const connection of log.connections) connection.break();
		await eventually('the end', () =>
			fixture.trigger.items.some(({ event }) => event === 'finished'),
		);
		await fixture.quiet();
		expect(logRequests(fixture.sandbox).map(({ status }) => status)).toEqual([
			200,
			...Array.from({ length: 6 }, () => 404),
		]);
	});

	it('Connection Events: an item when a connection opens, and when it is lost', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', 'one');
		await fixture.follow({ options: { connectionEvents: true } }).activate();
		await eventually('the line', () => fixture.trigger.lines.includes('one'));
		for (const connection of log.connections) connection.break();
		const events = () => fixture.trigger.items.filter(({ event }) => event !== undefined);
		await eventually('another connection', () => events().length >= 3);
		expect(events().slice(0, 3)).toMatchObject([
			{ event: 'connected', container_id: 'c1', stream: 'stdout', reason: null },
			{ event: 'disconnected', container_id: 'c1', reason: expect.stringMatching(/./) },
			{ event: 'connected', container_id: 'c1', reason: null },
		]);
	});

	it('an outage is reported once, and no line is lost', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', 'before');
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			skip: 1,
			times: 4,
			...errorForms.html(502),
			headers: { 'retry-after': '0' },
		});
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 20 });
		await fixture.follow({ options: { idleTimeout: 1 } }).activate();
		log.append('stdout', 'after');
		await eventually('both lines', () => fixture.trigger.lines.length === 2);
		expect(fixture.trigger.lines).toEqual(['before', 'after']);
		expect(fixture.trigger.failures).toHaveLength(1);
		expect(fixture.trigger.failures[0]?.message).toContain(
			`The stdout log of container c1 cannot be reached`,
		);
	});

	it.each<[string, 'activate' | 'init', string]>([
		['a person activates', 'activate', 'lastStop'],
		['n8n restarts', 'init', 'now'],
	])(
		'while a credential is refused, %s a known log: it resumes where it stopped once it is accepted',
		async (_, activation, startFrom) => {
			const log = openLog(fixture.sandbox);
			await fixture.follow({ startFrom }).activate();
			log.append('stdout', 'before');
			await fixture.delivered(1);
			await fixture.idle();
			await fixture.trigger.deactivate();
			log.append('stdout', 'meanwhile');
			fixture.sandbox.faults.add({
				match: { path: LOG_PATH },
				times: 10,
				...errorForms.empty(401),
			});
			await fixture.trigger.activate(activation);
			await fixture.delivered(2);
			expect(fixture.trigger.lines).toEqual(['before', 'meanwhile']);
			expect(fixture.trigger.failures.map(({ message }) => message)).toEqual([
				'The stdout log of container c1 cannot be reached: Authentication failed (401)',
			]);
		},
	);

	it('a half-open connection is replaced after the idle timeout, without an error', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', 'hello');
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			slowBytes: { chunk: 18, everyMs: 60_000 },
		});
		await fixture.follow({ options: { idleTimeout: 1 } }).activate();
		await eventually('the line', () => fixture.trigger.lines[0] === 'hello');
		log.append('stdout', 'again');
		await eventually('the next line', () => fixture.trigger.lines[1] === 'again');
		expect(fixture.trigger.failures).toEqual([]);
	});

	it('comments are no lines: the idle timeout counts on', async () => {
		const log = openLog(fixture.sandbox);
		log.stream = { keepAliveMs: 1 };
		log.append('stdout', 'hello');
		await fixture.follow({ options: { idleTimeout: 1 } }).activate();
		await eventually('the line', () => fixture.trigger.lines[0] === 'hello');
		await eventually('another connection', () => {
			fixture.sandbox.clock.advance(1);
			return logRequests(fixture.sandbox).length > 1;
		});
		log.append('stdout', 'again');
		await fixture.delivered(2);
		expect(fixture.trigger.lines).toEqual(['hello', 'again']);
	});

	it('what is finished is requested again when n8n restarts: its container may have started again', async () => {
		const seed = fixture.sandbox.books.seeded.find(({ state }) => state === 'completed');
		const log = fixture.sandbox.logs.open(String(seed?.id), 'c');
		log.append('stdout', 'one');
		log.finish();
		await fixture
			.follow({
				deploymentId: locator(seed?.id),
				containerIds: ['c'],
				options: { connectionEvents: true },
			})
			.activate();
		const isFinished = () => fixture.trigger.items.some(({ event }) => event === 'finished');
		await eventually('the end', isFinished);
		await fixture.idle();
		await fixture.trigger.deactivate();
		log.append('stdout', 'two');
		await fixture.trigger.activate('init');
		await eventually('the line', () => fixture.trigger.lines.includes('two'));
		expect(fixture.trigger.lines.filter((line) => line !== 'undefined')).toEqual(['one', 'two']);
	});

	it.each([
		['both streams, and not before', 0],
		['a stream that does not open', 1],
	])('a line to stop at ends %s', async (_, hanging) => {
		const log = openLog(fixture.sandbox);
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, times: hanging, hang: true });
		log.append('stdout', 'epoch 1', 'Training finished', 'cleaning up');
		log.append('stderr', 'a warning');
		await fixture
			.follow({
				streams: ['stderr', 'stdout'],
				options: { stopOn: 'finished$', connectionEvents: true },
			})
			.activate();
		await eventually(
			'both have stopped',
			() => fixture.trigger.items.filter(({ event }) => event === 'stopped').length === 2,
		);
		expect(
			fixture.trigger.items
				.filter(({ stream, line }) => stream === 'stdout' && line !== undefined)
				.map(({ line }) => line),
		).toEqual(['epoch 1', 'Training finished']);
		await fixture.idle();
		await fixture.trigger.deactivate();
		const { length } = logRequests(fixture.sandbox);
		await fixture.trigger.activate('init');
		await fixture.quiet();
		expect(logRequests(fixture.sandbox)).toHaveLength(length);
	});

	it.each([
		['an outage that only a person can end is reported at once', 401, 1],
		['an outage that may end by itself is reported after the third attempt', 503, 3],
	])('%s: %i', async (_, status, attempts) => {
		const log = openLog(fixture.sandbox);
		fixture.follow({ batch: { maxEntries: 1 } });
		log.append('stdout', 'line 0');
		await fixture.trigger.activate();
		await fixture.delivered(1);
		for (const [index, times] of [attempts - 1, attempts].entries()) {
			if (times > 0)
				fixture.sandbox.faults.add({
					match: { path: LOG_PATH },
					times,
					...errorForms.empty(status),
				});
			for (const connection of log.connections) connection.break();
			log.append('stdout', `line ${index + 1}`);
			await fixture.delivered(index + 2);
			expect(fixture.sandbox.faults.pending()).toBe(0);
			expect(fixture.trigger.failures).toHaveLength(index);
		}
	});
});
