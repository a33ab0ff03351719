import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { waitOn } from '../../sandbox/core/clock.mts';
import type { Call, Service } from './service.mts';
import { deploy, destroy, extend, stage, told, type Stage } from './stage.mts';

const isPost = ({ method }: Call) => method === 'POST';
const limits = { maxPrice: 50, maxRunningCost: 40 };

/** Cancels when the service gets its request number `count`, before or after it has done it. */
function cancelAt(service: Service, count: number, isAfter: boolean): AbortController {
	const stop = new AbortController();
	let seen = 0;
	const { instead, answered } = service;
	service.instead = (call) => {
		seen++;
		if (seen === count && !isAfter) stop.abort();
		return instead(call);
	};
	service.answered = (call, said) => {
		if (seen === count && isAfter) stop.abort();
		return answered(call, said);
	};
	return stop;
}

const logged = ({ engine }: Stage, from: number) => JSON.stringify(engine.log.slice(from));

async function runAndStop(set: Stage, run: () => Promise<unknown>): Promise<void> {
	await run().catch(() => undefined);
	// What goes on by itself after the stop
	await set.time.pass(60_000);
}

describe.each([true, false])('a stop, after the request was done: %s', (isAfter) => {
	it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('at request %d of a deploy', async (count) => {
		const set = await stage();
		const { service, run } = set;
		const stop = cancelAt(service, count, isAfter);
		const from = set.engine.log.length;
		const node = deploy({ safety: limits }, RETRY);
		await runAndStop(set, async () => await run(node, [{}], { cancel: stop.signal }));
		expect(service.machines.length).toBeLessThanOrEqual(1);
		// Whatever may bill is in the log
		if (service.machines.length > 0 && stop.signal.aborted)
			expect(logged(set, from)).toMatch(/dep-1|"job"/);
		// The next execution does not buy a second one
		service.instead = () => undefined;
		await run(node, [{}], { executionId: '2' });
		expect(service.machines).toHaveLength(1);
	});

	it.each([1, 2, 3, 4, 5, 6, 7, 8])('at request %d of two deploys', async (count) => {
		const set = await stage();
		const { service, run } = set;
		const stop = cancelAt(service, count + 4, isAfter);
		const from = set.engine.log.length;
		const node = deploy({ resourcePrivateName: '={{ $json.name }}' }, CONTINUE);
		const items = [{ name: 'first' }, { name: 'second' }];
		await runAndStop(set, async () => await run(node, items, { cancel: stop.signal }));
		if (stop.signal.aborted)
			for (const { id, name } of service.machines)
				expect(logged(set, from)).toMatch(new RegExp(`${id}"|"${name}"`));
	});

	it.each([1, 2, 3, 4, 5, 6])('at request %d of an extension', async (count) => {
		const set = await stage();
		const { service, run } = set;
		const machine = service.add();
		const stop = cancelAt(service, count, isAfter);
		const from = set.engine.log.length;
		const node = extend('dep-1', 2, { maxPrice: 9 });
		await runAndStop(set, async () => await run(node, [{}], { cancel: stop.signal }));
		if (machine.hours > 5 && stop.signal.aborted) expect(logged(set, from)).toContain('dep-1');
		expect(machine.hours).toBeLessThanOrEqual(7);
	});

	it.each([1, 2, 3, 4, 5, 6, 9, 12])('at request %d of the destruction of three', async (count) => {
		const set = await stage();
		const { service, run } = set;
		const names = ['a', 'b', 'c'];
		names.forEach((name) => service.add({ name }));
		const stop = cancelAt(service, count, isAfter);
		const from = set.engine.log.length;
		const node = destroy('={{ $json.id }}');
		const items = ['dep-1', 'dep-2', 'dep-3'].map((id) => ({ id }));
		await runAndStop(set, async () => await run(node, items, { cancel: stop.signal }));
		if (!stop.signal.aborted) return;
		for (const { id } of service.bills) expect(logged(set, from)).toContain(id);
	});
});

describe('a retry from the list of executions, which keeps what the nodes have noted', () => {
	const again = (run: Awaited<ReturnType<Stage['run']>>): IDataObject =>
		JSON.parse(JSON.stringify(run.data.executionData?.contextData ?? {})) as IDataObject;

	it.each([0, 1_000_000, 4_000_000])('of a lost deploy, %d ms later', async (laterMs) => {
		const set = await stage();
		const { service, run, time } = set;
		service.listed = ({ boughtAt }, entry) =>
			service.clock.now() >= boughtAt + 200_000 ? entry : undefined;
		service.detailed = ({ boughtAt }, details) =>
			service.clock.now() >= boughtAt + 200_000 ? details : undefined;
		let count = 0;
		service.answered = (call, said) => (isPost(call) && ++count === 1 ? { reset: true } : said);
		const first = await run(deploy());
		expect(told(first).error).toContain('outcome unknown');
		await time.pass(laterMs);
		const contextData = again(first);
		const second = await run(deploy(), [{}], {
			executionId: '9',
			contextData: contextData as never,
		});
		expect(service.machines).toHaveLength(1);
		expect(told(second).error).toBeUndefined();
		expect(told(second).of()).toMatchObject([{ deployment_id: 'dep-1', recovered: true }]);
	});

	it('of an item beside one that was done', async () => {
		const { service, run } = await stage();
		let isFull = true;
		service.instead = (call) =>
			isPost(call) && call.body.resource_private_name === 'second' && isFull
				? { status: 422, json: { detail: 'no' } }
				: undefined;
		const node = deploy({ resourcePrivateName: '={{ $json.name }}' });
		const items = [{ name: 'first' }, { name: 'second' }, { name: 'third' }];
		const first = await run(node, items);
		isFull = false;
		await run(node, items, { executionId: '9', contextData: again(first) as never });
		expect(service.machines.map(({ name }) => name).sort()).toEqual(['first', 'second', 'third']);
	});
});

describe('a stop while the answer is awaited', () => {
	it.each([5_000, 60_000, 119_000])('after %d ms, and then a second execution', async (ms) => {
		const set = await stage();
		const { service, run } = set;
		const stop = new AbortController();
		let count = 0;
		service.answered = (call, said) => {
			if (!isPost(call) || ++count > 1) return said;
			void waitOn(service.clock, ms, new AbortController().signal).then(() => stop.abort());
			return { ...said, afterMs: 110_000 };
		};
		const from = set.engine.log.length;
		await run(deploy(), [{}], { cancel: stop.signal }).catch(() => undefined);
		if (stop.signal.aborted && ms < 110_000) expect(logged(set, from)).toContain('job');
		const second = await run(deploy(), [{}], { executionId: '2' });
		expect(service.machines).toHaveLength(1);
		expect(told(second).error).toMatch(/already exists|outcome is unknown/);
	});
});
