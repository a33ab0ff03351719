import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { answersOf, runAsTool } from '../engine/agent.mts';
import type { NodeUnderTest } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, explorer, LIMIT, rag, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { hostileValue } from '../property/hostile/values.mts';
import { devices } from '../sandbox/index.mts';

/** Fewer fields of a large answer: Simplify on the canvas, Output in a tool of an AI agent. */
const fixture = useFixture();

/** The node as n8n offers it to agents: with the fields that are for tools. */
const tool = (node: NodeUnderTest): NodeUnderTest => ({ ...node, type: `${node.type}Tool` });
const ask = async (node: NodeUnderTest): Promise<IDataObject[]> =>
	JSON.parse(await fixture.engine.tool(node)({})) as IDataObject[];

const offers = (parameters: IDataObject = {}) =>
	vmaas('hardware', 'getAll', { limit: 3, ...parameters });
const OFFER = [
	'deploy_id',
	'name',
	'price',
	'num_cards',
	'vram_per_card',
	'location',
	'sold_out',
	'vcpu',
	'memory',
	'storage',
];
const picked = (item: IDataObject, names: string[]) =>
	Object.fromEntries(names.filter((name) => name in item).map((name) => [name, item[name]]));

let deploymentId: string;
beforeEach(async () => {
	const deployed = onlyJson(await fixture.run(deployment('deploy', deployParameters())));
	deploymentId = String(deployed.deployment_id);
	fixture.sandbox.clock.advance(60_000);
	fixture.sandbox.requests.length = 0;
});

describe('on the canvas', () => {
	it('all fields come where nobody has turned it on', async () => {
		const [offer = {}] = jsonOf(await fixture.run(offers()));
		expect(offer).toHaveProperty('supplier');
		expect(Object.keys(offer).length).toBeGreaterThan(10);
		expect(jsonOf(await fixture.run(offers({ simplify: false })))[0]).toEqual(offer);
	});

	it('what is for agents has no effect', async () => {
		const [offer] = jsonOf(await fixture.run(offers()));
		const saved = { output: 'fields', fields: ['name'] };
		expect(jsonOf(await fixture.run(offers(saved)))[0]).toEqual(offer);
	});

	it('simplified: ten fields at most, in their order, with the values of before', async () => {
		const raw = jsonOf(await fixture.run(offers()));
		const simplified = jsonOf(await fixture.run(offers({ simplify: true })));
		expect(simplified).toEqual(raw.map((offer) => picked(offer, OFFER)));
		expect(Object.keys(simplified[0] ?? {})).toEqual(OFFER);
	});

	it('a deployment keeps its ID, name, state and what was paid', async () => {
		expect(
			onlyJson(await fixture.run(deployment('get', { deploymentId, simplify: true }))),
		).toMatchObject({
			deployment_id: deploymentId,
			status: expect.any(String),
			expires_at: expect.any(String),
			amount_paid: expect.any(Number),
		});
	});

	it('an expression turns it on for one item and not for another', async () => {
		const run = await fixture.run(offers({ limit: 1, simplify: '={{ $json.few }}' }), [
			{ few: true },
			{ few: 'false' },
		]);
		expect(jsonOf(run).map((offer) => 'supplier' in offer)).toEqual([false, true]);
	});

	it('a value that is no switch is an error before anything is sent', async () => {
		const error = errorOf(await fixture.run(offers({ simplify: '={{ "few" }}' })));
		expect(error.message).toBe('Simplify must be true or false, got "few"');
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it.each([
		['jobs', ['device_id', 'status', 'start_time_iso']],
		['downtime', ['device_id', 'date', 'downtime']],
	])('Output = %s of a device keeps its own fields', async (output, names) => {
		const deviceId = devices[0]?.device_id;
		const items = jsonOf(await fixture.run(explorer('get', { deviceId, output, simplify: true })));
		expect(items.length).toBeGreaterThan(0);
		for (const item of items) {
			expect(Object.keys(item)).toEqual(expect.arrayContaining(names));
			expect(Object.keys(item).length).toBeLessThanOrEqual(10);
		}
	});

	it.each(['none', 'day', 'deployment'])('so do sums by %s', async (groupBy) => {
		const spending = deployment('getSpending', { groupBy, simplify: true });
		const raw = onlyJson(await fixture.run(deployment('getSpending', { groupBy })));
		const item = onlyJson(await fixture.run(spending));
		expect(Object.keys(item).length).toBeLessThanOrEqual(10);
		const left = Object.keys(raw).filter((name) => !(name in item));
		expect(left).toEqual(groupBy === 'deployment' ? ['product'] : ['product', 'unread', 'undated']);
	});

	it('sums that are not complete still say so', async () => {
		await fixture.run(deployment('deploy', deployParameters({ resourcePrivateName: 'second' })));
		fixture.sandbox.faults.add({
			match: { path: new RegExp(`/deployment/${deploymentId}$`) },
			status: 403,
			times: Infinity,
		});
		const run = await fixture.run(deployment('getSpending', { groupBy: 'none', simplify: true }));
		expect(onlyJson(run)).toMatchObject({
			deployments: 2,
			unknown_paid: 1,
			is_complete: false,
			hint: expect.any(String),
		});
	});

	it('a deployment whose age is not known keeps its warning, and no ID', async () => {
		fixture.sandbox.faults.add({
			match: { path: /vmaas\/deployments$/ },
			status: 200,
			body: { data: { deployments: [{ id: 'old', name: 'job', status: 'running' }], total: 1 } },
			times: Infinity,
		});
		fixture.sandbox.faults.add({
			match: { path: /vmaas\/deployment\/old$/ },
			status: 404,
			times: Infinity,
		});
		const filters = { olderThanHours: 1 };
		const node = deployment('getAll', { filters, simplify: true });
		expect(onlyJson(await fixture.run(node))).toEqual({
			deployment_id: null,
			resource_private_name: 'job',
			status: 'running',
			age_hours: null,
			hint: expect.stringContaining('The age of deployment old cannot be read'),
		});
	});

	it('an answer with none of the fields stays whole', async () => {
		fixture.sandbox.faults.add({
			match: { path: /documents/ },
			status: 200,
			body: { results: [{ uuid: 'd', label: 'A document' }] },
		});
		const documents = rag('document', 'getAll', { limit: 1, simplify: true });
		expect(jsonOf(await fixture.run(documents))).toMatchObject([{ uuid: 'd' }]);
	});
});

describe('as a tool of an AI agent', () => {
	it('the model gets the simplified fields where nobody has chosen', async () => {
		const raw = jsonOf(await fixture.run(offers()));
		const expected = raw.map((offer) => picked(offer, OFFER));
		expect(await ask(tool(offers()))).toEqual(expected);
		expect(await ask(offers())).toEqual(expected);
		expect(answersOf(await runAsTool(fixture.engine, tool(offers()), [{}]))).toEqual([expected]);
	});

	it('Simplify of the canvas has no effect', async () => {
		expect(Object.keys((await ask(tool(offers({ simplify: false }))))[0] ?? {})).toEqual(OFFER);
	});

	it('Raw: all fields', async () => {
		expect(await ask(tool(offers({ output: 'raw' })))).toEqual(jsonOf(await fixture.run(offers())));
	});

	it.each([
		['a list', ['supplier', 'nvlink']],
		['a text with commas', 'supplier, nvlink'],
	])('Selected Fields: %s, and the ID', async (_, fields) => {
		const selected = await ask(tool(offers({ output: 'fields', fields })));
		expect(Object.keys(selected[0] ?? {})).toEqual(['deploy_id', 'supplier', 'nvlink']);
	});

	it('Selected Fields without a field: what says which one it is, and its state', async () => {
		const parameters = { deploymentId, output: 'fields', fields: [] };
		const [got = {}] = await ask(tool(deployment('get', parameters)));
		expect(got).toMatchObject({ deployment_id: deploymentId, status: expect.any(String) });
		expect(Object.keys(got).length).toBeLessThanOrEqual(3);
	});

	it('a field that the operation does not put out is an error before anything is sent', async () => {
		const asked = ask(tool(offers({ output: 'fields', fields: ['name', 'cost'] })));
		await expect(asked).rejects.toThrow(
			/^Fields must be some of id, deploy_id, name, .*, got "cost"/,
		);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it.each([{}, [{ a: 1 }], 5, '__proto__', ['constructor'], null, true, [[]], [null]])(
		'Fields = %j is an error that names it, and nothing is sent',
		async (value) => {
			const node = offers({ output: 'fields', fields: '={{ $json.value }}' });
			const asked = fixture.engine.tool(tool(node))({ value } as IDataObject);
			await expect(asked).rejects.toThrow(/^Fields must be/);
			expect(fixture.sandbox.requests).toEqual([]);
		},
	);

	it('hostile values are an error that names the field, or select fields', async () => {
		const call = async (parameters: IDataObject, value: unknown): Promise<string> => {
			fixture.sandbox.requests.length = 0;
			const answered = fixture.engine.tool(tool(offers(parameters)))({ value } as IDataObject);
			return await answered.catch((error: Error) => {
				expect(fixture.sandbox.requests).toEqual([]);
				return error.message;
			});
		};
		await fc.assert(
			fc.asyncProperty(hostileValue, async (value) => {
				const fields = '={{ $json.value }}';
				expect(await call({ output: 'fields', fields }, value)).toMatch(/^Fields |^\[/);
				expect(await call({ output: '={{ $json.value }}' }, value)).toMatch(/^Output |^\[/);
			}),
			{ numRuns: 30, seed: 1, endOnFailure: true },
		);
	});

	it('an unknown mode is an error that names the field', async () => {
		await expect(ask(tool(offers({ output: '={{ "few" }}' })))).rejects.toThrow(
			'Output must be one of simple, raw, fields, got "few"',
		);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('Get of a device has both choices, each with a name of its own', async () => {
		const deviceId = devices[0]?.device_id;
		const get = (parameters: IDataObject) =>
			tool(explorer('get', { deviceId, output: 'jobs', ...parameters }));
		expect(Object.keys((await ask(get({})))[0] ?? {})).not.toContain('total_hire_rate');
		const [job] = await ask(get({ outputFields: 'raw' }));
		expect(job).toHaveProperty('total_hire_rate');
		const [selected = {}] = await ask(get({ outputFields: 'fields', fields: ['earned'] }));
		expect(Object.keys(selected)).toEqual(['device_id', 'earned']);
	});

	it('what buys, extends or ends a deployment is whole', async () => {
		const parameters = deployParameters({ resourcePrivateName: 'agent', safety: LIMIT });
		const [deployed = {}] = await ask(tool(deployment('deploy', parameters)));
		expect(deployed).toMatchObject({
			deployment_id: expect.any(String),
			total_price: expect.any(Number),
			duration_hours: expect.any(Number),
		});
		const [destroyed] = await ask(tool(deployment('destroy', { deploymentId })));
		expect(destroyed).toMatchObject({ deleted: true, verified: true, status: expect.any(String) });
	});
});

it('an error tells all that was done, whichever fields are put out', async () => {
	const create = rag('collection', 'create', { name: '={{ $json.name }}', simplify: true });
	const collections = { method: 'POST', path: /collections$/ };
	fixture.sandbox.faults.add({ match: collections, status: 422, skip: 1 });
	const run = await fixture.run(create, [{ name: 'first' }, { name: 'second' }]);
	const [done] = errorOf(run).context.done as Array<{ json: IDataObject }>;
	expect(done?.json).toMatchObject({ name: 'first', owner_id: expect.any(String) });
	const [created = {}] = jsonOf(await fixture.run(create, [{ name: 'third' }]));
	expect(created).toHaveProperty('id');
	expect(created).not.toHaveProperty('owner_id');
});
