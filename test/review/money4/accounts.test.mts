import { describe, expect, it } from 'vitest';
import { CONTINUE, LIMIT } from '../../engine/nodes.mts';
import {
	by,
	chain,
	deploy,
	deployContainer,
	destroy,
	engineOf,
	extend,
	ONE,
	openService,
	told,
	TWO,
	twoAccounts,
} from './harness.mts';

describe('two accounts in one execution', () => {
	it.each([
		['deploys', deploy],
		['container deploys', deployContainer],
	])('%s of one name are one in each account', async (_, make) => {
		const service = await openService({ behindMs: 60_000 });
		const run = await chain(await twoAccounts(service), service, [make(), make({}, by('two'))]);
		expect(told(run).error).toBeUndefined();
		expect(service.running.map(({ account }) => account)).toEqual([ONE, TWO]);
	});

	it('a name is destroyed in its own account', async () => {
		const service = await openService({ behindMs: 60_000 });
		const safety = { ifNameExists: 'deploy' };
		const run = await chain(await twoAccounts(service), service, [
			deploy({ safety }),
			deploy({ safety }, by('two')),
			destroy('job', {}, by('one'), 'name'),
			destroy('job', {}, by('two'), 'name'),
		]);
		expect(told(run).error).toBeUndefined();
		expect(service.running).toEqual([]);
	});

	it('Use the Existing One does not pass on that of another account', async () => {
		const service = await openService();
		const run = await chain(await twoAccounts(service), service, [
			deploy(),
			deploy({ safety: { ifNameExists: 'useExisting' } }, by('two')),
		]);
		expect(told(run).error).toBeUndefined();
		expect(told(run).of('N2')).toMatchObject([{ deployment_id: 'd-2' }]);
	});

	it('a lost deploy in one account says nothing of the other', async () => {
		const service = await openService();
		// Of the second account, with all that was ordered, and older
		const other = service.add({
			account: TWO,
			hours: 2,
			boughtAt: service.clock.now(),
			startedAt: service.clock.now(),
		});
		service.before = ({ method, key }) =>
			method === 'POST' && key === ONE ? { status: 500, text: '' } : undefined;
		const run = await chain(await twoAccounts(service), service, [
			deploy({}, by('one', CONTINUE)),
			deploy({ safety: { ifNameExists: 'deploy' } }, by('two')),
		]);
		const { of, error } = told(run);
		expect(String(of('N1')[0]?.error)).toContain('outcome unknown');
		expect(error).toBeUndefined();
		expect(of('N2')[0]?.deployment_id).not.toBe(other.id);
	});

	it('a lost extension in one account does not stop one of the same ID in the other', async () => {
		const [first, second] = [await openService(), await openService()];
		second.clock.restore();
		second.clock.wait = async (ms, signal) => await first.clock.wait(ms, signal);
		second.clock.now = () => first.clock.now();
		first.add();
		const [one] = [second.add({ account: TWO })];
		first.before = ({ method }) => (method === 'POST' ? { status: 500, text: '' } : undefined);
		const engine = await engineOf({ one: [first.url, ONE], two: [second.url, TWO] });
		const run = await chain(engine, first, [
			extend('d-1', 2, {}, by('one', CONTINUE)),
			extend('d-1', 2, {}, by('two')),
		]);
		expect(told(run).error).toBeUndefined();
		expect(one?.hours).toBe(7);
	});

	it('what was destroyed in one account is not called ended in the other', async () => {
		const [first, second] = [await openService(), await openService()];
		second.clock.restore();
		second.clock.wait = async (ms, signal) => await first.clock.wait(ms, signal);
		second.clock.now = () => first.clock.now();
		first.add();
		const other = second.add({ account: TWO });
		// A gateway in front of the second knows nothing for a while
		second.before = ({ path }) =>
			path === '/deployments' ? undefined : { status: 404, text: 'Not found' };
		other.hiddenFrom = 0;
		const engine = await engineOf({ one: [first.url, ONE], two: [second.url, TWO] });
		const run = await chain(engine, first, [
			destroy('d-1'),
			destroy('d-1', { ifNotFound: 'output' }, by('two')),
		]);
		const { of } = told(run);
		expect(of('N1')).toMatchObject([{ deleted: true }]);
		expect(of('N2')).toMatchObject([{ deleted: null }]);
		expect(second.running).toHaveLength(1);
	});

	it('a tool of an agent may buy one name in each account', async () => {
		const service = await openService({ behindMs: 60_000 });
		const engine = await twoAccounts(service);
		const tools = ['one', 'two'].map((id) => engine.tool(deploy({ safety: LIMIT }, by(id))));
		for (const tool of tools) await service.clock.during(tool({}));
		expect(service.running.map(({ account }) => account)).toEqual([ONE, TWO]);
	});

	it('one account buys a name once, by whatever credential', async () => {
		const service = await openService({ behindMs: 60_000 });
		const engine = await engineOf({ one: [service.url, ONE], same: [service.url, ` ${ONE}`] });
		const run = await chain(engine, service, [deploy(), deploy({}, by('same'))]);
		expect(told(run).error).toContain('already exists');
		expect(service.running).toHaveLength(1);
	});
});
