import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import {
	MINUTE,
	SECOND,
	type Call,
	type Json,
	type Said,
	type Service,
} from '../money7/service.mts';
import { deploy, destroy, destroyMany, stage, update, type Stage } from '../money7/stage.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';
const isDelete = ({ method }: Call) => method === 'DELETE';
const isUpdate = ({ method }: Call) => method === 'PATCH';
const isGet = ({ method }: Call) => method === 'GET';
const isList = (call: Call) => isGet(call) && call.path === '/deployments';
const BUSY: Said = { status: 503, body: '' };

/** How the answer to a deploy comes that a proxy has sent twice. */
const ANSWERS: Array<[string, Said | undefined]> = [
	['with an ID', undefined],
	['not', { isLost: true }],
	['without an ID', { status: 202, body: '' }],
	['as a 504', { status: 504, body: '' }],
];

const isHiddenFor = (service: Service, id: unknown, ms: number) => {
	const one = service.own.find((own) => own.id === id);
	return one !== undefined && service.clock.now() < one.madeAt + ms;
};

/** One deploy makes two; those of `hidden` show after so long, by their number. */
async function twice(hidden: number[], changes: Partial<Service> = {}): Promise<Stage> {
	const set = await stage({ copies: 2, ...changes });
	const { service } = set;
	const { list, details } = service;
	service.add('other');
	const isHidden = (id: unknown) =>
		hidden.some((ms, index) => service.own[index]?.id === id && isHiddenFor(service, id, ms));
	service.list = (entries, call) =>
		list(
			entries.filter(({ id }) => !isHidden(id)),
			call,
		);
	service.details = (one, shown) => (isHidden(one.id) ? undefined : details(one, shown));
	return set;
}

function expectAllTold({ service }: Stage, all: string): void {
	for (const { id } of service.own) expect(all).toContain(id);
}

describe.each(ANSWERS)('two that one deploy has made, whose answer comes %s', (_answer, said) => {
	const HIDDEN = [
		[0, 0],
		[20 * SECOND, 0],
		[0, 5 * SECOND],
		[0, 20 * SECOND],
	];
	// The look that finds one is the last: what shows after it, nothing can tell
	const hiddenFor = HIDDEN.filter((one) => Math.max(...one) < 10 * SECOND);
	it.each(hiddenFor)('are told (hidden for %i and %i ms)', async (...hidden) => {
		for (const named of ['first', 'last'] as const) {
			const set = await twice(hidden, { named });
			// An answer is later than its work
			set.service.after = (call, own) =>
				isDeploy(call) ? { lateMs: 10 * SECOND, ...own, ...said } : own;
			expectAllTold(set, (await set.run(deploy({}, CONTINUE))).all);
		}
	});

	// Beside one that the answer names, others of a name that was not read before may be older
	it.each(said ? ['uniqueName', 'ifNameExists'] : ['uniqueName'])(
		'are told where the list could not be read before (%s)',
		async (key) => {
			const set = await twice([0, 0]);
			const { service, run } = set;
			service.before = (call) => (isList(call) && service.own.length === 0 ? BUSY : undefined);
			service.after = (call, own) => (isDeploy(call) && said ? said : own);
			const safety = { [key]: key === 'uniqueName' ? true : 'deploy' };
			expectAllTold(set, (await run(deploy({ safety }, CONTINUE))).all);
		},
	);

	it('are told by a retry because of another item', async () => {
		const set = await twice([0, 0]);
		const { service, run } = set;
		service.after = (call, own) => (isDeploy(call) && said ? said : own);
		service.before = (call) =>
			isDeploy(call) && call.nth > 0 ? { status: 402, body: { detail: 'no money' } } : undefined;
		const safety = { ifNameExists: 'deploy' };
		const { all } = await run(deploy({ safety }, { ...RETRY, ...CONTINUE }), [{}, {}]);
		expectAllTold(set, all);
	});
});

it.each(['total_gpus', 'hardware_id'])(
	'one that shows another %s is told beside one that does not show',
	async (key) => {
		const set = await twice([MINUTE, 0], { named: 'first' });
		const { details } = set.service;
		set.service.details = (one, shown) => {
			const own = details(one, shown);
			return own && { ...own, [key]: 8 };
		};
		expectAllTold(set, (await set.run(deploy({}, CONTINUE))).all);
	},
);

/** What is known of a deployment before it is destroyed. */
const BEFORE: Array<[string, (call: Call) => Said | undefined]> = [
	['shows', () => undefined],
	['cannot be read', (call) => (isGet(call) ? BUSY : undefined)],
	['does not show', (call) => (isGet(call) ? { status: 404, body: {} } : undefined)],
];

describe.each(BEFORE)('a deployment that %s before its own request ends it', (_before, before) => {
	it.each([{ isLost: true }, { status: 504, body: '' }])(
		'is not already gone (%o)',
		async (said) => {
			const { service, run } = await stage();
			const [one, other] = [service.add('web'), service.add('web')];
			const seen = new Set<string>();
			service.before = (call) => {
				if (isDelete(call) && seen.has(call.path)) return { status: 404, body: {} };
				return seen.size === 0 ? before(call) : undefined;
			};
			service.after = (call, own) => {
				if (!isDelete(call)) return own;
				seen.add(call.path);
				return said;
			};
			const { items } = await run(destroy(one.id));
			expect(items).toMatchObject([{ deleted: true, deployment_id: one.id, already_gone: false }]);
			const many = await run(destroyMany('web'));
			expect(many.items).toMatchObject([{ deployment_id: other.id, already_gone: false }]);
			expect(service.billing).toEqual([]);
		},
	);
});

it('what an earlier try of the node has ended is not already gone', async () => {
	const { service, run } = await stage();
	const one = service.add('web');
	// While it is tried first, no answer comes, though the work is done
	service.before = (call) =>
		isGet(call) && one.endsAt && service.clock.now() < one.endsAt + 3 * MINUTE ? BUSY : undefined;
	service.after = (call, own) => (isDelete(call) ? { isLost: true } : own);
	const settings = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };
	const { items } = await run(destroy(one.id, 'id', {}, settings));
	expect(items).toMatchObject([{ deleted: true, already_gone: false }]);
});

const ASKED = { image_url: 'registry.example/web:2', traffic_port: 9090 };
const FIELDS = { imageUrl: ASKED.image_url, trafficPort: ASKED.traffic_port };

/** Details after an update, where only a part shows or another form. */
const AFTER: Array<[string, Json]> = [
	['one setting, and the other no more', { image_url: ASKED.image_url }],
	['one setting, and null for the other', { image_url: ASKED.image_url, traffic_port: null }],
	['the port alone', { traffic_port: 9090 }],
];

describe.each(AFTER)('an update after which details show %s', (_after, container_config) => {
	it.each<[string, Said]>([
		['is taken', { body: { status: 'ok' } }],
		['is taken without a word', { status: 204, body: '' }],
		['is lost', { isLost: true }],
	])('and that %s is not told as made', async (_answer, said) => {
		const { service, run } = await stage();
		const one = service.add('web');
		service.details = ({ updates }, shown) =>
			updates === 0 ? shown : { ...shown, container_config };
		service.after = (call, own) => (isUpdate(call) ? said : own);
		const { items, all } = await run(update(one.id, FIELDS));
		expect(all).toContain(one.id);
		expect(items[0]?.updated ?? null).toBeNull();
		expect(service.sent('PATCH')).toHaveLength(1);
	});
});

it('an update whose settings show in another form is not said to show the former ones', async () => {
	const { service, run } = await stage();
	const one = service.add('web');
	service.update = (which) => {
		which.updates++;
		which.settings.image_url = 'registry.example/web@sha256:22';
	};
	service.after = (call, own) => (isUpdate(call) ? { isLost: true } : own);
	const { error } = await run(update(one.id, { imageUrl: ASKED.image_url }));
	expect(error).toContain(one.id);
	expect(error).not.toContain('former settings');
});
