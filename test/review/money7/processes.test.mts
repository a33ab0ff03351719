import { describe, expect, it } from 'vitest';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { CONTINUE } from '../../engine/nodes.mts';
import { waitOn } from '../../sandbox/core/clock.mts';
import { HOUR, MINUTE, SECOND, type Call, type Said, type Service } from './service.mts';
import {
	deploy,
	destroy,
	destroyMany,
	extend,
	stage,
	waitFor,
	type Stage,
	type Told,
} from './stage.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';

const after = async ({ clock }: Service, ms: number) =>
	await waitOn(clock, ms, new AbortController().signal);

/** Two processes, of which the second begins so many milliseconds later. */
async function both(
	{ service, begin, time }: Stage,
	[first, second]: [NodeUnderTest, NodeUnderTest],
	gapMs: number,
): Promise<[Told, Told]> {
	const [one, other] = [await begin(), await begin()];
	const later = async () => {
		await after(service, gapMs);
		return await other(second);
	};
	return await time.during(Promise.all([one(first), later()]), HOUR);
}

const LAGS = [0, 10, 32, 90].map((seconds) => seconds * SECOND);

/** What the second one hears of its deploy, and whether it was done. */
const ANSWERS: Array<[string, Said | undefined, isMade: boolean]> = [
	['its own ID', undefined, true],
	['nothing', { isLost: true }, true],
	['an empty yes', { status: 202, body: '' }, true],
	['nothing, and nothing was made', { isLost: true }, false],
	['a 502, and nothing was made', { status: 502, body: '' }, false],
];

describe.each(ANSWERS)(
	'two processes deploy one name, and the second hears %s',
	(_answer, said, isMade) => {
		// Times are in whole seconds: what is made in the second before cannot be told from what was never made
		const gaps = [isMade ? 1 : 3, 5, 15];
		it.each(LAGS.flatMap((lagMs) => gaps.map((gap) => [lagMs, gap])))(
			'where it shows after %i ms, %i s later: none takes that of the other for its own',
			async (lagMs, gap) => {
				const set = await stage({ lagMs });
				const { service } = set;
				service.add('other');
				const hears = (call: Call) => isDeploy(call) && call.nth === 1;
				if (isMade) service.after = (call, own) => (hears(call) && said ? said : own);
				else service.before = (call) => (hears(call) ? said : undefined);
				const [first, second] = await both(set, [deploy(), deploy({}, CONTINUE)], gap * SECOND);
				const [one, other] = service.own;
				expect(first.items).toMatchObject([{ deployment_id: one?.id }]);
				expect([other?.id, null, undefined]).toContain(second.items[0]?.deployment_id);
			},
		);
	},
);

it('of two that deploy one name at once, one at least tells of both', async () => {
	for (const gap of [0, 100, SECOND]) {
		const set = await stage();
		const { service } = set;
		const { list } = service;
		service.add('other');
		// Both look before either buys
		service.list = (entries, call) => list(entries.slice(0, service.own.length < 2 ? 1 : 3), call);
		const told = await both(set, [deploy(), deploy()], gap);
		const ids = service.own.map(({ id }) => id);
		expect(ids).toHaveLength(2);
		expect(told.some(({ all }) => ids.every((id) => all.includes(id)))).toBe(true);
	}
});

describe.each<[string, (service: Service, id: string) => void]>([
	['shows as destroyed', () => undefined],
	[
		'does not show any more',
		(service, id) => {
			const { list } = service;
			const isGone = () =>
				service.all.some((one) => one.id === id && service.statusOf(one) === 'destroyed');
			service.list = (entries, call) =>
				list(
					entries.filter((one) => one.id !== id || !isGone()),
					call,
				);
			service.details = (one, shown) => (one.id === id && isGone() ? undefined : shown);
		},
	],
	[
		'shows as running in a list that is behind by a minute',
		(service, id) => {
			const { list } = service;
			const isLate = ({ endsAt }: { endsAt?: number }) =>
				endsAt !== undefined && service.clock.now() < endsAt + MINUTE;
			service.list = (entries, call) =>
				list(
					entries.map((entry) =>
						service.all.some((one) => one.id === entry.id && isLate(one))
							? { ...entry, status: 'running' }
							: entry,
					),
					call,
				);
			service.details = (one, shown) => (one.id === id ? undefined : shown);
		},
	],
])('one destroys what the other waits for, and what has ended %s', (world, change) => {
	it.each(['id', 'name'] as const)('by %s: it is never said to run after that', async (mode) => {
		const set = await stage();
		const { service, begin, time } = set;
		service.add('other');
		const one = service.add('web', { status: 'deployment requested', madeAt: service.clock.now() });
		change(service, one.id);
		const [waiting, ending] = [await begin(), await begin()];
		const value = mode === 'id' ? one.id : 'web';
		const end = async () => {
			await after(service, 30 * SECOND);
			one.status = undefined;
			one.endsAt = service.clock.now();
			return await ending(destroy(value, mode));
		};
		const work = Promise.all([waiting(waitFor(value, 'running', mode)), end()]);
		const [waited, ended] = await time.during(work, HOUR);
		// The list that is behind shows it as running, and the node can know no better
		if (!world.includes('behind')) expect(waited.error).not.toBe('');
		expect(waited.all).toContain(mode === 'id' ? one.id : 'web');
		if (ended.error === '') expect(ended.items).toMatchObject([{ deleted: true }]);
		expect(ended.all).toContain(mode === 'id' ? one.id : 'web');
	});
});

describe.each([
	['200', undefined],
	['404', 404],
	['409', 409],
	['410', 410],
])('Destroy Many in both, where a second request is answered by %s', (_again, status) => {
	it.each([0, 5 * SECOND, 15 * SECOND])('%i ms later: all end, and both say so', async (gapMs) => {
		const set = await stage();
		const { service } = set;
		const all = Array.from({ length: 12 }, (_, n) => service.add(`web-${n}`));
		service.add('other');
		service.before = ({ method, path }) => {
			const one = all.find(({ id }) => path.endsWith(id));
			return method === 'DELETE' && status && one?.endsAt !== undefined
				? { status, body: { detail: 'ends already' } }
				: undefined;
		};
		const node = destroyMany('web-', 'prefix');
		const told = await both(set, [node, node], gapMs);
		expect(service.billing.map(({ name }) => name)).toEqual(['other']);
		for (const { items, error } of told) {
			expect(error).toBe('');
			for (const item of items) expect(item).toMatchObject({ deleted: true, verified: true });
		}
		expect(told[0].items).toHaveLength(12);
	});
});

it('a deployment that another process makes meanwhile is not ended by Destroy Many', async () => {
	const set = await stage();
	const { service, begin, time } = set;
	for (const name of ['web', 'web']) service.add(name);
	const [ending, making] = [await begin(), await begin()];
	const make = async () => {
		await after(service, 2 * SECOND);
		return await making(deploy({ safety: { ifNameExists: 'deploy' } }));
	};
	const [ended, made] = await time.during(Promise.all([ending(destroyMany('web')), make()]), HOUR);
	expect(ended.items).toHaveLength(2);
	expect(made.items).toMatchObject([{ deployment_id: service.own[0]?.id }]);
	expect(service.own[0]?.endsAt).toBeUndefined();
});

it.each<[string, Said | undefined]>([
	['heard', undefined],
	['lost', { isLost: true }],
	['empty', { status: 200, body: '' }],
])(
	'two extend one at once: all hours that are said are there (second answer %s)',
	async (_w, said) => {
		for (const gapMs of [0, SECOND, 20 * SECOND]) {
			const set = await stage();
			const { service } = set;
			const one = service.add('web');
			service.after = (call, own) =>
				call.path.endsWith('/extend') && call.nth === 1 && said ? said : own;
			const told = await both(set, [extend(one.id, 2), extend(one.id, 3)], gapMs);
			const added = told.map(({ items }) => Number(items[0]?.added_hours ?? 0));
			expect(service.sent('POST')).toHaveLength(2);
			expect(added.reduce((sum, hours) => sum + hours)).toBeLessThanOrEqual(one.hours - 4);
			for (const [index, hours] of [2, 3].entries()) expect([0, hours]).toContain(added[index]);
		}
	},
);
