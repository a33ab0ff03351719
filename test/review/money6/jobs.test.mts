import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import type { Call, Json, Said, Service, Vm } from './service.mts';
import { job, KEY, stage, type Stage, type Told } from './stage.mts';

/** The last of those that the job has bought. */
const last = (service: Service): Vm | undefined => service.own.at(-1);
const isOf = (vm: Vm | undefined, { path }: Call) =>
	vm !== undefined && path === `/deployment/${vm.id}`;

const refuse =
	(status: number, body: Json = { detail: 'not now' }) =>
	(service: Service) => {
		service.before = (call) =>
			call.method === 'DELETE' && isOf(last(service), call) ? { status, body } : undefined;
	};

/** The last one takes Destroy, and shows this status from then on. */
const leaves = (status: string) => (service: Service) => {
	service.after = (call, said) => {
		const vm = last(service);
		if (call.method === 'DELETE' && isOf(vm, call) && vm) vm.status = status;
		return said;
	};
};

/** What becomes of the end of the last one; `bills`: whether it goes on. */
const ENDS: Array<[world: string, change: (service: Service) => void, bills: boolean]> = [
	['which ends', () => undefined, false],
	['of which Destroy is refused with 403', refuse(403), true],
	['of which Destroy is refused with 409', refuse(409), true],
	['of which Destroy is refused with 423', refuse(423), true],
	['of which Destroy is refused with 500', refuse(500), true],
	['of which Destroy is answered by 404', refuse(404), true],
	[
		'of which Destroy is answered by a 200 that says no',
		refuse(200, { success: false, error: 'busy' }),
		true,
	],
	['of which Destroy is said to be done, and is not', refuse(200, { status: 'destroyed' }), true],
	['which stays in "termination requested"', leaves('termination requested'), true],
	['which has an unknown status in the end', leaves('archived'), true],
	[
		'of which Destroy is refused twice, and then taken',
		(service) => {
			let count = 0;
			service.before = (call) =>
				call.method === 'DELETE' && isOf(last(service), call) && ++count <= 2
					? { status: 503, body: {} }
					: undefined;
		},
		false,
	],
	[
		'whose amount is not shown',
		(service) => {
			service.details = (vm, shown) =>
				vm === last(service) ? { ...shown, amount_paid: undefined } : shown;
		},
		false,
	],
];

/** Nothing that bills is forgotten or said to be gone, and no amount is claimed that was not shown. */
function expectHonest({ service }: Stage, { items, all }: Told, isLost: boolean): void {
	expect(all).not.toContain(KEY);
	for (const { id, name } of service.billing)
		expect(all.includes(id) || (isLost && all.includes(name))).toBe(true);
	const details = (items[0]?.details ?? {}) as Json;
	const isGone = !service.billing.some(({ id }) => id === details.deployment_id);
	expect(details.destroyed).toBe(isGone ? true : null);
	expect(details.verified).toBe(isGone);
	// All that one order has made is its own
	const shown = service.own.map((vm) => service.details(vm, { amount_paid: 4 })?.amount_paid);
	const sum = shown.includes(undefined) ? null : 4 * shown.length;
	expect(details.amount_paid).toBe(isGone ? sum : null);
}

describe.each([
	['one', 1, false],
	['one, whose answer is lost', 1, true],
	['two by one answer', 2, false],
	['two by one answer that is lost', 2, true],
])('a job that has bought %s', (_bought, copies, isLost) => {
	it.each(ENDS)('%s', async (_world, change, bills) => {
		const set = await stage({ copies });
		const { service, run } = set;
		change(service);
		const after = service.after;
		const lost = ({ path }: Call, said: Said): Said =>
			path === '/deploy' && isLost ? { isLost: true } : said;
		service.after = (call, said) => lost(call, after(call, said));
		const told = await run(job({}, CONTINUE));
		expect(service.count('POST')).toBe(1);
		expectHonest(set, told, isLost);
		expect(service.billing.length > 0).toBe(bills);
	});
});
