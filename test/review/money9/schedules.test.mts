import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { packageTime } from '../../engine/time.mts';
import { waitOn } from '../../sandbox/core/clock.mts';
import { toldOf } from '../money6/stage.mts';
import { HOUR, MINUTE, SECOND, type Call, type Said, type Service } from '../money7/service.mts';
import {
	deploy,
	destroy,
	destroyMany,
	extend,
	stage,
	update,
	type Stage,
	type Told,
} from '../money7/stage.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';
const isList = ({ method, path }: Call) => method === 'GET' && path === '/deployments';
const isWrite = ({ method }: Call) => ['POST', 'PATCH'].includes(method);
const BUSY: Said = { status: 503, body: '' };

const after = async ({ clock }: Service, ms: number) =>
	await waitOn(clock, Math.max(0, ms), new AbortController().signal);

const MANUAL = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };

/** Two nodes, one after the other, in one execution; what is told is that of the second. */
async function inOneExecution(
	{ engine, time }: Stage,
	[first, second]: [NodeUnderTest, NodeUnderTest],
	between = () => {},
): Promise<Told> {
	const nodes = [MANUAL, { ...first, name: 'First' }, { ...second, name: 'Node' }].map(
		(node) => ({ typeVersion: 1, position: [0, 0], ...node, id: node.name }) as INode,
	);
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	const workflow = { nodes, connections: { Start: to('First'), First: to('Node') } };
	const onNodeStart = (name: string) => void (name === 'Node' && between());
	return toldOf(await time.during(engine.runWorkflow(workflow, { onNodeStart }), HOUR));
}

function expectNoLie({ service }: Stage, { items }: Told): void {
	const billing = service.billing.map(({ id }) => id);
	for (const { deleted, deployment_id: id } of items)
		if (deleted === true) expect(billing).not.toContain(id);
}

describe('Retry On Fail of a Destroy whose first try did not see the end', () => {
	it.each([
		['by name', destroy('web', 'name', {}, RETRY)],
		['of a list of names', destroy(['web', 'db'], 'name', {}, RETRY)],
		['by ID', destroy('d100x', 'id', {}, RETRY)],
		['many by exact name', destroyMany('web', 'exact', RETRY)],
	])('does not end the one that took the name meanwhile (%s)', async (_how, node) => {
		const { service, run } = await stage();
		const first = service.add('web');
		service.add('db');
		service.before = (call) => {
			// Ends between the tries, each of which looks for the name once
			const { endsAt } = first;
			if (endsAt === undefined) return undefined;
			const isOver = call.nth > 0 && isList(call);
			if (first.status !== 'destroyed')
				first.status = isOver ? 'destroyed' : 'termination requested';
			if (isOver && service.all.length === 2) service.add('web', { madeAt: service.clock.now() });
			return undefined;
		};
		const { items, all } = await run(node);
		expect(service.all[2]?.endsAt).toBeUndefined();
		expect(all).toContain(first.id);
		for (const item of items) expect(item.deployment_id).not.toBe(service.all[2]?.id);
	});
});

/** Why the Deploy of an execution sends nothing that is done. */
const FAILURES: Array<[string, (call: Call) => Said | undefined]> = [
	['the list cannot be read', (call) => (isList(call) ? BUSY : undefined)],
	['the price cannot be read', ({ path }) => (path === '/price' ? BUSY : undefined)],
	['it is sold out', (call) => (isDeploy(call) ? { status: 409, body: 'sold out' } : undefined)],
	['it is refused', (call) => (isDeploy(call) ? { status: 402, body: 'no money' } : undefined)],
	['the key is refused', () => ({ status: 401, body: '' })],
];

describe.each(FAILURES)('an execution whose Deploy fails since %s', (_why, fails) => {
	it.each(['before', 'after'])('does not destroy what another one deploys %s', async (when) => {
		const set = await stage();
		const { service } = set;
		service.add('other');
		const add = () => service.add('web', { madeAt: service.clock.now() });
		if (when === 'before') add();
		service.before = fails;
		const told = await inOneExecution(
			set,
			[deploy({ safety: { maxPrice: 50 } }, CONTINUE), destroy('web', 'name')],
			() => {
				service.before = () => undefined;
				if (when === 'after') add();
			},
		);
		expect(service.all.find(({ name }) => name === 'web')?.endsAt).toBeUndefined();
		expect(told.error).not.toBe('');
	});
});

/** A name of Deploy and one of Destroy, and what the service makes of it. */
const NAMES: Array<[string, string, (name: string) => string]> = [
	['web', 'Web', (name) => name],
	[' web ', ' web ', (name) => name],
	['web\n', 'web\n', (name) => name],
	['Web-A', 'Web-A', (name) => name.toLowerCase()],
	['nightly-training-of-the-team', 'nightly-training-of-the-team', (name) => name.slice(0, 20)],
	['web a', 'web a', (name) => name.replaceAll(' ', '-')],
];

describe.each(NAMES)('Deploy of "%s", Destroy of "%s"', (made, ended, shownAs) => {
	it.each([0, 30 * SECOND, 90 * SECOND])(
		'in another process ends or tells it (after %i ms)',
		async (lagMs) => {
			const set = await stage({ lagMs });
			const { service, begin, time } = set;
			service.add('other');
			service.add(shownAs(made.trim()), { status: 'destroyed' });
			const { list } = service;
			service.list = (entries, call) =>
				list(
					entries.map((entry) => ({ ...entry, name: shownAs(String(entry.name)) })),
					call,
				);
			const [one, other] = [await begin(), await begin()];
			const both = async () => {
				await one(deploy({ resourcePrivateName: made }));
				return await other(destroy(ended, 'name'));
			};
			const told = await time.during(both(), HOUR);
			const [own] = service.own;
			expectNoLie(set, told);
			if (own?.endsAt === undefined) expect(told.error).toContain(own?.id);
			expect(service.billing.map(({ name }) => name)).toContain('other');
		},
	);

	it('ends it where both have the same text', async () => {
		const set = await stage();
		set.service.add('other');
		const told = await inOneExecution(set, [
			deploy({ resourcePrivateName: made }),
			destroy(made, 'name'),
		]);
		expect(told.error).toBe('');
		expect(set.service.own.map(({ endsAt }) => endsAt)).not.toContain(undefined);
	});
});

/** How far the clock of n8n is from that of the service, from some moment on. */
const JUMPS = [-13 * HOUR, -10 * MINUTE, 3 * MINUTE, 20 * MINUTE, 13 * HOUR];

describe.each(JUMPS)('a clock of n8n that jumps by %i ms', (jumpMs) => {
	/** Jumps once so long after the first request of a kind was done. */
	async function jumping(fits: (call: Call) => boolean, ms: number, changes = {}) {
		const set = await stage(changes);
		const { service } = set;
		let isAhead = false;
		packageTime().now = () => service.clock.now() + (isAhead ? jumpMs : 0);
		const { after: then } = service;
		service.after = (call, own) => {
			if (fits(call)) void after(service, ms).then(() => (isAhead = true));
			return then(call, own);
		};
		return set;
	}

	it.each([0, 40 * SECOND])('%i ms after a deploy that was lost: it is bought once', async (ms) => {
		const set = await jumping(isDeploy, ms, {
			lagMs: 100 * SECOND,
			after: (call: Call, own: Said) => (isDeploy(call) ? { isLost: true } : own),
		});
		set.service.add('other');
		const { all } = await set.run(deploy({}, RETRY));
		expect(set.service.own).toHaveLength(1);
		expect(all).toMatch(/d107x|"web/);
	});

	it('after a deploy: the next execution does not buy the same name again', async () => {
		const set = await jumping(isDeploy, SECOND, { lagMs: 60 * SECOND });
		set.service.add('other');
		await set.run(deploy());
		await set.time.pass(2 * SECOND);
		const { error } = await set.run(deploy());
		expect(set.service.own).toHaveLength(1);
		expect(error).toContain(set.service.own[0]?.id);
	});

	it('while one of a name is awaited: what has ended before is not taken for it', async () => {
		const set = await jumping(isList, 10 * SECOND, { lagMs: 60 * SECOND });
		const { service } = set;
		service.add('web', { status: 'destroyed' });
		const young = service.add('web', { madeAt: service.clock.now(), isOwn: true });
		const told = await set.run(destroy('web', 'name'));
		expect(told.error).toBe('');
		expect(young.endsAt).toBeDefined();
		expectNoLie(set, told);
	});

	it('while one ends that the service does not show for some seconds', async () => {
		const set = await jumping(({ method }) => method === 'DELETE', SECOND);
		const { service } = set;
		const one = service.add('web');
		service.add('other');
		const { list, details } = service;
		const isHidden = () =>
			one.endsAt !== undefined && service.clock.now() < one.endsAt + 15 * SECOND;
		service.statusOf = () => 'running';
		service.list = (entries, call) =>
			list(isHidden() ? entries.filter(({ id }) => id !== one.id) : entries, call);
		service.details = (which, shown) =>
			which === one && isHidden() ? undefined : details(which, shown);
		const told = await set.run(destroy(one.id));
		for (const item of told.items) expect(item.deleted).not.toBe(true);
	});
});

const WRITES: Array<[string, (id: string) => NodeUnderTest]> = [
	['Extend', (id) => extend(id, 2)],
	['Update', (id) => update(id, { trafficPort: 9090 })],
];

describe.each(WRITES)('%s beside Destroy', (_write, writeTo) => {
	const gaps = [-3, 0, 3, 12].map((seconds) => seconds * SECOND);
	it.each(gaps)('%i ms after it: neither says what is not', async (gap) => {
		const ANSWERS: Said[] = [{}, { isLost: true }, { lateMs: 8 * SECOND }];
		for (const [index, said] of [...ANSWERS, ...ANSWERS].entries()) {
			const set = await stage();
			const { service, begin, time } = set;
			service.add('other');
			const one = service.add('web');
			service.after = (call, own) => {
				if (!isWrite(call)) return own;
				// Some services let it run on then
				if (index >= ANSWERS.length) one.endsAt = undefined;
				return { ...own, ...said };
			};
			const [writing, ending] = [await begin(), await begin()];
			const write = after(service, gap).then(async () => await writing(writeTo(one.id)));
			const end = after(service, -gap).then(async () => await ending(destroy(one.id)));
			const [wrote, ended] = await time.during(Promise.all([write, end]), HOUR);
			expectNoLie(set, ended);
			const [item] = wrote.items;
			if (typeof item?.added_hours === 'number') expect(one.hours).toBe(4 + item.added_hours);
			if (item?.updated === true) expect(one.updates).toBe(1);
			expect(wrote.all).toContain(one.id);
			expect(service.calls.filter(isWrite).length).toBeLessThan(2);
		}
	});
});

const MANY: Array<Said | undefined> = [
	undefined,
	{ isLost: true },
	{ status: 422, body: { detail: 'no room' } },
	{ status: 504, body: '' },
	{ status: 202, body: '' },
	{ status: 409, body: { detail: 'name exists already' } },
];

it.each([0, 20 * SECOND, 100 * SECOND])(
	'of many items that are tried again, each is bought once and told (after %i ms)',
	async (lagMs) => {
		for (const settings of [RETRY, { ...RETRY, ...CONTINUE }]) {
			for (let turn = 0; turn < MANY.length; turn += 2) {
				const set = await stage({ lagMs });
				const { service, run } = set;
				service.add('other');
				const saidOf = (call: Call) => MANY[(call.nth + turn) % MANY.length];
				service.before = (call) =>
					isDeploy(call) && saidOf(call)?.status === 422 ? saidOf(call) : undefined;
				service.after = (call, own) => (isDeploy(call) ? (saidOf(call) ?? own) : own);
				const node = deploy({ resourcePrivateName: '={{ $json.name }}' }, settings);
				const items: IDataObject[] = MANY.map((_, n) => ({ name: `web-no-${n}` }));
				const { all } = await run(node, items);
				const names = service.own.map(({ name }) => name);
				expect(new Set(names).size).toBe(names.length);
				for (const { id, name } of service.own)
					expect(all.includes(id) || all.includes(name)).toBe(true);
			}
		}
	},
);
