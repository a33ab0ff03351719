import { describe, expect, it } from 'vitest';
import { at, Client, cloud, listAt, violations, type Answer } from '../sandbox/testing/client.mts';
import { sampleContainerDeploy, sampleDeploy } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

/** The life of the containers of CaaS: states, bill, public URLs, events and logs. */
const [sandbox, caas] = await useSandbox((service) => cloud(service, 'caas'));

const STARTUP_MS = 30_000;
const WARM_UP_MS = 5_000;
const HOUR = 3_600_000;
const SECRET = 'hf_sEcReT_4711';

const body = {
	...sampleContainerDeploy,
	container_config: {
		replica_count: 2,
		traffic_port: 8080,
		env_variables: { MODE: 'fast' },
		secret_env_variables: { HF_TOKEN: SECRET },
	},
	registry_config: { image_url: 'web:1', registry_username: 'me', registry_secret: SECRET },
};

async function deployed(changes: object = {}): Promise<string> {
	return String(at((await caas.post('/deploy', { ...body, ...changes })).json, 'deployment_id'));
}

const patch = async (id: string, changes: object) =>
	await caas.call(`/deployment/${id}`, { method: 'PATCH', body: changes });

const details = async (id: string) => at((await caas.get(`/deployment/${id}`)).json, 'data');

async function containersOf(id: string): Promise<unknown[]> {
	return listAt((await caas.get(`/deployment/${id}/containers`)).json, 'data', 'workers');
}

/** Without a key: whoever knows the URL may use it. */
async function open(url: unknown, path = '', chat?: object): Promise<Answer> {
	const client = new Client(String(url));
	try {
		return await (chat ? client.post(path, chat) : client.get(path));
	} finally {
		await client.close();
	}
}

function linesOf(id: string): string[][] {
	sandbox.books.find(id);
	return sandbox.logs.of(id).map(({ entries }) => entries.stdout);
}

describe('the bill', () => {
	it('has the extension, and the time after the first hour back', async () => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP_MS);
		const extended = await caas.post(`/deployment/${id}/extend`, { duration_hours: 2 });
		expect(extended.json).toMatchObject({ data: { amount_paid: 95.2 } });
		sandbox.clock.advance(1.5 * HOUR);
		await caas.delete(`/deployment/${id}`);
		expect(sandbox.books.totals()).toEqual({ charged: 95.2, refunded: 66.64 });
		expect(await details(id)).toMatchObject({ amount_paid: 28.56 });
	});

	it('is of no more than there is', async () => {
		await deployed();
		await deployed();
		expect(
			(await caas.get('/available-replicas?hardware_id=12&hardware_qty=8')).json,
		).toMatchObject({ data: [{ id: 1 }, { id: 2, available_replicas: 0 }, { id: 5 }] });
		const refused = await caas.post('/deploy', body);
		expect([refused.status, refused.json]).toEqual([
			409,
			{ detail: 'Not enough capacity: hardware 12 is sold out in 2' },
		]);
		expect(sandbox.books.deployments).toHaveLength(2);
	});
});

describe('a public URL', () => {
	it('answers some seconds after its container runs, and no longer than that', async () => {
		const id = await deployed();
		expect(await containersOf(id)).toMatchObject([{ public_url: null }, { public_url: null }]);
		sandbox.clock.advance(STARTUP_MS);
		const url = at((await containersOf(id))[1], 'public_url');
		expect((await open(url)).status).toBe(503);
		sandbox.clock.advance(WARM_UP_MS);
		const what = { image: 'web:1', environment: ['HF_TOKEN', 'MODE'], replica: 1 };
		expect((await open(url)).json).toEqual(what);
		expect((await open(url, '/health?deep=1')).json).toEqual(what);
		await patch(id, { image_url: 'web:2' });
		expect((await open(url)).status).toBe(503);
		sandbox.clock.advance(WARM_UP_MS);
		expect((await open(url)).json).toEqual({ ...what, image: 'web:2' });
		await caas.delete(`/deployment/${id}`);
		expect(await containersOf(id)).toMatchObject([{ public_url: null }, { public_url: null }]);
		expect((await open(url)).status).toBe(404);
	});

	it('plays an inference endpoint', async () => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP_MS + WARM_UP_MS);
		const url = at((await containersOf(id))[0], 'public_url');
		const messages = [{ role: 'user', content: 'Hello' }];
		expect((await open(url, '/v1/chat/completions', { model: 'm', messages })).json).toMatchObject({
			object: 'chat.completion',
			model: 'm',
			choices: [{ message: { role: 'assistant', content: expect.any(String) } }],
		});
		expect(violations(await open(url, '/v1/chat/completions', {}))).toEqual([
			'body.messages: missing',
		]);
		expect(linesOf(id)[0]).toContain('POST /v1/chat/completions 200');
	});
});

describe('events and logs', () => {
	it('tell the start, an update and the end, and are those of the deployment alone', async () => {
		const [id, other] = [await deployed(), await deployed()];
		expect(linesOf(id)).toEqual([[], []]);
		sandbox.clock.advance(STARTUP_MS);
		await patch(id, { image_url: 'web:2', traffic_port: 9090 });
		sandbox.clock.advance(1);
		await caas.delete(`/deployment/${id}`);
		sandbox.clock.advance(STARTUP_MS);
		const events = ['starting web:1', 'listening on port 8080'];
		const lines = [
			...events,
			'updated image_url, traffic_port',
			'starting web:2',
			'listening on port 9090',
			'stopping',
			'ended: destroyed',
		];
		expect(linesOf(id)).toEqual([lines, lines]);
		expect(linesOf(other)).toEqual([events, events]);
		expect(sandbox.logs.of(id).map(({ isFinished }) => isFinished)).toEqual([true, true]);
		expect(listAt((await containersOf(id))[0], 'container_events')).toMatchObject(
			[
				'deployment requested',
				'running',
				'updated image_url, traffic_port',
				'termination requested',
				'destroyed',
			].map((message) => ({ message })),
		);
	});

	it('reach somebody who follows the log before the container runs', async () => {
		const id = await deployed();
		const [container] = await containersOf(id);
		const log = caas.get(`/deployment/${id}/log/${String(at(container, 'container_id'))}`);
		await expect.poll(() => sandbox.logs.of(id)[0]?.connections.size).toBe(1);
		sandbox.clock.advance(STARTUP_MS);
		await expect.poll(() => linesOf(id)[0]).toHaveLength(2);
		sandbox.clock.advance(3 * HOUR);
		expect((await log).text).toContain('data: ended: completed');
	});
});

describe('an update', () => {
	it('replaces what it names, and shows late where the details are late', async () => {
		const id = await deployed();
		sandbox.clock.advance(STARTUP_MS);
		sandbox.adopt({ detailsLagMs: 10_000 });
		await patch(id, { env_variables: { A: '1' }, command: 'serve' });
		expect(await details(id)).toMatchObject({
			container_config: { env_variables: { MODE: 'fast' }, traffic_port: 8080 },
		});
		sandbox.clock.advance(10_000);
		expect(await details(id)).toMatchObject({
			container_config: { env_variables: { A: '1' }, command: 'serve', traffic_port: 8080 },
		});
		expect(sandbox.books.find(id)?.updates).toMatchObject([{ changes: { command: 'serve' } }]);
	});

	it('of what has ended or never was is a 404', async () => {
		const id = await deployed();
		sandbox.clock.advance(4 * HOUR);
		expect((await patch(id, { image_url: 'web:2' })).status).toBe(404);
		expect((await patch('nobody', { image_url: 'web:2' })).status).toBe(404);
	});
});

describe('secrets', () => {
	const wrong = { ...body, location_ids: [4] };

	it('are in no answer', async () => {
		const id = await deployed();
		await patch(id, { secret_env_variables: { HF_TOKEN: `${SECRET}2` } });
		expect(JSON.stringify(await details(id))).not.toContain(SECRET);
		expect((await caas.post('/deploy', wrong)).text).not.toContain(SECRET);
		const refused = await patch(id, { registry_secret: SECRET, colour: 'red' });
		expect([refused.status, refused.text.includes(SECRET)]).toEqual([422, false]);
	});

	it('are in details and refusals where the service has this habit', async () => {
		sandbox.adopt({ echoesSecrets: true });
		const id = await deployed();
		expect(await details(id)).toMatchObject({
			container_config: { secret_env_variables: { HF_TOKEN: SECRET }, registry_secret: SECRET },
		});
		expect((await caas.post('/deploy', wrong)).json).toMatchObject({
			detail: [{ input: wrong, msg: expect.stringContaining(SECRET) }],
		});
		const refused = await patch(id, { registry_secret: SECRET, colour: 'red' });
		expect(refused.json).toMatchObject({ detail: [{ msg: expect.stringContaining(SECRET) }] });
	});
});

describe('ids', () => {
	it.each([true, false])('are those of VMaaS, too: %s', async (idsPerProduct) => {
		sandbox.adopt({ idsPerProduct });
		const vmaas = cloud(sandbox, 'vmaas');
		const vm = String(at((await vmaas.post('/deploy', sampleDeploy)).json, 'deployment_id'));
		const container = await deployed({ duration_hours: 5 });
		expect(vm === container).toBe(idsPerProduct);
		await vmaas.delete(`/deployment/${vm}`);
		expect(sandbox.books.find(vm, 'vmaas')?.state).toBe('termination requested');
		expect(sandbox.books.find(container, 'caas')?.state).toBe('deployment requested');
		await vmaas.close();
	});
});
