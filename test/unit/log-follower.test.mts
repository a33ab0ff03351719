import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Closed } from '../../nodes/CaasLogsTrigger/connection.ts';
import { operationError } from '../../nodes/shared/http/errors.ts';
import { follow, lost, refused, type Script } from './log-follower-parts.mts';
import { LOG, NODE, type Answered } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();
// No jitter in the pauses
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));

const HOUR = 3_600_000;
const error = operationError(NODE, 'A person must act');

describe('the pause before the next connection', () => {
	it.each<[string, Closed, number[]]>([
		// From the fourth on, a look at the deployment takes its turn in the rate of requests
		['grows while refused', refused(), [1, 2, 4, 8.125, 16.125, 30.125]],
		['grows where nothing new comes', lost(), [1, 2, 4, 8, 16, 30, 30]],
		['grows where all of the log is gone', lost({ isEmpty: true }), [1, 2, 4, 8, 16, 30, 30]],
		['is a second where something has come', lost({ isProgress: true }), [1, 1, 1]],
		['is a second after five seconds', lost({ livedMs: 5_000, isProgress: true }), [1, 1, 1]],
		['is none after more', lost({ livedMs: 5_001 }), [0.125, 0.125, 0.125]],
		['is none after silence for so long', lost({ livedMs: 5_001, isEmpty: true }), [0.125, 0.125]],
		['is none where no answer came in time', refused({ isLate: true }), [0.125, 0.125]],
	])('%s', async (_, closed, seconds) => {
		const { gaps } = follow({ c: [closed] });
		await pass(120_000);
		expect(gaps().slice(0, seconds.length)).toEqual(seconds.map((one) => one * 1_000));
	});

	it('begins again after a connection that lived long, or has brought something', async () => {
		const progress = lost({ isProgress: true });
		const { gaps } = follow({
			c: [lost(), lost(), progress, lost(), lost({ livedMs: 6_000 }), lost()],
		});
		await pass(20_000);
		expect(gaps().slice(0, 6)).toEqual([1_000, 2_000, 1_000, 2_000, 125, 1_000]);
	});

	it.each([
		[50_000, 50_000],
		[500, 1_000],
		[HOUR, HOUR],
		[HOUR + 1, HOUR],
	])('is at least the %d ms that a refusal asks for: %d', async (retryAfterMs, ms) => {
		const { gaps } = follow({ c: [refused({ retryAfterMs }), 'silent'] });
		await pass(2 * HOUR);
		expect(gaps()).toEqual([ms]);
	});

	it('is at least what the stream asks for', async () => {
		const { gaps, readers } = follow({ c: [lost({ livedMs: 6_000 }), 'silent'] });
		Object.assign(readers[0] ?? {}, { retryMs: 7_000 });
		await pass(HOUR);
		expect(gaps()).toEqual([7_000]);
	});

	it.each([0.5, 1])('has up to half of it more: %d of that', async (random) => {
		vi.mocked(Math.random).mockReturnValue(random);
		const { gaps } = follow({ c: [refused(), 'silent'] });
		await pass(HOUR);
		expect(gaps()).toEqual([1_000 * (1 + random / 2)]);
	});

	it('of one log is none of another, and all share one rate of requests', async () => {
		const { readers } = follow({ a: [refused()], b: ['silent'], c: ['silent'] });
		await pass(500);
		expect(readers.map(({ connects }) => connects)).toEqual([[0], [125], [250]]);
	});
});

describe('the first connection', () => {
	it.each<[string, Script[number], string]>([
		['is open', 'silent', 'open'],
		['is refused for now', refused(), 'open'],
		['is refused for good', refused({ error }), error.message],
		['has no credential', new (class CredentialsError extends Error {})('gone'), 'open'],
	])('%s: the activation knows', async (_, first, result) => {
		const { results } = follow({ c: [first] });
		await pass();
		expect(results).toEqual([result]);
	});

	it.each([
		['CredentialNotFoundError', 'no such credential'],
		['TypeError', 'open'],
	])('fails with %s: %s', async (name, result) => {
		const { results } = follow({ c: [Object.assign(new Error('no such credential'), { name })] });
		await pass();
		expect(results).toEqual([result]);
	});

	it('fails with an error of the node: it says what is wrong', async () => {
		const { results, reports } = follow({ c: [error] });
		await pass();
		expect(results).toEqual([error.message]);
		expect(reports).toHaveLength(1);
	});
});

describe('an outage', () => {
	it('is told after the third refusal in a row, once for all logs and until it is over', async () => {
		const { reports } = follow({ a: [refused()], b: [refused()] });
		await pass(2_999);
		expect(reports).toEqual([]);
		await pass(HOUR);
		expect(reports.map(({ message }) => message)).toEqual([
			'The stdout log of container a cannot be reached: refused it',
		]);
	});

	it('is told at once where a person must act', async () => {
		const { reports } = follow({ a: [refused({ error })] });
		await pass();
		expect(reports).toHaveLength(1);
	});

	it('of another kind is told, too', async () => {
		const { reports } = follow({ a: [refused()], b: [refused({ reason: 'another' })] });
		await pass(HOUR);
		expect(reports).toHaveLength(2);
	});

	it('is told again when the log was reached meanwhile', async () => {
		const row = [refused(), refused(), refused()];
		const { reports } = follow({ a: [...row, lost({ isProgress: true }), ...row, 'silent'] });
		await pass(HOUR);
		expect(reports).toHaveLength(2);
	});

	it('is none where refusals are not in a row', async () => {
		const pair = [refused(), refused(), lost()];
		const { reports } = follow({ a: [...pair, ...pair, ...pair, 'silent'] });
		await pass(HOUR);
		expect(reports).toEqual([]);
	});

	it('is a log that is empty again and again, but none that is silent, or whose service is', async () => {
		const { reports } = follow({
			a: [lost({ isEmpty: true })],
			b: [lost({ isEmpty: true, livedMs: 5_001 })],
			c: [refused({ isSilence: true, isLate: true })],
		});
		await pass(20_000);
		expect(reports.map(({ message }) => message)).toEqual([
			'The stdout log of container a cannot be reached: The service returned an empty log',
		]);
	});

	it('that was refused and is empty now is told as the latter, too', async () => {
		const row = [refused(), refused(), refused()];
		const { reports } = follow({ a: [...row, lost({ isEmpty: true })] });
		await pass(HOUR);
		expect(reports).toHaveLength(2);
	});
});

describe('the end of a log', () => {
	const ended = { json: { data: { id: 'd', status: 'completed' } } };
	const running = { json: { data: { id: 'd', status: 'running' } } };

	it.each<[string, Answered, boolean]>([
		['has ended', ended, true],
		['runs', running, false],
		['is not there', { status: 404 }, false],
		['cannot be read', { status: 500 }, false],
	])('refused again and again, of a deployment that %s', async (_, answer, isOver) => {
		const { readers } = follow({ c: [refused()] }, { answer: () => answer });
		await pass(HOUR);
		expect(readers[0]?.isFinished).toBe(isOver);
		if (isOver) expect(readers[0]?.connects).toHaveLength(6);
	});

	it('needs three looks in a row', async () => {
		const answers = [ended, ended, running, ended, ended, ended];
		const { readers } = follow({ c: [refused()] }, { answer: () => answers.shift() ?? running });
		await pass(HOUR);
		expect(readers[0]?.isFinished).toBe(true);
		expect(readers[0]?.connects).toHaveLength(9);
	});

	it('of a service that is silent comes with the third silence', async () => {
		const silence = refused({ isSilence: true, isLate: true });
		const { readers } = follow({ c: [silence] }, { answer: () => ended });
		await pass(HOUR);
		expect(readers[0]?.isFinished).toBe(true);
		expect(readers[0]?.connects).toHaveLength(3);
	});

	it('is asked for once in five seconds, for all logs', async () => {
		let asked = 0;
		const answer = () => {
			asked++;
			return running;
		};
		const { follower } = follow({}, { answer });
		const look = async () => {
			void follower.hasDeploymentEnded(LOG);
			void follower.hasDeploymentEnded(LOG);
			await pass(0);
		};
		await look();
		expect(asked).toBe(1);
		await pass(5_000);
		await look();
		expect(asked).toBe(1);
		await pass(1);
		await look();
		expect(asked).toBe(2);
	});

	it('on a line to stop on ends both streams of the container, and no other', async () => {
		const { readers } = follow({
			'c/stdout': [{ kind: 'stopped' }],
			'c/stderr': ['silent'],
			'd/stdout': ['silent'],
		});
		await pass(1_000);
		expect(readers.map(({ progress }) => progress.hasStopped)).toEqual([true, true, false]);
		expect(readers.map(({ isFinished }) => isFinished)).toEqual([true, true, false]);
	});

	it('that is finished does not stop the other stream', async () => {
		const { readers } = follow({ 'c/stdout': [{ kind: 'finished' }], 'c/stderr': ['silent'] });
		await pass(1_000);
		expect(readers.map(({ progress }) => progress.hasStopped)).toEqual([false, false]);
	});
});

describe('connection events', () => {
	const kinds = (events: IDataObject[]) => events.map(({ event, reason }) => [event, reason]);

	it('tell of each connection, why it was lost, and the end', async () => {
		const script: Script = [refused(), lost(), { kind: 'finished' }];
		const { events } = follow({ c: script }, { connectionEvents: true });
		await pass(HOUR);
		expect(kinds(events)).toEqual([
			['connected', null],
			['disconnected', 'lost it'],
			['connected', null],
			['disconnected', null],
			['finished', null],
		]);
		expect(events[0]).toMatchObject({ deployment_id: 'd', container_id: 'c', stream: 'stdout' });
		expect(events[0]?.at).toMatch(/^\d{4}-.*Z$/);
	});

	it('are none where they are not wanted, or once the trigger is closed', async () => {
		const unwanted = follow({ c: [lost()] });
		const closed = follow({ c: ['silent'] }, { connectionEvents: true });
		await pass();
		await closed.follower.close();
		await pass(HOUR);
		expect(unwanted.events).toEqual([]);
		expect(kinds(closed.events)).toEqual([['connected', null]]);
		expect(closed.readers[0]).toMatchObject({ isFinished: true, progress: { hasStopped: false } });
	});
});
