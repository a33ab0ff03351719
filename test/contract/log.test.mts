import { describe, expect, it } from 'vitest';
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
import { errorOf } from '../engine/results.mts';
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

	it('[log.stream.values] any other stream is refused, by the node and by the service', async () => {
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

		it('[log.offset] [log.offset.name] an offset, under a chosen query name', async () => {
			openLog(other.sandbox).append('stdout', ...numbered(5));
			await other
				.follow({ startFrom: 'offset', offset: 3, options: { offsetParameter: 'from' } })
				.activate();
			await other.delivered(2);
			expect(other.trigger.lines).toEqual(numbered(2, 3));
			expect(logRequests(other.sandbox).at(-1)?.query).toEqual({ stream: ['stdout'], from: ['3'] });
		});
	});

	it('[log.chunked] a chunked stream that does not end: lines come while it is open', async () => {
		const log = openLog(fixture.sandbox);
		await follow();
		log.append('stdout', '{"a":1}');
		await fixture.delivered(1);
		log.append('stdout', '{"a":2}');
		await fixture.delivered(2);
		expect(logRequests(fixture.sandbox)).toHaveLength(1);
		expect(fixture.trigger.items.map(({ data }) => data)).toEqual([{ a: 1 }, { a: 2 }]);
	});

	it('[log.entry] each line is one log entry: one item per line', async () => {
		openLog(fixture.sandbox, 'lines').append('stdout', 'one', '', 'three');
		await follow();
		await fixture.delivered(3);
		expect(fixture.trigger.lines).toEqual(['one', '', 'three']);
	});

	it('[log.422] the validation error body, in the trigger and in the node', async () => {
		const form = errorForms.detailList(422, [
			{ loc: ['query', 'stream'], msg: 'must be stdout or stderr', type: 'enum' },
		]);
		// Each asks once more without an offset, which may be what is not valid
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, times: 4, ...form });
		await expect(follow()).rejects.toThrow('stream: must be stdout or stderr');
		expect(errorOf(await read()).message).toBe('stream: must be stdout or stderr');
	});
});
