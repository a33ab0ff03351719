import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import { MINUTE, type Call, type Deployment, type Json } from './service.mts';
import { collectJob, job, startJob } from './stage.mts';
import { withVms } from './vms.mts';

/** Whether details show the name: the documented ones do not. */
const NAMED: Array<[string, (one: Deployment, shown: Json) => Json]> = [
	['without a name', (_, shown) => shown],
	['with a name', ({ name }, shown) => ({ ...shown, name })],
];

describe.each(NAMED)('two that one deploy has made, whose details are %s', (_named, details) => {
	it.each([0, MINUTE])('end with the job of Run (shown after %i ms)', async (lagMs) => {
		const { service, run } = await withVms({ copies: 2, details, lagMs });
		const { items } = await run(job());
		expect(items).toMatchObject([{ stdout: 'done\n', exit_code: 0, destroyed: true }]);
		expect(service.billing).toEqual([]);
		expect(items).toMatchObject([{ amount_paid: 8 }]);
	});

	it.each(['first', 'last'] as const)('end with Collect (%s in the answer)', async (named) => {
		const { service, run } = await withVms({ copies: 2, details, named });
		const [started] = (await run(startJob())).items;
		expect(started).toMatchObject({ resource_private_name: service.own[0]?.name });
		const { items, all } = await run(collectJob(started?.deployment_id, started?.job_id));
		expect(items).toMatchObject([{ state: 'finished', stdout: 'done\n' }]);
		// What it has not ended it tells
		for (const { id } of service.billing) expect(all).toContain(id);
		expect(service.billing).toEqual([]);
	});

	it('of which one is refused an end are told by Run', async () => {
		for (const of of [0, 1]) {
			const { service, run } = await withVms({ copies: 2, details });
			const isOf = ({ method, path: at }: Call) =>
				method === 'DELETE' && at.endsWith(`/${String(service.own[of]?.id)}`);
			service.before = (call) => (isOf(call) ? { status: 423, body: {} } : undefined);
			const { items, all } = await run(job({}, CONTINUE));
			expect(service.billing).toEqual([service.own[of]]);
			expect(all).toContain(service.own[of]?.id);
			expect(items).toMatchObject([{ destroyed: null, verified: false, amount_paid: null }]);
		}
	});
});

it('a leftover with a run that is dead, and one that lives, are told apart', async () => {
	const { service, begin, run, time } = await withVms();
	const living = (await begin())(job({ command: 'sleep 1; echo done' }));
	const { items } = await time.during(living, 60 * MINUTE);
	expect(items).toMatchObject([{ destroyed: true }]);
	// The same name again, by somebody who was killed
	service.add(service.own[0]?.name ?? '', { product: 'vmaas' });
	const next = await run(job());
	expect(next.items).toMatchObject([{ ended_leftovers: [{ destroyed: true, verified: true }] }]);
	expect(service.billing).toEqual([]);
});
