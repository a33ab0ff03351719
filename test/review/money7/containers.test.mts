import { describe, expect, it } from 'vitest';
import { caas, CONTINUE, locator, RETRY } from '../../engine/nodes.mts';
import { MINUTE, SECOND, type Call, type Said, type Service } from './service.mts';
import { deploy, destroy, destroyMany, extend, KEY, stage, update } from './stage.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';

/** The answers to a deploy that was done. */
const ANSWERS: Array<[string, Said]> = [
	['lost', { isLost: true }],
	['a 504', { status: 504, body: '<html>Gateway timeout</html>' }],
	['empty', { status: 202, body: '' }],
	['late', { lateMs: 5 * MINUTE, body: { status: 'ok' } }],
];

describe.each(ANSWERS)('a deploy of containers whose answer is %s', (_answer, said) => {
	it.each([0, 45 * SECOND, 100 * SECOND, 10 * MINUTE])(
		'is sent once and told, where it shows after %i ms',
		async (lagMs) => {
			const { service, run } = await stage({ lagMs });
			service.add('other');
			service.after = (call, own) => (isDeploy(call) ? said : own);
			const { items, all } = await run(deploy({ replicaCount: 3 }, RETRY));
			expect(service.sent('POST')).toHaveLength(1);
			const [own] = service.own;
			expect(all).not.toContain(KEY);
			if (lagMs <= 100 * SECOND) expect(items).toMatchObject([{ deployment_id: own?.id }]);
			else expect(all).toContain('web');
		},
	);

	it('is not one of a colleague with fewer replicas, where nothing was made', async () => {
		const { service, run } = await stage();
		service.before = (call) => {
			if (!isDeploy(call)) return undefined;
			service.add('web', { madeAt: service.clock.now() });
			return said;
		};
		const { items, all } = await run(deploy({ replicaCount: 3 }, RETRY));
		expect(service.sent('POST')).toHaveLength(1);
		expect(items.map((item) => item.deployment_id)).not.toContain(service.all[0]?.id);
		expect(all).toContain(service.all[0]?.id);
	});
});

describe.each(['first', 'last'] as const)(
	'two that a proxy has made, the %s is answered',
	(named) => {
		it.each([
			['at once', 0, false],
			['at once, newest first', 0, true],
			['in the list alone', MINUTE, false],
			['in the list alone, newest first', MINUTE, true],
		])('are both told where they show %s', async (_world, detailsMs, isNewestFirst) => {
			const { service, run } = await stage({ copies: 2, named });
			service.add('other');
			const { list } = service;
			service.list = (entries, call) => list(isNewestFirst ? entries.toReversed() : entries, call);
			service.details = ({ madeAt }, shown) =>
				service.clock.now() >= madeAt + detailsMs ? shown : undefined;
			const { all } = await run(deploy());
			expect(service.sent('POST')).toHaveLength(1);
			for (const { id } of service.own) expect(all).toContain(id);
		});
	},
);

it('two under one name: by name none is ended and both are told, by Destroy Many both end', async () => {
	const { service, run } = await stage();
	for (const status of [undefined, undefined, 'destroyed']) service.add('web', { status });
	const by = await run(destroy('web', 'name'));
	expect(service.sent('DELETE')).toEqual([]);
	for (const { id } of service.billing) expect(by.all).toContain(id);
	const many = await run(destroyMany('web'));
	expect(many.items).toMatchObject(Array(2).fill({ deleted: true, verified: true }));
	expect(service.billing).toEqual([]);
});

it.each(['extend', 'get', 'update', 'waitFor'])(
	'two under one name: %s by name does nothing, and tells both',
	async (operation) => {
		const { service, run } = await stage();
		for (const status of [undefined, 'termination requested', 'failed'])
			service.add('web', { status });
		service.add('web');
		const { error } = await run(
			caas('deployment', operation, {
				deploymentId: locator('web', 'name'),
				durationHours: 1,
				safety: {},
				updateFields: { trafficPort: 9090 },
				waitUntil: 'running',
				healthPath: '/',
				pollInterval: 5,
				timeout: 60,
				onTimeout: 'error',
			}),
		);
		for (const one of [service.all[0], service.all.at(-1)]) expect(error).toContain(one?.id);
		expect(service.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
	},
);

it.each([0, 20, 60, 100])(
	'one of another process that shows after %i s is ended by name, not an older one that has ended',
	async (seconds) => {
		const { service, run } = await stage();
		service.add('web', { status: 'destroyed' });
		service.add('other');
		const young = service.add('web', { madeAt: service.clock.now() });
		const isShown = () => service.clock.now() >= young.madeAt + seconds * SECOND;
		const { list } = service;
		service.list = (entries, call) =>
			list(
				entries.filter(({ id }) => id !== young.id || isShown()),
				call,
			);
		service.details = (one, shown) => (one !== young || isShown() ? shown : undefined);
		const { items } = await run(destroy('web', 'name'));
		expect(items).toMatchObject([{ deleted: true, deployment_id: young.id, verified: true }]);
		expect(service.statusOf(young)).toBe('destroyed');
	},
);

const lose =
	(isDone: boolean, times: number) =>
	(service: Service): void => {
		let left = times;
		const isLost = ({ method }: Call) => method === 'DELETE' && left-- > 0;
		if (isDone) service.after = (call, said) => (isLost(call) ? { isLost: true } : said);
		else service.before = (call) => (isLost(call) ? { isLost: true } : undefined);
	};

/** What becomes of the end of one. */
const ENDS: Array<[world: string, change: (service: Service) => void]> = [
	['done, and its answer lost', lose(true, 1)],
	['done, and each answer lost', lose(true, 99)],
	['lost on its way, twice', lose(false, 2)],
	['lost on its way, each time', lose(false, 99)],
];

describe.each(ENDS)('an end that is %s', (_world, change) => {
	it.each([
		['shows', false, 409],
		['does not show', true, 404],
	])('is told as it is, where what has ended %s', async (_shows, isHidden, again) => {
		const { service, run } = await stage();
		const one = service.add('web');
		service.add('other');
		change(service);
		const { before, list } = service;
		const hasEnded = () => service.statusOf(one) === 'destroyed';
		service.before = (call) => {
			const isAgain = call.method === 'DELETE' && one.endsAt !== undefined;
			return before(call) ?? (isAgain ? { status: again, body: { detail: 'not now' } } : undefined);
		};
		service.details = (which, shown) =>
			isHidden && which === one && hasEnded() ? undefined : shown;
		service.list = (entries, call) =>
			list(
				entries.filter(({ id }) => !isHidden || id !== one.id || !hasEnded()),
				call,
			);
		const { items, error, all } = await run(destroy(one.id));
		expect(all).toContain(one.id);
		if (service.billing.includes(one)) expect(error).not.toBe('');
		else expect(items).toMatchObject([{ deleted: true, verified: true }]);
	});
});

it.each([404, 409, 410])(
	'what ran when the node came was not gone already, where a second request is answered by %i',
	async (status) => {
		const { service, run } = await stage();
		const one = service.add('web');
		lose(true, 1)(service);
		service.before = ({ method }) =>
			method === 'DELETE' && one.endsAt !== undefined
				? { status, body: { detail: 'gone' } }
				: undefined;
		const { items } = await run(destroy(one.id));
		expect(service.sent('DELETE').length).toBeGreaterThan(1);
		expect(items).toMatchObject([{ deleted: true, verified: true, already_gone: false }]);
	},
);

it('of several, one that is refused does not keep the others, and is told', async () => {
	const { service, run } = await stage();
	const [first, refused, last] = ['web-1', 'web-2', 'web-3'].map((name) => service.add(name));
	service.before = ({ method, path }) =>
		method === 'DELETE' && path.endsWith(String(refused?.id))
			? { status: 423, body: { detail: 'locked' } }
			: undefined;
	const { items } = await run(destroyMany('web-', 'prefix', CONTINUE));
	expect(service.billing).toEqual([refused]);
	expect(items).toMatchObject([
		{ details: { deployment_id: refused?.id } },
		{ deployment_id: first?.id, deleted: true },
		{ deployment_id: last?.id, deleted: true },
	]);
});

const isUpdate = ({ method }: Call) => method === 'PATCH';
const FIELDS = { imageUrl: 'registry.example/web:2', trafficPort: 9090 };

describe('an update', () => {
	/** `made`: after how many milliseconds it shows; undefined where it is never made. */
	it.each<[string, Said, number | undefined, unknown]>([
		['is refused', { status: 422, body: { detail: 'no' } }, undefined, 'error'],
		['is lost and made', { isLost: true }, 0, true],
		['is lost and made late', { isLost: true }, MINUTE, true],
		['is lost and never made', { isLost: true }, undefined, 'error'],
		['is a 502 and made', { status: 502, body: '' }, 0, true],
		['is taken and made', { body: { status: 'ok' } }, 0, true],
		['is taken, and the former settings stay', { body: { status: 'ok' } }, undefined, null],
		['is taken without a word, and never made', { status: 204, body: '' }, undefined, null],
	])('that %s is told so, and sent once', async (_world, said, madeMs, told) => {
		const { service, run } = await stage();
		const one = service.add('web');
		let from = Infinity;
		service.update = (which) => {
			which.updates++;
			from = madeMs === undefined ? Infinity : service.clock.now() + madeMs;
		};
		const asked = { image_url: FIELDS.imageUrl, traffic_port: FIELDS.trafficPort };
		service.details = (_, shown) =>
			service.clock.now() >= from ? { ...shown, container_config: asked } : shown;
		service.after = (call, own) => (isUpdate(call) ? said : own);
		const { items, error, all } = await run(update(one.id, FIELDS));
		expect(service.sent('PATCH')).toHaveLength(1);
		expect(all).toContain(one.id);
		if (told === 'error') expect(error).not.toBe('');
		else expect(items).toMatchObject([{ updated: told }]);
	});

	it('of secrets alone, whose answer is lost, is unknown', async () => {
		const { service, run } = await stage();
		const one = service.add('web');
		service.after = (call, own) => (isUpdate(call) ? { isLost: true } : own);
		const secretEnvironment = { variables: [{ name: 'TOKEN', value: 'hunter2hunter2' }] };
		const { error, all } = await run(update(one.id, { secretEnvironment }));
		expect(error).toContain('outcome unknown');
		expect(all).not.toContain('hunter2');
		expect(one.updates).toBe(1);
	});
});

describe('an extension', () => {
	it.each<[string, boolean, Said]>([
		['made and lost', true, { isLost: true }],
		['not made and lost', false, { isLost: true }],
		['made, with a 504', true, { status: 504, body: '' }],
		['taken and not made', false, { body: { status: 'ok' } }],
		['refused', false, { status: 402, body: { detail: 'no money' } }],
	])(
		'that is %s is sent once, and no hours are said that are not there',
		async (_w, isMade, said) => {
			const { service, run } = await stage();
			const one = service.add('web', { replicas: 2 });
			const isExtend = ({ path }: Call) => path.endsWith('/extend');
			if (isMade) service.after = (call, own) => (isExtend(call) ? said : own);
			else service.before = (call) => (isExtend(call) ? said : undefined);
			const { items, all } = await run(extend(one.id, 2, RETRY));
			// Only a clear refusal may be tried again
			if (said.status !== 402) expect(service.sent('POST')).toHaveLength(1);
			expect(all).toContain(one.id);
			expect(one.hours).toBe(isMade ? 6 : 4);
			if (isMade) expect(items).toMatchObject([{ added_hours: 2 }]);
			else expect(items[0]?.added_hours ?? null).toBeNull();
		},
	);
});
