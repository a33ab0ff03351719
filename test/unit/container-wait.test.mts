import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../nodes/Caas/resources/deployment/waitFor.ts';
import { locator } from '../engine/nodes.mts';
import { DEPLOYMENT, inputOf, jobBench, outcome, type Answer } from './job-bench.mts';
import { Body } from './log-parts.mts';
import { message } from './parameters-form.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const form = (healthPath: string, changes: IDataObject = {}) => ({
	deploymentId: locator(DEPLOYMENT),
	waitUntil: 'reachable',
	healthPath,
	pollInterval: 10,
	timeout: 0,
	onTimeout: 'output',
	...changes,
});

interface Given {
	details?: IDataObject;
	healthPath?: string;
	/** What the public URLs answer with, one after the other, the last one for good. */
	statuses?: number[];
	changes?: IDataObject;
	/** In place of the list of containers. */
	list?: Answer;
}

/** What Wait For has seen of these containers, and which public URLs it has asked. */
async function waited(workers: IDataObject[], given: Given = {}) {
	const { details = {}, healthPath = '/', statuses = [200], changes, list } = given;
	const bench = jobBench({
		details: { deployment_id: DEPLOYMENT, status: 'running', ...details },
		instead: (request) =>
			request.endsWith('/containers') ? (list ?? [200, { data: { workers } }]) : undefined,
	});
	const context = bench.context();
	const asked: string[] = [];
	Object.assign(context.functions.helpers, {
		httpRequest: async ({ url }: IHttpRequestOptions) => {
			asked.push(url);
			const statusCode = statuses.length > 1 ? statuses.shift() : statuses[0];
			return await Promise.resolve({ statusCode, headers: {}, body: new Body() });
		},
	});
	const input = inputOf(waitFor, form(healthPath, changes));
	const result = await outcome(async () => await waitFor.run(context, input));
	if (result instanceof Error) throw result;
	return { item: result[0] as IDataObject, asked };
}

const shown = (container_id: number, more: IDataObject = {}): IDataObject => ({
	container_id,
	status: 'running',
	public_url: `https://c${container_id}.example`,
	...more,
});

describe('containers that are waited for', () => {
	it('are reached where the public URL of each answers', async () => {
		const { item, asked } = await waited([shown(1), shown(2)], { healthPath: 'health' });
		expect(item).toMatchObject({
			deployment_id: DEPLOYMENT,
			reached: true,
			public_url: 'https://c1.example',
			public_urls: ['https://c1.example', 'https://c2.example'],
		});
		expect(asked).toEqual(['https://c1.example/health', 'https://c2.example/health']);
	});

	it('are asked once where they share a public URL', async () => {
		const public_url = 'https://all.example';
		const { item, asked } = await waited([shown(1, { public_url }), shown(2, { public_url })]);
		expect(item).toMatchObject({ reached: true, public_urls: [public_url, public_url] });
		expect(asked).toEqual(['https://all.example/']);
	});

	it('do not count where they have ended', async () => {
		const { asked } = await waited([shown(1, { status: 'failed' }), shown(2)]);
		expect(asked).toEqual(['https://c2.example/']);
	});

	it.each<[string, IDataObject[], Given, string]>([
		['none is listed', [], {}, '0 of 1 containers are listed'],
		['there is no list yet', [], { list: [404, {}] }, '0 of 1 containers are listed'],
		[
			'fewer are listed than there must be',
			[shown(1)],
			{ details: { total_containers: '2' } },
			'1 of 2 containers are listed',
		],
		[
			'fewer are listed than were ordered',
			[shown(1)],
			{ details: { total_containers: 0, container_config: { replica_count: 3 } } },
			'1 of 3 containers are listed',
		],
		[
			'some have no public URL',
			[shown(1), shown(2, { public_url: null }), shown(3, { public_url: 'pending' })],
			{ details: { total_containers: 3 } },
			'2 of 3 containers have no public URL yet',
		],
		[
			'one does not answer well',
			[shown(1), shown(2)],
			{ statuses: [200, 502] },
			'https://c2.example/ answers with 502',
		],
	])('are not reached where %s', async (_, workers, given, missing) => {
		const { item } = await waited(workers, given);
		expect(item).toMatchObject({ reached: false, missing });
		expect(item).not.toHaveProperty('public_url');
	});

	it('are asked again until they answer', async () => {
		const { item, asked } = await waited([shown(1)], {
			statuses: [502, 502, 200],
			changes: { timeout: 60 },
		});
		expect(item).toMatchObject({ reached: true, waited_seconds: 20 });
		expect(asked).toHaveLength(3);
	});

	it('are not asked where it is enough that they run', async () => {
		const { item, asked } = await waited([], { changes: { waitUntil: 'running' } });
		expect(item.reached).toBe(true);
		expect(asked).toEqual([]);
	});
});

describe('the path of a health check', () => {
	const settingsOf = (healthPath: string, waitUntil = 'reachable') =>
		(inputOf(waitFor, form(healthPath, { waitUntil })) as { settings: unknown }).settings;

	it.each([
		['/', '/'],
		['//health', '/health'],
		['v1/health', '/v1/health'],
		['/a.b?x=%20&y=1', '/a.b?x=%20&y=1'],
		['/..a/.b/c..', '/..a/.b/c..'],
	])('may be %s', (given, path) => {
		expect(settingsOf(given)).toEqual({ path });
	});

	it.each(['/a b', '/a#b', '/..', '/a/../b', '/.', '/a/./b', '/..?x', '/ü', '/a\\b'])(
		'cannot be %s',
		(path) => {
			expect(message(() => settingsOf(path))).toBe(
				`Health Path must be a path such as /health, without white space and other characters that no URL has, got "${path}"`,
			);
		},
	);

	it('does not matter where nothing is asked', () => {
		expect(settingsOf('/a b', 'running')).toEqual({ path: '/' });
	});
});
