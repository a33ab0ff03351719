import { describe, expect, it } from 'vitest';
import { CONTINUE, caas, computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { PAGES } from './pages.mts';
import { HOUR, MINUTE, paged, type Call, type Json, type Said } from './service.mts';
import { deploy, destroy, destroyMany, stage, waitFor, type Stage } from './stage.mts';

const isLaterPage = ({ path, query }: Call) =>
	path === '/deployments' && Number(query.get('page')) > 0;

/** 100 of others on the first page, whose total it does not say, and one named "web" on the second, which is refused. */
async function refused(said: Said): Promise<Stage> {
	const set = await stage();
	const { service } = set;
	for (let n = 0; n < 100; n++) service.add(`other-${n}`);
	service.add('web');
	service.list = (entries, call) => paged(entries, call, false);
	service.before = (call) => (isLaterPage(call) ? said : undefined);
	return set;
}

describe.each(PAGES)('a list without a total whose second page is %s', (_page, said) => {
	it('frees no name that is taken', async () => {
		const { service, run } = await refused(said);
		const { all } = await run(deploy({}, CONTINUE));
		expect(service.own).toEqual([]);
		expect(all).toMatch(/list/i);
	});

	it('is not told as all that there is', async () => {
		const { run } = await refused(said);
		const all = await run(caas('deployment', 'getAll', { returnAll: true, filters: {} }));
		expect(all.error).not.toBe('');
		const spent = { groupBy: 'none', filters: {}, options: {} };
		expect((await run(caas('deployment', 'getSpending', spent))).error).not.toBe('');
	});

	it('has nobody told that nothing of the name is left', async () => {
		const { service, run } = await refused(said);
		const many = await run(destroyMany('web'));
		expect(service.all.at(-1)?.endsAt).toBeUndefined();
		expect(many.error).not.toBe('');
		const one = await run(destroy('web', 'name', { ifNotFound: 'output' }));
		expect(one.error).not.toBe('');
		expect((await run(waitFor('web', 'destroyed', 'name'))).items).toEqual([]);
	});

	it('proves no end of what it does not show', async () => {
		const { service, run } = await refused(said);
		const [one] = service.all.slice(-1);
		service.details = (which, shown) => (which === one ? undefined : shown);
		const isTold = { status: 202, body: '' };
		const { before } = service;
		// It was told to end, and does not
		service.before = (call) => (call.method === 'DELETE' ? isTold : before(call));
		const { items } = await run(destroy(one?.id, 'id', { ifNotFound: 'output' }));
		expect(items.filter(({ deleted }) => deleted === true)).toEqual([]);
	});

	it('ends no watch: what changes on it is told later, once', async () => {
		const { service, engine, time } = await refused(said);
		const { before } = service;
		service.before = () => undefined;
		const trigger = new PolledTrigger(
			engine,
			computeTrigger('deploymentStateChanged', { product: 'caas', options: {} }),
		);
		await time.during(trigger.activate(), HOUR);
		service.before = before;
		for (const one of [service.all[0], service.all.at(-1)]) if (one) one.status = 'completed';
		for (let polls = 0; polls < 3; polls++) {
			await time.pass(MINUTE);
			await time.during(trigger.poll(), HOUR);
		}
		service.before = () => undefined;
		await time.pass(MINUTE);
		await time.during(trigger.poll(), HOUR);
		const told = trigger.items.map(({ deployment_id: id }) => id);
		expect(told.sort()).toEqual([service.all[0]?.id, service.all.at(-1)?.id].sort());
	});
});

it('an empty page after the last one ends a list, whatever else it has', async () => {
	for (const more of [{}, { success: true }, { error: null }, { message: '' }] as Json[]) {
		const { service, run } = await refused({ body: { data: { deployments: [] }, ...more } });
		const { items } = await run(deploy({ resourcePrivateName: 'new' }));
		expect(items).toMatchObject([{ deployment_id: service.own[0]?.id }]);
	}
});
