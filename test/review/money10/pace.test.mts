import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import { HOUR, MINUTE, paged, SECOND, type Call, type Json } from '../money7/service.mts';
import { destroy, job, stage, type Stage } from '../money7/stage.mts';
import { withVms } from '../money7/vms.mts';

/** Requests that the service allows in ten seconds (beyond-the-spec.md section 3). */
const MOST = 150;

/** When each request came. Answers take as long as those of a service that is near. */
function noteTimes({ service }: Stage): number[] {
	const times: number[] = [];
	const { before, after } = service;
	service.before = (call) => {
		times.push(service.clock.now());
		return before(call);
	};
	service.after = (call, said) => ({ lateMs: 20, ...after(call, said) });
	return times;
}

/** The most of them within ten seconds. */
function mostAtOnce(times: number[]): number {
	const within = (from: number) => times.filter((at) => at >= from && at < from + 10 * SECOND);
	return Math.max(0, ...times.map((from) => within(from).length));
}

/** Pages of 20, whatever is asked for, without those that have ended. */
const small = (entries: Json[], call: Call) => {
	const query = new URLSearchParams({ page: call.query.get('page') ?? '0', page_size: '20' });
	const shown = entries.filter(({ status }) => status !== 'destroyed');
	return paged(shown, { ...call, query }, true);
};

function addOthers({ service }: Stage, count: number, product: 'caas' | 'vmaas' = 'caas'): void {
	for (let nth = 0; nth < count; nth++) service.add(`other-${nth}`, { product });
}

describe.each([150, 750])('an account of %i whose details are not shown', (count) => {
	it('is asked 150 times in 10 s at most by a Destroy of 30', async () => {
		const set = await stage();
		const { service, run } = set;
		addOthers(set, count);
		service.details = () => undefined;
		const ids = service.all.slice(-30).map(({ id }) => ({ id }));
		const times = noteTimes(set);
		const { items } = await run(destroy('={{ $json.id }}'), ids);
		expect(items.filter(({ verified }) => verified === true)).toHaveLength(30);
		expect(mostAtOnce(times)).toBeLessThanOrEqual(MOST);
	});
});

describe.each([2_000])('an account of %i in pages of 20, without those that ended', (count) => {
	it('has a Destroy see the end of one whose details are not shown', async () => {
		const set = await stage();
		const { service, run } = set;
		addOthers(set, count);
		service.list = small;
		service.details = () => undefined;
		noteTimes(set);
		const one = service.all.at(-1);
		const { items, error } = await run(destroy(one?.id));
		expect(one?.endsAt).toBeDefined();
		expect(error).toBe('');
		expect(items[0]).toMatchObject({ deleted: true, verified: true });
	});

	it('has a Run end both that its deploy has made', async () => {
		const set = await withVms({ copies: 2 });
		const { service, run } = set;
		addOthers(set, count, 'vmaas');
		service.list = small;
		const times = noteTimes(set);
		const { items } = await run(job({ jobKey: 'nightly-training' }, CONTINUE));
		expect(service.own.map(({ endsAt }) => endsAt)).not.toContain(undefined);
		expect(items[0]).toMatchObject({ destroyed: true, verified: true });
		expect(mostAtOnce(times)).toBeLessThanOrEqual(MOST);
	});
});

it('four Runs at once in a large account end their VMs without delay', async () => {
	const set = await withVms();
	const { service, engine, time } = set;
	addOthers(set, 500, 'vmaas');
	service.list = small;
	const times = noteTimes(set);
	const keys = ['a', 'b', 'c', 'd'];
	const runs = keys.map(
		async (jobKey) => await engine.run(job({ jobKey }, CONTINUE), [{}], { executionId: jobKey }),
	);
	await time.during(Promise.all(runs), 24 * HOUR);
	// Until SSH answers there are 20 seconds
	for (const { madeAt, endsAt } of service.own)
		expect((endsAt ?? Infinity) - madeAt).toBeLessThan(3 * MINUTE);
	expect(mostAtOnce(times)).toBeLessThanOrEqual(MOST);
});

it('an execution that is stopped does not wait for the lists of others', async () => {
	const set = await stage();
	const { service, engine, time } = set;
	addOthers(set, 1_500);
	service.details = () => undefined;
	noteTimes(set);
	const stop = new AbortController();
	const started = Array.from({ length: 40 }, async (_, nth) => {
		const id = service.all.at(-1 - nth)?.id;
		const cancel = nth === 39 ? stop.signal : undefined;
		const node = destroy(id);
		await engine.run(node, [{}], { executionId: `stopped-${nth}`, cancel }).catch(() => undefined);
		return service.clock.now();
	});
	await time.pass(3 * SECOND);
	const stoppedAt = service.clock.now();
	stop.abort();
	const endedAt = await time.during(Promise.resolve(started[39]), HOUR);
	expect((endedAt ?? Infinity) - stoppedAt).toBeLessThanOrEqual(SECOND);
	await time.during(Promise.all(started), HOUR);
});
