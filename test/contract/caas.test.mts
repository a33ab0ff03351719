import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { CONTAINER, DEPLOYMENT, logRequests, openLog } from '../engine/logs.mts';
import { caas, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms, type LogFormat } from '../sandbox/index.mts';
import { at, cloud, listAt, violations, type Client } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 2: deployments, containers, and the forms of the log stream. */
const fixture = useFixture();
const BASE = '/enterprise/v1/svc-cloud/caas';
const seed = () =>
	fixture.sandbox.books.seeded.find(({ order }) => order.name === 'inference-api')?.id ?? '';

async function directly<T>(use: (client: Client) => Promise<T>): Promise<T> {
	const client = cloud(fixture.sandbox, 'caas');
	try {
		return await use(client);
	} finally {
		await client.close();
	}
}

describe('container deployments', () => {
	it('[caas.auth] header x-api-key, and no Authorization', async () => {
		await fixture.run(caas('deployment', 'getAll', { returnAll: true }));
		const [request] = fixture.sandbox.requests;
		expect([request?.headers['x-api-key'], request?.headers.authorization]).toEqual([
			fixture.sandbox.keys.apiKey,
			undefined,
		]);
		expect(
			(
				await directly((client) =>
					client.call('/deployments', { headers: { 'x-api-key': 'wrong' } }),
				)
			).status,
		).toBe(401);
	});

	it('[caas.deployments] GET …/deployments, page from 0, page_size up to 100', async () => {
		const items = jsonOf(await fixture.run(caas('deployment', 'getAll', { returnAll: true })));
		expect(fixture.sandbox.requests[0]).toMatchObject({
			method: 'GET',
			path: `${BASE}/deployments`,
			query: { page: ['0'], page_size: ['100'] },
		});
		const { json } = await directly((client) => client.get('/deployments?page=0&page_size=100'));
		expect(items.map(({ id }) => id)).toEqual(
			listAt(json, 'data', 'deployments').map((entry) => at(entry, 'id')),
		);
		expect(
			violations(await directly((client) => client.get('/deployments?page_size=101'))),
		).toEqual(['query.page_size: less_than_equal']);
	});

	it('[caas.deployments.status] query status', async () => {
		const items = jsonOf(
			await fixture.run(
				caas('deployment', 'getAll', { returnAll: true, filters: { status: 'completed' } }),
			),
		);
		expect(fixture.sandbox.requests[0]?.query.status).toEqual(['completed']);
		expect(items.map(({ resource_private_name: name }) => name)).toEqual(['batch-render']);
	});

	it('[caas.deployment] GET …/deployment/{id}: the details with gpus_per_container, total_containers and container_config', async () => {
		const item = onlyJson(
			await fixture.run(caas('deployment', 'get', { deploymentId: locator(seed()) })),
		);
		expect(fixture.sandbox.requests[0]).toMatchObject({
			method: 'GET',
			path: `${BASE}/deployment/${seed()}`,
			query: {},
		});
		const sent = at(
			(await directly((client) => client.get(`/deployment/${seed()}`))).json,
			'data',
		) as IDataObject;
		expect(item).toMatchObject(sent);
		for (const key of ['gpus_per_container', 'total_containers', 'container_config'])
			expect(sent).toHaveProperty(key);
	});

	it('[caas.containers] GET …/deployment/{id}/containers: { data: { total, workers } }, one item a container', async () => {
		const items = jsonOf(
			await fixture.run(
				caas('container', 'getAll', { deploymentId: locator(seed()), returnAll: true }),
			),
		);
		expect(fixture.sandbox.requests[0]).toMatchObject({
			method: 'GET',
			path: `${BASE}/deployment/${seed()}/containers`,
		});
		const { json } = await directly((client) => client.get(`/deployment/${seed()}/containers`));
		expect(items).toEqual(
			listAt(json, 'data', 'workers').map((worker) => ({
				...(worker as object),
				deployment_id: seed(),
			})),
		);
	});

	it('[caas.containers.public_url] public_url and container_events may be null', async () => {
		const worker = { container_id: 'a', container_events: null, public_url: null };
		fixture.sandbox.faults.add({
			status: 200,
			body: { data: { total: 1, workers: [worker] } },
			times: Infinity,
		});
		expect(
			onlyJson(
				await fixture.run(
					caas('container', 'getAll', { deploymentId: locator('d'), returnAll: true }),
				),
			),
		).toEqual({ ...worker, deployment_id: 'd' });
	});
});

describe('the log stream', () => {
	const read = async (parameters: IDataObject = {}) =>
		await fixture.run(
			caas('log', 'getAll', {
				deploymentId: locator(DEPLOYMENT),
				containerId: locator(CONTAINER),
				limit: 50,
				maxWaitSeconds: 5,
				stream: 'stdout',
				...parameters,
			}),
		);
	const written = (format: LogFormat, ...lines: string[]) => {
		const log = openLog(fixture.sandbox, format);
		log.append('stdout', ...lines);
		log.finish();
	};
	const linesOf = async (parameters?: IDataObject) =>
		jsonOf(await read(parameters)).map(({ line }) => line);

	it('[log.stream.name] the selector is called stream, stdout by default', async () => {
		written('sse', 'one');
		await read();
		expect(logRequests(fixture.sandbox)[0]?.query.stream).toEqual(['stdout']);
		const field = fixture.engine
			.nodeType('caas')
			.description.properties.find(({ name }) => name === 'stream');
		expect(field?.default).toBe('stdout');
		expect(
			violations(
				await directly((client) =>
					client.get(`/deployment/${DEPLOYMENT}/log/${CONTAINER}?stream=stdin`),
				),
			),
		).toEqual(['query.stream: enum']);
	});

	it('[log.form.sse] [log.end] events with data, event, id and comments; the log ends with its container', async () => {
		written('sse', 'one', 'two');
		expect(await linesOf()).toEqual(['one', 'two']);
		fixture.sandbox.faults.add({
			match: { path: /\/log\// },
			status: 200,
			contentType: 'text/event-stream',
			// The answer ends: whether there is a further page is looked up, and, as it is the same, whether any offset brings it. And the
			// first ID is above 0: so are earlier entries
			times: 4,
			rawBody: ': hi\n\nid: 7\nevent: line\ndata: three\n\ndata: four\r\n\r\n',
		});
		expect(await linesOf()).toEqual(['three', 'four']);
	});

	it('[log.form.lines] bare lines', async () => {
		written('lines', 'one', '', 'data is no field here', 'three');
		expect(await linesOf()).toEqual(['one', '', 'data is no field here', 'three']);
	});

	it('[log.form.json] text or JSON in the data', async () => {
		written('sse', '{"level":"info","n":1}', 'plain');
		expect(jsonOf(await read()).map(({ line, data }) => [line, data])).toEqual([
			['{"level":"info","n":1}', { level: 'info', n: 1 }],
			['plain', undefined],
		]);
	});

	it.each([
		[
			'a JSON 404',
			errorForms.detailString(404, 'Container not found'),
			'Not found (404): Container not found',
		],
		['a text 404', errorForms.plainText(404, 'Not found'), 'Not found (404)'],
		[
			'a JSON 422',
			errorForms.detailList(422, [{ loc: ['query', 'stream'], msg: 'is odd', type: 'enum' }]),
			'stream: is odd',
		],
		['a text 422', errorForms.plainText(422, 'odd'), 'odd'],
	])('[log.404] an error before the stream: %s', async (_, form, message) => {
		fixture.sandbox.faults.add(form);
		expect(errorOf(await read()).message).toBe(message);
	});
});
