import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import type { Call, Json, Said, Service } from './service.mts';
import { deploy, KEY, stage } from './stage.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';

/** What the answer to a deploy is that was done. */
const ANSWERS: Array<[string, Said]> = [
	['lost', { isLost: true }],
	['502', { status: 502, body: '<html><title>Bad gateway</title></html>' }],
	['empty', { body: '' }],
	['null', { status: 202 }],
	['of another kind', { body: { success: true, message: 'queued' } }],
];

const paged = (entries: Json[], { query }: Call, first: number, more: Json = {}): unknown => {
	const size = Number(query.get('page_size') ?? 10);
	const from = Math.max(0, Number(query.get('page') ?? first) - first) * size;
	return { data: { deployments: entries.slice(from, from + size), ...more } };
};

/** How the list shows what is there. `isFound`: whether it can be told from the rest. */
const LISTS: Array<[world: string, change: (service: Service) => void, isFound: boolean]> = [
	[
		'late by 30 s',
		(service) => {
			service.list = (entries, call) =>
				paged(
					entries.filter((_, n) => service.clock.now() - (service.all[n]?.madeAt ?? 0) > 30_000),
					call,
					0,
				);
		},
		true,
	],
	[
		'late by 10 minutes',
		(service) => {
			service.list = (entries, call) =>
				paged(
					entries.filter((_, n) => service.clock.now() - (service.all[n]?.madeAt ?? 0) > 600_000),
					call,
					0,
				);
		},
		false,
	],
	[
		'cut at ten, with the total',
		(service) => {
			service.list = (entries) => ({
				data: { deployments: entries.slice(0, 10), total: entries.length },
			});
		},
		false,
	],
	[
		'cut at ten, without a total',
		(service) => {
			service.list = (entries) => ({ data: { deployments: entries.slice(0, 10) } });
		},
		false,
	],
	[
		'empty',
		(service) => {
			service.list = () => ({ data: { deployments: [], total: 0 } });
		},
		false,
	],
	[
		'null',
		(service) => {
			service.list = () => ({ data: { deployments: null, total: 0 } });
		},
		false,
	],
	[
		'in another order each time',
		(service) => {
			service.list = (entries, call) =>
				paged(call.nth % 2 === 0 ? entries : entries.toReversed(), call, 0, {
					total: entries.length,
				});
		},
		true,
	],
	[
		'newest first, from page 1',
		(service) => {
			service.list = (entries, call) =>
				paged(entries.toReversed(), call, 1, { total: entries.length });
		},
		true,
	],
	[
		'in pages of five, whatever is asked',
		(service) => {
			service.list = (entries, { query }) => {
				const from = Number(query.get('page') ?? 0) * 5;
				return { data: { deployments: entries.slice(from, from + 5), total: entries.length } };
			};
		},
		true,
	],
	[
		'with names in upper case',
		(service) => {
			service.named = (name) => name.toUpperCase();
		},
		false,
	],
	[
		'with names cut at 8',
		(service) => {
			service.named = (name) => name.slice(0, 8);
		},
		false,
	],
	[
		'without the name of the new one',
		(service) => {
			service.list = (entries, call) =>
				paged(
					entries.map((entry, n) =>
						service.all[n]?.isOwn === true ? { ...entry, name: null } : entry,
					),
					call,
					0,
					{ total: entries.length },
				);
		},
		false,
	],
	[
		'refused',
		(service) => {
			service.before = ({ path, nth }) =>
				path === '/deployments' && nth > 3 ? { status: 503, body: { detail: 'busy' } } : undefined;
		},
		false,
	],
];

const NAME = 'nightly training run';

describe.each(LISTS)(
	'a deploy without its answer, where the list is %s',
	(_world, change, isFound) => {
		it.each(ANSWERS)('and the answer is %s: one is bought, and told', async (_answer, said) => {
			for (const settings of [RETRY, { ...RETRY, ...CONTINUE }]) {
				const { service, run } = await stage();
				for (let n = 0; n < 12; n++) service.add(`other-${n}`);
				change(service);
				service.after = (call, own) => (isDeploy(call) ? said : own);
				const { items, error, all } = await run(deploy({ resourcePrivateName: NAME }, settings));
				expect(service.own.length).toBeLessThanOrEqual(1);
				expect(all).not.toContain(KEY);
				const [own] = service.own;
				// Where the list cannot be read before, nothing may be sent
				if (!own) {
					expect(all).toMatch(/Nothing was deployed|was not deployed/);
					continue;
				}
				expect(all.includes(own.id) || all.includes(NAME)).toBe(true);
				if (isFound) {
					expect(error).toBe('');
					expect(items).toMatchObject([{ deployment_id: own.id }]);
				} else if (items[0]?.deployment_id !== undefined) {
					expect([own.id, null]).toContain(items[0].deployment_id);
				}
			}
		});
	},
);

it.each([
	['12 of others', 12],
	['none', 0],
])('two that one lost answer has made are both told, beside %s', async (_world, others) => {
	for (const said of ANSWERS.map(([, one]) => one)) {
		const { service, run } = await stage({ copies: 2 });
		for (let n = 0; n < others; n++) service.add(`other-${n}`);
		service.after = (call, own) => (isDeploy(call) ? said : own);
		const { all } = await run(deploy({ resourcePrivateName: NAME }, RETRY));
		expect(service.count('POST')).toBe(1);
		for (const { id } of service.own) expect(all).toContain(id);
	}
});
