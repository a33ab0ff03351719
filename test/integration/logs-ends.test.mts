import { describe, expect, it } from 'vitest';
import { LOG_PATH, logRequests, numbered, openLog } from '../engine/logs.mts';
import { useFixture } from '../engine/fixture.mts';
import { eventually } from '../engine/wait.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture({ time: 'immediate' });

/** The error that an activation throws. */
const refusal = async (activating: Promise<void>) =>
	await activating.then(
		() => expect.fail('it was activated'),
		(error: Error & { description?: string }) => error,
	);

describe('the end of a log', () => {
	it('one that is not found does not stop the others', async () => {
		openLog(fixture.sandbox, 'sse', 'alive').append('stdout', 'hello');
		await fixture.follow({ containerIds: ['dead', 'alive'] }).activate();
		await eventually('the line', () => fixture.trigger.lines[0] === 'hello');
		expect(fixture.trigger.failures.map(({ message }) => message)).toEqual([
			'Not found (404): Container not found',
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
		expect(fixture.trigger.failures.map(({ message }) => message)).toEqual([
			'The account may not do this (403): Not your container',
		]);
		expect(fixture.trigger.errors).toEqual([]);
	});

	it('one that was never found is an error, also after a 503', async () => {
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, ...errorForms.empty(503) });
		await fixture.follow().activate();
		await eventually('it gave up', () => fixture.trigger.errors.length === 1);
		expect(fixture.trigger.errors[0]?.message).toBe('Not found (404): Container not found');
	});

	it.each([404, 410])(
		'one that is gone (%i) ends without an error, and is not requested again',
		async (status) => {
			openLog(fixture.sandbox).append('stdout', 'hello');
			fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 19 });
			fixture.sandbox.faults.add({
				match: { path: LOG_PATH },
				times: Infinity,
				...errorForms.plainText(status, 'gone'),
			});
			await fixture.follow().activate();
			await eventually('it was asked again', () => logRequests(fixture.sandbox).length > 1);
			expect(fixture.trigger.lines).toEqual(['hello']);
			await fixture.quiet();
			expect(logRequests(fixture.sandbox)).toHaveLength(2);
			expect([...fixture.trigger.failures, ...fixture.trigger.errors]).toEqual([]);
		},
	);

	it('one whose deployment has ended: the last line without a line feed comes too, and no error', async () => {
		const seed = fixture.sandbox.books.seeded.find(({ state }) => state === 'completed');
		const log = fixture.sandbox.logs.open(String(seed?.id), 'c', 'lines');
		log.append('stdout', 'one', 'two');
		log.finish();
		await fixture
			.follow({
				deploymentId: { __rl: true, mode: 'id', value: seed?.id },
				containerIds: ['c'],
				options: { connectionEvents: true },
			})
			.activate();
		await eventually(
			'the end',
			() => fixture.trigger.items.some(({ event }) => event === 'finished') === true,
		);
		expect(fixture.trigger.lines.filter((line) => line !== 'undefined')).toEqual(['one', 'two']);
		// The second connection is the one that brings nothing new; before it the offset is tried out
		expect(
			fixture.trigger.items.flatMap(({ event }) => (event === undefined ? [] : [event])),
		).toEqual(['connected', 'disconnected', 'connected', 'disconnected', 'finished']);
		const { length } = logRequests(fixture.sandbox);
		await fixture.quiet();
		expect(logRequests(fixture.sandbox)).toHaveLength(length);
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

	it('a credential that is refused later is reported once, and nothing is requested any more', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(5));
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 60 });
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			times: Infinity,
			...errorForms.empty(401),
		});
		await fixture.follow().activate();
		await eventually('it gave up', () => fixture.trigger.errors.length === 1);
		expect(fixture.trigger.errors[0]?.message).toBe(
			'The service did not accept the credential (401)',
		);
		const { length } = logRequests(fixture.sandbox);
		await fixture.quiet();
		expect(logRequests(fixture.sandbox)).toHaveLength(length);
	});

	it('a credential that is accepted again: Start From = Now continues at the committed offset', async () => {
		const log = openLog(fixture.sandbox);
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 20 });
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			times: Infinity,
			...errorForms.empty(401),
		});
		await fixture.follow({ startFrom: 'now' }).activate();
		log.append('stdout', 'before');
		await eventually('it gave up', () => fixture.trigger.errors.length === 1);
		await fixture.trigger.deactivate();
		await refusal(fixture.trigger.activate('activate'));
		log.append('stdout', 'meanwhile');
		fixture.sandbox.faults.clear();
		await fixture.trigger.activate('activate');
		await eventually('the next line', () => fixture.trigger.lines.length === 2);
		expect(fixture.trigger.lines).toEqual(['before', 'meanwhile']);
	});

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

	it('a line to stop at ends both streams, and not before', async () => {
		const log = openLog(fixture.sandbox);
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
});
