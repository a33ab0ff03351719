import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { startEngine } from '../engine/engine.mts';
import { LOG_PATH, logRequests, logsTrigger, openLog } from '../engine/logs.mts';
import { useFixture } from '../engine/fixture.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { eventually } from '../engine/wait.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture({ time: 'real' });

/** The error that an activation throws. */
const refusal = async (activating: Promise<void>) =>
	await activating.then(
		() => expect.fail('it was activated'),
		(error: Error & { description?: string }) => error,
	);

describe('an activation that cannot work', () => {
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
			'Authentication failed (401): Invalid API key',
		],
		['403', errorForms.empty(403), 'Permission denied (403)'],
	])('throws the error of the service: %s', async (_, form, message) => {
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, ...form });
		const error = await refusal(fixture.follow().activate());
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
			'Container Names or IDs must contain only letters, digits and . _ ~ : @ + = -, got "a/../b"',
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
			'Options: Include is not a supported regular expression: unterminated group "(" at position 1',
		],
		[
			'a look-around',
			{ options: { exclude: 'a(?!b)' } },
			'Options: Exclude is not a supported regular expression: lookahead "(?!" at position 2',
		],
	])('throws before it sends anything: %s', async (_, parameters, message) => {
		expect((await refusal(fixture.follow(parameters).activate())).message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('does not throw while the service is unavailable: it retries', async () => {
		openLog(fixture.sandbox).append('stdout', 'hello');
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			...errorForms.empty(503),
			headers: { 'retry-after': '0' },
		});
		await fixture.follow().activate();
		await eventually('the line', () => fixture.trigger.lines[0] === 'hello');
	});
});

describe('authentication', () => {
	const other = async (data: IDataObject, parameters: IDataObject = {}) => {
		const credentials = sandboxCredentials(fixture.sandbox);
		Object.assign(credentials['compute-token']?.data ?? {}, data);
		fixture.trigger = new ActiveTrigger(await startEngine(credentials), logsTrigger(parameters));
		return await refusal(fixture.trigger.activate());
	};

	it.each([
		['another host', { baseUrl: 'http://127.0.0.2:1' }, 'Base URL'],
		['another service', { service: 'other' }, 'Service Segment'],
		[
			'both',
			{ baseUrl: 'https://elsewhere.example', service: 'other' },
			'Base URL and Service Segment',
		],
	])('%s in the second credential is an error, and nothing is sent', async (_, data, what) => {
		expect((await other(data)).message).toBe(
			`The two credentials of this node must belong to the same service: ${what} must be equal in both`,
		);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('sends the API key alone where it is chosen', async () => {
		openLog(fixture.sandbox).append('stdout', 'hello');
		await fixture.follow({ authentication: 'apiKey' }).activate();
		await eventually('the line', () => fixture.trigger.lines[0] === 'hello');
		expect(logRequests(fixture.sandbox)[0]?.headers.authorization).toBeUndefined();
	});

	it('a wrong token: the error holds neither secret', async () => {
		openLog(fixture.sandbox);
		const error = await other({ accessToken: 'a-wrong-token-4711' });
		expect(error.message).toBe('Authentication failed (401): Invalid access token');
		expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(
			/4711|sandbox-api-key/,
		);
	});
});
