import { describe, expect, it, vi } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { startEngine } from '../engine/engine.mts';
import {
	CONTAINER,
	DEPLOYMENT,
	LOG_PATH,
	logRequests,
	logsTrigger,
	numbered,
	openLog,
} from '../engine/logs.mts';
import { useFixture } from '../engine/fixture.mts';
import { MARKETPLACE, caas, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { errorForms } from '../sandbox/index.mts';
import { cloud, violations } from '../sandbox/testing/client.mts';

/** compute-api.md: Container log stream; beyond-the-spec.md section 2, "Container log stream". */
const fixture = useFixture({ time: 'real' });
const PATH = `/enterprise/v1/svc-cloud/caas/deployment/${DEPLOYMENT}/log/${CONTAINER}`;

async function follow(parameters: IDataObject = {}): Promise<ActiveTrigger> {
	const trigger = fixture.follow(parameters);
	await trigger.activate();
	return trigger;
}

const read = async (parameters: IDataObject = {}) =>
	await fixture.run(
		caas('log', 'getAll', {
			deploymentId: locator(DEPLOYMENT),
			containerId: locator(CONTAINER),
			stream: 'stdout',
			limit: 50,
			maxWaitSeconds: 1,
			...parameters,
		}),
	);

describe('container log stream: the endpoint', () => {
	it('[log.path] GET /enterprise/v1/svc-cloud/caas/deployment/{deployment_id}/log/{container_id}, both IDs in the path', async () => {
		openLog(fixture.sandbox);
		await follow();
		expect(logRequests(fixture.sandbox)).toMatchObject([
			{ method: 'GET', path: PATH, status: 200 },
		]);
	});

	it.each([
		['deploymentId', { deploymentId: locator('') }],
		['containerIds', { containerIds: [] }],
	])('[log.required] without %s nothing is sent', async (_, parameters) => {
		await expect(follow(parameters)).rejects.toThrow('is required');
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('[log.headers] Authorization: Bearer and x-api-key together', async () => {
		openLog(fixture.sandbox);
		await follow();
		const { apiKey, accessToken } = fixture.sandbox.keys;
		expect(logRequests(fixture.sandbox)[0]?.headers).toMatchObject({
			authorization: `Bearer ${accessToken}`,
			'x-api-key': apiKey,
		});
	});

	it('[log.headers.oauth2] the access token is an OAuth 2.0 one: it may come from n8n, the API key beside it', async () => {
		openLog(fixture.sandbox);
		const { apiKey, accessToken } = fixture.sandbox.keys;
		const engine = await startEngine({
			...sandboxCredentials(fixture.sandbox),
			oauth2: {
				type: 'computeMarketplaceOAuth2Api',
				data: {
					baseUrl: fixture.sandbox.url,
					service: 'svc',
					grantType: 'authorizationCode',
					oauthTokenData: { access_token: accessToken, token_type: 'bearer' },
				},
			},
		});
		const credentials = {
			...MARKETPLACE,
			computeMarketplaceOAuth2Api: { id: 'oauth2', name: 'OAuth2' },
		};
		fixture.trigger = new ActiveTrigger(engine, {
			...logsTrigger({ authentication: 'oAuth2' }),
			credentials,
		});
		await fixture.trigger.activate();
		expect(logRequests(fixture.sandbox)[0]?.headers).toMatchObject({
			authorization: `Bearer ${accessToken}`,
			'x-api-key': apiKey,
		});
	});

	it('[log.stream] the stream-type selector is stdout or stderr, one connection each', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', 'to stdout');
		log.append('stderr', 'to stderr');
		await follow({ streams: ['stdout', 'stderr'] });
		await fixture.delivered(2);
		expect(
			logRequests(fixture.sandbox)
				.map(({ query }) => query.stream)
				.sort(),
		).toEqual([['stderr'], ['stdout']]);
		expect(fixture.trigger.items.map(({ stream, line }) => [stream, line]).sort()).toEqual([
			['stderr', 'to stderr'],
			['stdout', 'to stdout'],
		]);
	});

	it('[log.stream.values] any other stream is refused, by the form and by the service', async () => {
		openLog(fixture.sandbox);
		await expect(follow({ streams: ['stdin'] })).rejects.toThrow(
			'Trigger On must be one of stdout, stderr, got "stdin"',
		);
		expect(fixture.sandbox.requests).toEqual([]);
		const client = cloud(fixture.sandbox, 'caas');
		expect(
			violations(await client.get(`/deployment/${DEPLOYMENT}/log/${CONTAINER}?stream=stdin`)),
		).toEqual(['query.stream: enum']);
		await client.close();
	});

	describe('at a service that calls the offset "from"', () => {
		const other = useFixture({ time: 'real', offsetParameter: 'from' });

		it('[log.offset] [log.offset.name] an offset, under a query name of choice', async () => {
			openLog(other.sandbox).append('stdout', ...numbered(5));
			await other
				.follow({ startFrom: 'offset', offset: 3, options: { offsetParameter: 'from' } })
				.activate();
			await other.delivered(2);
			expect(other.trigger.lines).toEqual(numbered(2, 3));
			expect(logRequests(other.sandbox).at(-1)?.query).toEqual({ stream: ['stdout'], from: ['3'] });
		});
	});

	it('[log.chunked] always a chunked stream that does not end: lines come while it is open, and it is never read as one document', async () => {
		const log = openLog(fixture.sandbox);
		await follow();
		log.append('stdout', '{"a":1}');
		await fixture.delivered(1);
		log.append('stdout', '{"a":2}');
		await fixture.delivered(2);
		expect(logRequests(fixture.sandbox)).toHaveLength(1);
		expect(fixture.trigger.items.map(({ data }) => data)).toEqual([{ a: 1 }, { a: 2 }]);
	});

	it('[log.entry] each line is one log entry: one item a line', async () => {
		openLog(fixture.sandbox, 'lines').append('stdout', 'one', '', 'three');
		await follow();
		await fixture.delivered(3);
		expect(fixture.trigger.lines).toEqual(['one', '', 'three']);
	});

	it('[log.422] the validation error body, in the trigger and in the node', async () => {
		const form = errorForms.detailList(422, [
			{ loc: ['query', 'stream'], msg: 'must be stdout or stderr', type: 'enum' },
		]);
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, times: 2, ...form });
		await expect(follow()).rejects.toThrow('stream: must be stdout or stderr');
		expect(errorOf(await read()).message).toBe('stream: must be stdout or stderr');
	});
});

describe('log: get many', () => {
	it('gives data lines that no blank line ends, from a log that goes on', async () => {
		openLog(fixture.sandbox, 'dataLines').append('stdout', ...numbered(5));
		expect(jsonOf(await read()).map(({ line }) => line)).toEqual(numbered(5));
	});

	it('reads up to a number of lines and stops', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(100));
		const items = jsonOf(await read({ limit: 10 }));
		expect(items.map(({ line, offset }) => [line, offset])).toEqual(
			numbered(10).map((line, offset) => [line, offset]),
		);
		expect(items[0]).toMatchObject({
			stream: 'stdout',
			deployment_id: DEPLOYMENT,
			container_id: CONTAINER,
		});
		await vi.waitFor(async () => expect(await fixture.sandbox.openSockets()).toBe(0));
	});

	it('or for a number of seconds, and gives what came; a silent log is no error and keeps no socket', async () => {
		openLog(fixture.sandbox).append('stdout', 'only');
		const begin = performance.now();
		expect(jsonOf(await read({ maxWaitSeconds: 1 })).map(({ line }) => line)).toEqual(['only']);
		expect(performance.now() - begin).toBeLessThan(2_000);
		openLog(fixture.sandbox, 'sse', 'silent');
		expect(jsonOf(await read({ containerId: locator('silent') }))).toEqual([]);
		await vi.waitFor(async () => expect(await fixture.sandbox.openSockets()).toBe(0));
	});

	it('the last lines, the ones that match, from an offset on', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(100));
		log.finish();
		const lines = async (options: IDataObject) =>
			jsonOf(await read({ limit: 3, options })).map(({ line }) => line);
		expect(await lines({ tail: true })).toEqual(numbered(3, 97));
		expect(await lines({ include: '7$' })).toEqual(['line 7', 'line 17', 'line 27']);
		expect(await lines({ exclude: '[0-8]$' })).toEqual(['line 9', 'line 19', 'line 29']);
		expect(await lines({ offset: 50 })).toEqual(numbered(3, 50));
	});

	it('is opened three times, as all that is only read', async () => {
		openLog(fixture.sandbox).append('stdout', 'only');
		const busy = {
			match: { path: LOG_PATH },
			...errorForms.empty(503),
			headers: { 'retry-after': '0' },
		};
		fixture.sandbox.faults.add({ ...busy, times: 2 });
		expect(jsonOf(await read()).map(({ line }) => line)).toEqual(['only']);
		fixture.sandbox.faults.add({ ...busy, times: Infinity });
		expect(errorOf(await read()).message).toContain('(503)');
		expect(logRequests(fixture.sandbox)).toHaveLength(6);
	});

	it('that breaks off gives what came, and says so; before the first line it is an error', async () => {
		openLog(fixture.sandbox, 'lines').append('stdout', ...numbered(5));
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 14 });
		expect(jsonOf(await read()).map(({ line, broken_off: broken }) => [line, broken])).toEqual([
			['line 0', undefined],
			['line 1', true],
		]);
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 3 });
		expect(errorOf(await read()).message).toBe('The connection was lost while reading the stream');
	});

	it('a container that is not there is an error', async () => {
		expect(errorOf(await read()).message).toBe('Not found (404): Container not found');
	});
});

describe('deployments and containers', () => {
	const seed = () =>
		fixture.sandbox.books.seeded.find(({ order }) => order.name === 'inference-api');

	it('lists and shows them', async () => {
		const all = jsonOf(await fixture.run(caas('deployment', 'getAll', { returnAll: true })));
		expect(all.map(({ resource_private_name: name }) => name)).toEqual(
			expect.arrayContaining(['inference-api', 'batch-render', 'embedding-worker']),
		);
		const running = jsonOf(
			await fixture.run(
				caas('deployment', 'getAll', {
					returnAll: true,
					filters: { status: 'running', namePrefix: 'inf' },
				}),
			),
		);
		expect(running.map(({ deployment_id: id }) => id)).toEqual([seed()?.id]);
		const [one] = jsonOf(
			await fixture.run(caas('deployment', 'get', { deploymentId: locator(seed()?.id) })),
		);
		expect(one).toMatchObject({
			deployment_id: seed()?.id,
			status: 'running',
			total_containers: 2,
		});
		expect(
			errorOf(await fixture.run(caas('deployment', 'get', { deploymentId: locator('nobody') })))
				.message,
		).toBe('There is no deployment nobody');
	});

	it('containers, in the output and in the pickers', async () => {
		const containers = jsonOf(
			await fixture.run(
				caas('container', 'getAll', { deploymentId: locator(seed()?.id), returnAll: true }),
			),
		);
		expect(containers).toHaveLength(2);
		expect(containers[0]).toMatchObject({ deployment_id: seed()?.id, status: 'running' });
		const { results } = await fixture.engine.search(
			caas('log', 'getAll'),
			'searchDeployments',
			'inference',
		);
		expect(results).toEqual([
			{ name: expect.stringContaining('inference-api · running'), value: seed()?.id },
		]);
		const rows = await fixture.engine.search(
			caas('log', 'getAll', { deploymentId: locator(seed()?.id) }),
			'searchContainers',
		);
		expect(rows.results.map(({ value }) => value)).toEqual(
			containers.map(({ container_id: id }) => id),
		);
	});
});
