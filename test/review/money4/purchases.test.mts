import { describe, expect, it } from 'vitest';
import {
	CONTINUE,
	LIMIT,
	RETRY,
	locator,
	deployment,
	deployParameters,
} from '../../engine/nodes.mts';
import type { Said } from './service.mts';
import {
	by,
	chain,
	deploy,
	deployContainer,
	destroy,
	extend,
	openService,
	told,
	twoAccounts,
} from './harness.mts';

const cheapest = (changes = {}, settings = by('one')) => {
	const { hardwareId: _h, placement: _p, locationId: _l, ...common } = deployParameters();
	return deployment(
		'deployCheapest',
		{ ...common, filters: {}, maxTries: 3, ...changes },
		settings,
	);
};

const isDeploy = ({ method, path }: { method: string; path: string }) =>
	method === 'POST' && path === '/deploy';

/** Every answer that may follow a deploy that was done. */
const AFTER_DONE: Array<[string, Said]> = [
	['cut', { cut: true }],
	['500', { status: 500, text: '' }],
	['502 HTML', { status: 502, text: '<html>bad gateway</html>', type: 'text/html' }],
	['503 with Retry-After', { status: 503, text: '', headers: { 'retry-after': '5' } }],
	['504', { status: 504, json: { detail: 'timeout' } }],
	['408', { status: 408, text: '' }],
	['303', { status: 303, text: '', headers: { location: '/x' } }],
	['200 HTML', { status: 200, text: '<html>login</html>', type: 'text/html' }],
	['200 empty', { status: 200, text: '' }],
	['202 empty', { status: 202, text: '' }],
	['200 null', { status: 200, json: null }],
	['200 []', { status: 200, json: [] }],
	['200 success false', { status: 200, json: { success: false } }],
	['200 error', { status: 200, json: { error: { message: 'oops' } } }],
	['409 exists', { status: 409, json: { detail: 'a deployment with this name exists' } }],
	['409 empty', { status: 409, text: '' }],
	[
		'422 duplicate',
		{ status: 422, json: { detail: [{ loc: ['body'], msg: 'duplicate', type: 'x' }] } },
	],
	['404 text', { status: 404, text: 'Not found' }],
	['404 HTML', { status: 404, text: '<html>404</html>', type: 'text/html' }],
	[
		'404 path',
		{ status: 404, json: { message: 'no route /enterprise/v1/svc-cloud/vmaas/deploy' } },
	],
	['request id', { status: 200, json: { request_id: 'r-1', data: {} } }],
	['an older ID', { status: 200, json: { deployment_id: 'd-1' } }],
	['pending text', { status: 200, text: 'OK' }],
];

describe.each([
	['deploy', deploy],
	['container deploy', deployContainer],
	['deploy cheapest', cheapest],
])('%s that was done', (label, make) => {
	it.each(AFTER_DONE)('and answered by %s with Retry On Fail is one', async (_, said) => {
		const service = await openService({ behindMs: 20_000 });
		service.add({ name: 'older', product: label === 'container deploy' ? 'caas' : 'vmaas' });
		service.change = (call, answer) => (isDeploy(call) ? { ...said } : answer);
		const run = await chain(await twoAccounts(service), service, [make({}, by('one', RETRY))]);
		const { of, error } = told(run);
		const bought = service.machines.length - 1;
		const shown = JSON.stringify(of('N1')) + error;
		expect(bought).toBe(1);
		if (bought > 0 && of('N1').length > 0) expect(shown).toContain('d-2');
		if (error !== undefined) expect(error).toMatch(/job|web|unknown/);
	});
});

describe('price limits', () => {
	it.each([['the price rises while the list is read', 3]])('%s', async (_, factor) => {
		const service = await openService();
		service.change = ({ path }, said) => {
			if (path === '/deployments') service.pricePerHour = factor;
			return said;
		};
		const run = await chain(await twoAccounts(service), service, [
			deploy({ safety: { maxHourlyPrice: 2 } }),
		]);
		expect(told(run).error).toContain('above the Maximum Hourly Price');
		expect(service.machines).toHaveLength(0);
	});

	it.each(['total_cost_usdc', 'replica_count'])(
		'a price answer whose %s is a text',
		async (key) => {
			const service = await openService();
			service.change = ({ path }, said) => {
				if (path !== '/price') return said;
				const { data } = said.json as { data: Record<string, unknown> };
				return { json: { data: { ...data, [key]: String(data[key]) } } };
			};
			const run = await chain(await twoAccounts(service), service, [
				deploy({ safety: { maxHourlyPrice: 2 } }),
			]);
			expect(told(run).error).toBeUndefined();
		},
	);

	it.each([
		['two nodes', false],
		['several items', true],
	])('Maximum Running Cost counts both, by %s', async (_, isItems) => {
		const service = await openService({ behindMs: 60_000 });
		const safety = { maxRunningCost: 1.5, uniqueName: true };
		const run = await chain(
			await twoAccounts(service),
			service,
			isItems ? [deploy({ safety })] : [deploy({ safety }), deploy({ safety })],
			{ items: isItems ? [{ json: {} }, { json: {} }] : [{ json: {} }] },
		);
		expect(told(run).error).toContain('Maximum Running Cost');
		expect(service.machines).toHaveLength(1);
	});
});

describe('extensions', () => {
	const AFTER_EXTENDED = AFTER_DONE.filter(([what]) => !/exists|duplicate|older/.test(what));
	it.each(AFTER_EXTENDED)(
		'done and answered by %s with Retry On Fail add once',
		async (_, said) => {
			const service = await openService();
			const one = service.add();
			service.change = ({ method }, answer) => (method === 'POST' ? { ...said } : answer);
			const run = await chain(await twoAccounts(service), service, [
				extend('d-1', 2, {}, by('one', RETRY)),
			]);
			const { of, error } = told(run);
			expect(one.hours).toBe(7);
			if (error === undefined) expect([2, null]).toContain(of('N1')[0]?.added_hours);
		},
	);

	it.each(AFTER_EXTENDED)('not done and answered by %s claim nothing', async (_, said) => {
		const service = await openService();
		const one = service.add();
		service.before = ({ method }) => (method === 'POST' ? { ...said } : undefined);
		const run = await chain(await twoAccounts(service), service, [
			extend('d-1', 2, {}, by('one', CONTINUE)),
		]);
		expect(one.hours).toBe(5);
		expect(told(run).of('N1')[0]?.added_hours ?? null).toBe(null);
	});
});

describe('an agent', () => {
	it('that repeats a deploy gets the same deployment', async () => {
		const service = await openService({ behindMs: 60_000 });
		const engine = await twoAccounts(service);
		service.change = (call, said) => (isDeploy(call) ? { cut: true } : said);
		const tool = engine.tool(deploy({ safety: LIMIT }));
		const answers: string[] = [];
		for (let call = 0; call < 3; call++)
			answers.push(await service.clock.during(tool({}).catch((error: Error) => error.message)));
		expect(service.machines).toHaveLength(1);
	});

	it('that calls at once twice', async () => {
		const service = await openService({ behindMs: 60_000 });
		const engine = await twoAccounts(service);
		const tool = engine.tool(deploy({ safety: LIMIT }));
		await service.clock.during(
			Promise.all([0, 1].map(async () => await tool({}).catch((error: Error) => error.message))),
		);
		expect(service.machines).toHaveLength(1);
	});

	it('destroys one and is told so', async () => {
		const service = await openService();
		service.add();
		const engine = await twoAccounts(service);
		const tool = engine.tool(destroy('d-1'));
		expect(await service.clock.during(tool({}))).toContain('"deleted":true');
	});
});

describe('Wait For', () => {
	const waitFor = (id: string, more = {}) =>
		deployment(
			'waitFor',
			{
				deploymentId: locator(id),
				waitUntil: 'running',
				pollInterval: 10,
				timeout: 300,
				onTimeout: 'error',
				...more,
			},
			by('one'),
		);

	it('of a young one that shows after a minute', async () => {
		const service = await openService({ behindMs: 60_000 });
		const run = await chain(await twoAccounts(service), service, [
			deploy(),
			waitFor('={{ $json.deployment_id }}'),
		]);
		expect(told(run).error).toBeUndefined();
	});

	it('ended, of one that is hidden for some seconds', async () => {
		const service = await openService();
		const one = service.add();
		service.add({ name: 'other' });
		const now = service.clock.now();
		Object.assign(one, { hiddenFrom: now + 20_000, hiddenUntil: now + 50_000 });
		const run = await chain(await twoAccounts(service), service, [
			waitFor('d-1', { waitUntil: 'final', timeout: 120, onTimeout: 'output' }),
		]);
		expect(JSON.stringify(told(run).of('N1'))).not.toMatch(/"reached":true/);
	});
});
