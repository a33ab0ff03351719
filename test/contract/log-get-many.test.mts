import { describe, expect, it, vi } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import {
	CONTAINER,
	DEPLOYMENT,
	LOG_PATH,
	logRequests,
	numbered,
	openLog,
} from '../engine/logs.mts';
import { useFixture } from '../engine/fixture.mts';
import { caas, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

/** compute-api.md: Container log stream; beyond-the-spec.md section 2, "Container log stream". */
const fixture = useFixture({ time: 'real' });

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

describe('log: get many', () => {
	it('returns data: lines without blank lines', async () => {
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

	it('or for a number of seconds; a silent log is no error and keeps no socket open', async () => {
		openLog(fixture.sandbox).append('stdout', 'only');
		const begin = performance.now();
		expect(jsonOf(await read({ maxWaitSeconds: 1 })).map(({ line }) => line)).toEqual(['only']);
		expect(performance.now() - begin).toBeLessThan(2_000);
		openLog(fixture.sandbox, 'sse', 'silent');
		expect(jsonOf(await read({ containerId: locator('silent') }))).toEqual([]);
		await vi.waitFor(async () => expect(await fixture.sandbox.openSockets()).toBe(0));
	});

	it('the last lines, matching lines, lines from an offset on', async () => {
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

	it('the last lines of a log that goes on, once a second brings no new one', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(100));
		const begin = performance.now();
		const items = jsonOf(await read({ limit: 3, maxWaitSeconds: 60, options: { tail: true } }));
		expect(items.map(({ line }) => line)).toEqual(numbered(3, 97));
		expect(performance.now() - begin).toBeLessThan(20_000);
	});

	it('has the first line where the offset is taken for the ID of the last event', async () => {
		const log = openLog(fixture.sandbox);
		log.resume = { unit: 'eventId' };
		log.append('stdout', ...numbered(6));
		log.finish();
		const lines = async (options: IDataObject) =>
			jsonOf(await read({ options })).map(({ line }) => line);
		expect(await lines({})).toEqual(numbered(6));
		expect(await lines({ tail: true })).toEqual(numbered(6));
		expect(await lines({ offset: 2 })).toEqual(numbered(3, 3));
	});

	it('is tried three times, as every read', async () => {
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

	it('that breaks off returns what came, marked; before the first line it is an error', async () => {
		openLog(fixture.sandbox, 'lines').append('stdout', ...numbered(5));
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 14 });
		expect(jsonOf(await read()).map(({ line, broken_off: broken }) => [line, broken])).toEqual([
			['line 0', undefined],
			['line 1', true],
		]);
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 3 });
		expect(errorOf(await read()).message).toBe('The connection was lost while reading the stream');
	});

	it('a container that does not exist is an error', async () => {
		expect(errorOf(await read()).message).toBe('Not found (404): Container not found');
	});
});

describe('deployments and containers', () => {
	const seed = () =>
		fixture.sandbox.books.seeded.find(({ order }) => order.name === 'inference-api');

	it('get many and get', async () => {
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

	it('containers, as items and in the list searches', async () => {
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
