import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { sandboxCredentials, startBench, type Bench } from '../engine/fixture.mts';
import {
	logRequests,
	LOG_PATH,
	logsTrigger,
	numbered,
	openLog,
	published,
} from '../engine/logs.mts';
import { startEngine } from '../engine/engine.mts';
import { ownMilliseconds } from '../engine/ownTime.mts';
import { eventually, PublishedTrigger } from '../engine/trigger.mts';
import { errorForms, startSandbox, type Sandbox } from '../sandbox/index.mts';

let bench: Bench;
let followed: PublishedTrigger | undefined;

beforeAll(async () => {
	bench = await startBench();
});
beforeEach(() => bench.sandbox.reset());
afterEach(async () => await followed?.close());
afterAll(async () => await bench.sandbox.close());

function follow(
	parameters: IDataObject = {},
	consume?: (items: IDataObject[]) => Promise<void> | void,
): PublishedTrigger {
	followed = published(bench.engine, parameters, consume);
	return followed;
}

const errorOf = async (publishing: Promise<void>) =>
	await publishing.then(
		() => expect.fail('it was published'),
		(error: Error & { description?: string }) => error,
	);
const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

describe('what cannot work is said when the workflow is published', () => {
	it.each([
		[
			'404',
			errorForms.detailString(404, 'Container not found'),
			'Not found (404): Container not found',
		],
		[
			'422',
			errorForms.detailList(422, [
				{ loc: ['path', 'container_id'], msg: 'must be a UUID', type: 'uuid' },
			]),
			'container_id: must be a UUID',
		],
		[
			'401',
			errorForms.plainText(401, 'Invalid API key'),
			'The service did not accept the credential (401): Invalid API key',
		],
		['403', errorForms.empty(403), 'The account may not do this (403)'],
	])('%s before the stream reads as everywhere else', async (_, form, message) => {
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, ...form });
		const error = await errorOf(follow().publish());
		expect(error.message).toBe(message);
		expect(error.description).toBeTruthy();
	});

	it.each<[string, IDataObject, string]>([
		[
			'no container',
			{ containerIds: [] },
			'Container Names or IDs is required: choose at least one container',
		],
		[
			'a path in an ID',
			{ containerIds: ['a/../b'] },
			'Container Names or IDs may only hold letters, digits and . _ ~ : @ + = -, got "a/../b"',
		],
		['no stream', { streams: [] }, 'Trigger On is required: choose at least one stream'],
		[
			'a wrong stream',
			{ streams: ['stdin'] },
			'Trigger On must be one of stdout, stderr, got "stdin"',
		],
		[
			'a batch that is too large',
			{ batch: { maxEntries: 10_001 } },
			'Batch: Max Entries must be a whole number from 1 to 10000, got 10001',
		],
		[
			'an offset below 0',
			{ startFrom: 'offset', offset: -1 },
			'Offset must be a whole number of at least 0, got -1',
		],
		[
			'a broken expression',
			{ options: { include: '(a' } },
			'Options: Include is no regular expression that can be used: it does not close a group',
		],
		[
			'a look-around',
			{ options: { exclude: 'a(?!b)' } },
			'Options: Exclude is no regular expression that can be used: it looks around with (?=, (?!, (?<= or (?<!',
		],
	])('%s, before anything is sent', async (_, parameters, message) => {
		expect((await errorOf(follow(parameters).publish())).message).toBe(message);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it('a service that does not answer just now is no error: it is tried on', async () => {
		openLog(bench.sandbox).append('stdout', 'hello');
		bench.sandbox.faults.add({
			match: { path: LOG_PATH },
			...errorForms.empty(503),
			headers: { 'retry-after': '0' },
		});
		await follow().publish();
		await eventually('the line', () => followed?.lines[0] === 'hello');
	});
});

describe('authentication', () => {
	const other = async (data: IDataObject, parameters: IDataObject = {}) => {
		const credentials = sandboxCredentials(bench.sandbox);
		Object.assign(credentials['compute-token']?.data ?? {}, data);
		followed = new PublishedTrigger(await startEngine(credentials), logsTrigger(parameters));
		return await errorOf(followed.publish());
	};

	it.each([
		['another host', { baseUrl: 'http://127.0.0.2:1' }, 'Base URL'],
		['another service', { service: 'other' }, 'Service Segment'],
		[
			'both',
			{ baseUrl: 'https://elsewhere.example', service: 'other' },
			'Base URL and Service Segment',
		],
	])('%s in the second credential is an error before anything is sent', async (_, data, what) => {
		expect((await other(data)).message).toBe(
			`The two credentials of this node must belong to the same service: ${what} must be equal in both`,
		);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it('the API key alone, where it is chosen', async () => {
		openLog(bench.sandbox).append('stdout', 'hello');
		await follow({ authentication: 'apiKey' }).publish();
		await eventually('the line', () => followed?.lines[0] === 'hello');
		expect(logRequests(bench.sandbox)[0]?.headers.authorization).toBeUndefined();
	});

	it('a wrong token shows neither secret', async () => {
		openLog(bench.sandbox);
		const error = await other({ accessToken: 'a-wrong-token-4711' });
		expect(error.message).toBe(
			'The service did not accept the credential (401): Invalid access token',
		);
		expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(
			/4711|sandbox-api-key/,
		);
	});
});

describe('life', () => {
	it('one dead container does not stop the others', async () => {
		openLog(bench.sandbox, 'sse', 'alive').append('stdout', 'hello');
		await follow({ containerIds: ['dead', 'alive'] }).publish();
		await eventually('the line', () => followed?.lines[0] === 'hello');
		expect(followed?.failures.map(({ message }) => message)).toEqual([
			'Not found (404): Container not found',
		]);
		expect(followed?.errors).toEqual([]);
	});

	it('a container that the account may not read (403) does not stop the others', async () => {
		openLog(bench.sandbox, 'sse', 'alive').append('stdout', 'hello');
		bench.sandbox.faults.add({
			match: { path: /\/log\/foreign$/ },
			times: Infinity,
			...errorForms.detailString(403, 'Not your container'),
		});
		await follow({ containerIds: ['foreign', 'alive'] }).publish();
		await eventually('the line', () => followed?.lines[0] === 'hello');
		expect(followed?.failures.map(({ message }) => message)).toEqual([
			'The account may not do this (403): Not your container',
		]);
		expect(followed?.errors).toEqual([]);
	});

	it('a container that never was there is an error, also after a hiccup of the service', async () => {
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, ...errorForms.empty(503) });
		await follow().publish();
		await eventually('it gave up', () => followed?.errors.length === 1);
		expect(followed?.errors[0]?.message).toBe('Not found (404): Container not found');
	});

	it.each([404, 410])(
		'a container that is gone (%i) ends quietly, and is not asked for again',
		async (status) => {
			openLog(bench.sandbox).append('stdout', 'hello');
			bench.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 19 });
			bench.sandbox.faults.add({
				match: { path: LOG_PATH },
				times: Infinity,
				...errorForms.plainText(status, 'gone'),
			});
			await follow().publish();
			await eventually('it was asked again', () => logRequests(bench.sandbox).length > 1);
			expect(followed?.lines).toEqual(['hello']);
			await pause(300);
			expect(logRequests(bench.sandbox)).toHaveLength(2);
			expect([...(followed?.failures ?? []), ...(followed?.errors ?? [])]).toEqual([]);
		},
	);

	it('a clean end with the deployment in a final state ends quietly, with the last line that has no end', async () => {
		const seed = bench.sandbox.books.seeded.find(({ state }) => state === 'completed');
		const log = bench.sandbox.logs.open(String(seed?.id), 'c', 'lines');
		log.append('stdout', 'one', 'two');
		log.finish();
		await follow({
			deploymentId: { __rl: true, mode: 'id', value: seed?.id },
			containerIds: ['c'],
			options: { connectionEvents: true },
		}).publish();
		await eventually(
			'the end',
			() => followed?.items.some(({ event }) => event === 'finished') === true,
		);
		expect(followed?.lines.filter((line) => line !== 'undefined')).toEqual(['one', 'two']);
		// The second connection is the one that brings nothing new; before it the offset is tried out
		expect(followed?.items.flatMap(({ event }) => (event === undefined ? [] : [event]))).toEqual([
			'connected',
			'disconnected',
			'connected',
			'disconnected',
			'finished',
		]);
		const { length } = logRequests(bench.sandbox);
		await pause(300);
		expect(logRequests(bench.sandbox)).toHaveLength(length);
	});

	it('an outage is reported once, however long it lasts, and nothing is lost over it', async () => {
		const log = openLog(bench.sandbox);
		log.append('stdout', 'before');
		bench.sandbox.faults.add({
			match: { path: LOG_PATH },
			skip: 1,
			times: 4,
			...errorForms.html(502),
			headers: { 'retry-after': '0' },
		});
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 20 });
		await follow({ options: { idleTimeout: 1 } }).publish();
		log.append('stdout', 'after');
		await eventually('both lines', () => followed?.lines.length === 2);
		expect(followed?.lines).toEqual(['before', 'after']);
		expect(followed?.failures).toHaveLength(1);
		expect(followed?.failures[0]?.message).toContain(
			`The stdout log of container c1 cannot be reached`,
		);
	});

	it('a credential that is refused in mid-life is reported once, after everything was closed', async () => {
		openLog(bench.sandbox).append('stdout', ...numbered(5));
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 60 });
		bench.sandbox.faults.add({
			match: { path: LOG_PATH },
			times: Infinity,
			...errorForms.empty(401),
		});
		await follow().publish();
		await eventually('it gave up', () => followed?.errors.length === 1);
		expect(followed?.errors[0]?.message).toBe('The service did not accept the credential (401)');
		const { length } = logRequests(bench.sandbox);
		await pause(200);
		expect(logRequests(bench.sandbox)).toHaveLength(length);
	});

	it('a credential that is refused for a while, as n8n tries it: from now goes on from where it was', async () => {
		const log = openLog(bench.sandbox);
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 20 });
		bench.sandbox.faults.add({
			match: { path: LOG_PATH },
			times: Infinity,
			...errorForms.empty(401),
		});
		await follow({ startFrom: 'now' }).publish();
		log.append('stdout', 'before');
		await eventually('it gave up', () => followed?.errors.length === 1);
		await followed?.close();
		await errorOf(followed?.publish('activate') ?? Promise.resolve());
		log.append('stdout', 'meanwhile');
		bench.sandbox.faults.clear();
		await followed?.publish('activate');
		await eventually('the next line', () => followed?.lines.length === 2);
		expect(followed?.lines).toEqual(['before', 'meanwhile']);
	});

	it('a half-open connection is made anew after the idle timeout, without an error', async () => {
		const log = openLog(bench.sandbox);
		log.append('stdout', 'hello');
		bench.sandbox.faults.add({
			match: { path: LOG_PATH },
			slowBytes: { chunk: 18, everyMs: 60_000 },
		});
		await follow({ options: { idleTimeout: 1 } }).publish();
		await eventually('the line', () => followed?.lines[0] === 'hello');
		log.append('stdout', 'again');
		await eventually('the next line', () => followed?.lines[1] === 'again');
		expect(followed?.failures).toEqual([]);
	});

	it('stops at a line, with both streams, and not before', async () => {
		const log = openLog(bench.sandbox);
		log.append('stdout', 'epoch 1', 'Training finished', 'cleaning up');
		log.append('stderr', 'a warning');
		await follow({
			streams: ['stderr', 'stdout'],
			options: { stopOn: 'finished$', connectionEvents: true },
		}).publish();
		await eventually(
			'both have stopped',
			() => followed?.items.filter(({ event }) => event === 'stopped').length === 2,
		);
		expect(
			followed?.items
				.filter(({ stream, line }) => stream === 'stdout' && line !== undefined)
				.map(({ line }) => line),
		).toEqual(['epoch 1', 'Training finished']);
		await followed?.close();
		const { length } = logRequests(bench.sandbox);
		await followed?.publish('init');
		await pause(100);
		expect(logRequests(bench.sandbox)).toHaveLength(length);
	});
});

describe('closed', () => {
	const cutFirst = (sandbox: Sandbox) => {
		openLog(sandbox).append('stdout', 'hello');
		sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 19 });
	};

	it.each<[string, number, (sandbox: Sandbox) => void]>([
		['while it reads', 1, (sandbox) => openLog(sandbox).append('stdout', 'hello')],
		['in a run', 1, (sandbox) => openLog(sandbox).append('stdout', ...numbered(300))],
		[
			'during connect',
			2,
			(sandbox) => {
				cutFirst(sandbox);
				sandbox.faults.add({ match: { path: LOG_PATH }, times: Infinity, hang: true });
			},
		],
		[
			'during back-off',
			3,
			(sandbox) => {
				cutFirst(sandbox);
				sandbox.faults.add({
					match: { path: LOG_PATH },
					times: Infinity,
					...errorForms.empty(503),
				});
			},
		],
	])('%s: it settles within 100 ms, and no socket is left', async (name, requests, prepare) => {
		const own = await startSandbox();
		prepare(own);
		const stuck = new Promise<void>(() => undefined);
		const trigger = published(
			await startEngine(sandboxCredentials(own)),
			{},
			async () => await (name === 'in a run' ? stuck : undefined),
		);
		await trigger.publish();
		await eventually('it asked', () => logRequests(own).length >= requests);
		await eventually('a run', () => trigger.executions.length > 0);
		const waited = ownMilliseconds();
		await trigger.close();
		expect(waited()).toBeLessThan(100);
		const { length } = own.requests;
		await vi.waitFor(async () => expect(await own.openSockets()).toBe(0));
		await pause(150);
		expect(await own.openSockets()).toBe(0);
		expect(own.requests).toHaveLength(length);
		await own.close();
	});
});

describe('a test run in the editor', () => {
	it('gives the first batch, and leaves the saved place alone', async () => {
		openLog(bench.sandbox).append('stdout', ...numbered(150));
		const items = await follow().testRun();
		expect(items.map(({ json }) => json.line)).toEqual(numbered(100));
		expect(followed?.saved).toEqual({});
	});

	it('does not wait for hours until a batch is full', async () => {
		openLog(bench.sandbox).append('stdout', 'hello');
		const items = await follow({ batch: { maxEntries: 100, maxWaitMs: 3_600_000 } }).testRun();
		expect(items.map(({ json }) => json.line)).toEqual(['hello']);
	});

	it('says it when the container is not there', async () => {
		await expect(follow().testRun()).rejects.toThrow('Not found (404): Container not found');
	});

	it('says it when no line comes in time', async () => {
		openLog(bench.sandbox);
		await expect(follow().testRun()).rejects.toThrow('No line was received within 30 seconds');
	}, 40_000);
});
