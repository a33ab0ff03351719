import { describe, expect, it } from 'vitest';
import {
	deployment,
	jobParameters,
	locator,
	MARKETPLACE,
	SSH,
	vmaas,
} from '../../engine/nodes.mts';
import type { Machine } from './service.mts';
import { deploy, destroy, extend, stage, told, type Stage } from './stage.mts';

const waiting = (waitUntil: string, id = '={{ $("N1").item.json.deployment_id }}') =>
	deployment('waitFor', {
		deploymentId: locator(id),
		waitUntil,
		pollInterval: 10,
		timeout: 300,
		onTimeout: 'output',
	});

/**
 * Two copies of the books: what has been written is in the second one only some seconds later. The first one answers until a node
 * of this name has ended, and from then on the second one.
 */
async function copies(behindMs: number, until: string) {
	const set = await stage({ startMs: 0 });
	const { service } = set;
	service.add({ name: 'other' });
	let isSecond = false;
	const knows = ({ boughtAt }: Machine) => !isSecond || service.clock.now() >= boughtAt + behindMs;
	service.listed = (machine, entry) => (knows(machine) ? entry : undefined);
	service.detailed = (machine, details) => (knows(machine) ? details : undefined);
	const chain: Stage['chain'] = async (nodes) =>
		await set.chain(nodes, {
			onNode: (name) => {
				if (name === until) isSecond = true;
			},
		});
	return { ...set, chain, knows };
}

/** Reads may come from a copy that is up to two minutes behind. */
describe.each([20_000, 70_000, 110_000])('a copy that is %d ms behind answers', (behindMs) => {
	it('after a machine was seen: its name is not bought again', async () => {
		const { service, chain } = await copies(behindMs, 'N2');
		const { error } = told(await chain([deploy(), waiting('running'), deploy()]));
		expect(service.machines.map(({ name }) => name)).toEqual(['other', 'job']);
		expect(error).toContain('already exists');
	});

	it('after a machine was seen: it has not ended', async () => {
		for (const goal of ['destroyed', 'final']) {
			const { chain } = await copies(behindMs, 'N2');
			const run = await chain([deploy(), waiting('running'), waiting(goal)]);
			expect(told(run).of('N3')).toMatchObject([{ reached: false }]);
		}
	});

	it('after a machine was seen: it is extended', async () => {
		const { service, chain } = await copies(behindMs, 'N2');
		const end = extend('={{ $("N1").item.json.deployment_id }}');
		const { error } = told(await chain([deploy(), waiting('running'), end]));
		expect(error).toBeUndefined();
		expect(service.machines.map(({ hours }) => hours)).toEqual([5, 4]);
	});

	it.each(['id', 'name'] as const)('also to a DELETE: no end is made up (by %s)', async (mode) => {
		for (const seen of [true, false]) {
			const { service, chain, knows } = await copies(behindMs, 'N2');
			service.instead = ({ method }) => {
				const machine = service.machines.find(({ name }) => name === 'job');
				return method === 'DELETE' && machine && !knows(machine)
					? { status: 404, json: { detail: 'deployment not found' } }
					: undefined;
			};
			const which = mode === 'id' ? '={{ $("N1").item.json.deployment_id }}' : 'job';
			const look = waiting(seen ? 'running' : 'final', seen ? undefined : 'dep-1');
			const { of, error } = told(await chain([deploy(), look, destroy(which, {}, mode)]));
			const isClaimed = of('N3').some(({ deleted }) => deleted === true);
			const isEnded = service.machines[1]?.endedAt !== undefined;
			expect({ seen, isClaimed, isEnded: isClaimed ? isEnded : false }).toEqual({
				seen,
				isClaimed,
				isEnded: isClaimed,
			});
			if (!isEnded) expect(error).toMatch(/dep-2|job/);
		}
	});
});

describe('a job on a service with two copies', () => {
	it.each([20_000, 70_000, 110_000])('(%d ms behind) ends what it bought', async (behindMs) => {
		let turn = 0;
		const { service, run } = await stage({
			startMs: 0,
			vms: ({ id }) => [{ vm_id: id, status: 'running', ssh_access: 'root@127.0.0.1:1' }],
		});
		service.add({ name: 'other' });
		// The two of them take turns
		const knows = ({ boughtAt }: Machine) =>
			service.clock.now() >= boughtAt + behindMs || turn++ % 2 === 0;
		service.listed = (machine, entry) => (knows(machine) ? entry : undefined);
		service.detailed = (machine, details) => (knows(machine) ? details : undefined);
		const credentials = { ...MARKETPLACE, ...SSH };
		const parameters = jobParameters({ options: { waitTimeout: 60 } });
		const { error } = told(await run(vmaas('job', 'run', parameters, { credentials })));
		expect(error).toContain('dep-2');
		expect(service.machines[1]?.endedAt).toBeDefined();
	});
});

describe('a job whose machine was seen, before a copy that is behind answers all requests', () => {
	it.each([20_000, 70_000, 110_000])('(%d ms) is not said to be destroyed', async (behindMs) => {
		const { service, run } = await stage({
			startMs: 0,
			vms: ({ id }) => [{ vm_id: id, status: 'running', ssh_access: 'root@127.0.0.1:1' }],
		});
		service.add({ name: 'other' });
		let reads = 0;
		const knows = ({ boughtAt, name }: Machine) =>
			name === 'other' || reads <= 2 || service.clock.now() >= boughtAt + behindMs;
		service.listed = (machine, entry) => (knows(machine) ? entry : undefined);
		service.detailed = (machine, details) => {
			if (machine.name !== 'other') reads++;
			return knows(machine) ? details : undefined;
		};
		service.instead = ({ method }) => {
			const machine = service.machines.at(1);
			return method === 'DELETE' && machine && !knows(machine)
				? { status: 404, json: { detail: 'deployment not found' } }
				: undefined;
		};
		const credentials = { ...MARKETPLACE, ...SSH };
		const parameters = jobParameters({ options: { waitTimeout: 60 } });
		const { error } = told(await run(vmaas('job', 'run', parameters, { credentials })));
		const isEnded = service.made(2).endedAt !== undefined;
		expect(error?.includes('was destroyed, and its end was seen')).toBe(isEnded);
	});
});
