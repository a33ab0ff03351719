import type { ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEngine, type Engine } from '../engine/engine.mts';
import { computeTrigger } from '../engine/nodes.mts';
import { PolledTrigger } from '../engine/poll.mts';
import { startServer, type TestServer } from '../engine/server.mts';
import { useHastyTime } from '../engine/time.mts';

/** A service that knows nothing of the sandbox: it answers what a test says, page by page. */
let server: TestServer;
let engine: Engine;
let answer: (url: URL, response: ServerResponse) => unknown;
let asked: string[] = [];
const time = useHastyTime();

beforeAll(async () => {
	server = await startServer(async (request, response) => {
		const url = new URL(request.url ?? '', 'http://service');
		asked.push(url.pathname + url.search);
		const body = answer(url, response);
		if (response.writableEnded) return;
		response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
		response.end(typeof body === 'string' ? body : JSON.stringify(body ?? { detail: 'none' }));
	});
	engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl: server.url, service: 'svc', apiKey: 'key-of-another-service' },
		},
	});
});
beforeEach(() => void (asked = []));
afterAll(async () => {
	time.restore();
	await server.close();
});

const listOf = (deployments: unknown[], more: object = {}) => ({
	data: { deployments, total: deployments.length, ...more },
});
const isList = ({ pathname }: URL) => pathname.endsWith('/deployments');

async function polled(event = 'deploymentStateChanged', parameters: IDataObject = {}) {
	const trigger = new PolledTrigger(engine, computeTrigger(event, parameters));
	await trigger.activate();
	return trigger;
}

describe('a service of its own', () => {
	it.each([
		['no status', { status: undefined }],
		['a status that is no text', { status: { word: 'running' } }],
		['a name that is no text', { name: 7, status: 'running' }],
		['other letters', { status: ' RUNNING ' }],
	])('an entry with %s is no change', async (_, changes) => {
		answer = () => listOf([{ id: 'a', status: 'running' }]);
		const trigger = await polled();
		answer = () => listOf([{ id: 'a', ...changes }]);
		await trigger.poll();
		expect(trigger.items).toEqual([]);
		expect(trigger.errors).toEqual([]);
	});

	it.each([
		['__proto__'],
		['constructor'],
		['hasOwnProperty'],
		[12],
		['a b/../c'],
		['x'.repeat(500)],
	])('the ID %j is told with its states', async (id) => {
		answer = () => listOf([]);
		const trigger = await polled();
		for (const status of ['deployment requested', 'running', 'completed']) {
			answer = () => listOf([{ id, status, name: 'n' }]);
			await trigger.poll();
		}
		expect(trigger.items.map((item) => [item.deployment_id, item.state])).toEqual(
			['starting', 'running', 'ended'].map((state) => [String(id), state]),
		);
	});

	it('pages that move: a list that is never whole ends nothing', async () => {
		const all = Array.from({ length: 150 }, (_, index) => ({
			id: `d-${index}`,
			status: 'running',
		}));
		answer = (url) => {
			const page = Number(url.searchParams.get('page'));
			return listOf(all.slice(page * 100, page * 100 + 100), { total: all.length });
		};
		const trigger = await polled();
		answer = (url) => {
			const page = Number(url.searchParams.get('page'));
			return isList(url)
				? listOf(page === 0 ? all.slice(0, 100) : [], { total: all.length })
				: undefined;
		};
		await trigger.poll();
		expect(trigger.items).toEqual([]);
		expect(trigger.errors).toMatchObject([
			{ message: expect.stringMatching(/list is incomplete/) },
		]);
	});

	it('a list that loses some for a while tells of none of them, and asks for 5 details a poll', async () => {
		const all = Array.from({ length: 40 }, (_, index) => ({ id: `d-${index}`, status: 'running' }));
		answer = () => listOf(all);
		const trigger = await polled();
		answer = (url) => (isList(url) ? listOf(all.slice(30)) : undefined);
		asked = [];
		for (let polls = 0; polls < 4; polls++) await trigger.poll();
		const details = asked.filter((path) => path.includes('/deployment/'));
		expect(details).toHaveLength(20);
		expect(new Set(details).size).toBe(20);
		answer = () => listOf(all);
		await trigger.poll();
		expect(trigger.items).toEqual([]);
	});

	it('details of another deployment are no evidence', async () => {
		answer = () => listOf([{ id: 'a', status: 'running' }]);
		const trigger = await polled();
		answer = (url) => (isList(url) ? listOf([]) : { data: { id: 'b', status: 'destroyed' } });
		await trigger.poll();
		expect(trigger.items).toEqual([]);
	});

	it('what the service calls as the trigger does, does not replace its fields', async () => {
		answer = () => listOf([]);
		const trigger = await polled();
		const own = { event_id: 'mine', event: 'mine', seen_at: 'mine', sample: true, error: 'x' };
		answer = () => listOf([{ id: 'a', status: 'running', product: 'mine', state: 'mine', ...own }]);
		await trigger.poll();
		expect(trigger.items).toMatchObject([{ event: 'deploymentStateChanged', state: 'running' }]);
		expect(trigger.items[0]?.event_id).not.toBe('mine');
		expect(trigger.items[0]?.product).toBe('vmaas');
		expect(trigger.items[0]).not.toHaveProperty('sample');
	});

	it('minutes that jitter are one end', async () => {
		answer = () => listOf([{ id: 'a', status: 'running', compute_minutes_remaining: 90 }]);
		const trigger = await polled('deploymentExpiresSoon', { minutes: 60 });
		for (const left of [59, 60, 58, 59, 57, '56', null, -1]) {
			answer = () => listOf([{ id: 'a', status: 'running', compute_minutes_remaining: left }]);
			await trigger.poll();
		}
		expect(trigger.items).toHaveLength(1);
	});

	it('offers without ID, twice, or without anything', async () => {
		const hardware = (...offers: unknown[]) => ({ data: { hardware: offers } });
		answer = () => hardware({ deploy_id: 1 });
		const trigger = await polled('offerMatches', { maxHourlyPrice: 5 });
		const h100 = { deploy_id: 2, name: 'H100', price: '2.5', location: 'US', num_cards: 1 };
		answer = () => hardware({}, h100, h100, null, 'x', { ...h100, price: 0, location: 'FI' });
		await trigger.poll();
		expect(trigger.items).toMatchObject([{ deploy_id: 2, hourly_price: 2.5 }]);
	});

	it.each([['{"data":{"deployments":'], ['[]'], ['null'], ['<html>login</html>'], ['{"data":{}}']])(
		'the answer %s is shown as a failed poll',
		async (body) => {
			answer = () => listOf([{ id: 'a', status: 'running' }]);
			const trigger = await polled();
			answer = () => body;
			await trigger.poll();
			expect(trigger.items).toEqual([]);
			expect(trigger.errors).toHaveLength(1);
		},
	);

	it('two polls at once tell an event once', async () => {
		answer = () => listOf([]);
		const trigger = await polled();
		answer = () => listOf([{ id: 'a', status: 'running' }]);
		await Promise.all([trigger.poll(), trigger.poll()]);
		expect(trigger.items).toHaveLength(1);
	});

	it('static data that another node has damaged is another base line', async () => {
		answer = () => listOf([{ id: 'a', status: 'running' }]);
		const trigger = await polled();
		for (const value of ['{', 'null', '{"seen":1}', '{"scope":"x","seen":{"vmaas":7}}']) {
			trigger.saved = { 'node:Trigger': { computeTrigger: value } };
			await trigger.restart();
			await trigger.poll();
		}
		expect(trigger.items).toEqual([]);
		expect(trigger.errors).toEqual([]);
	});
});
