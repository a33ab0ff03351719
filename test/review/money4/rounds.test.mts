import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { by, chain, deploy, destroy, ONE, openService, told, twoAccounts } from './harness.mts';

const items = (values: unknown[]) => ({ items: values.map((id) => ({ json: { id } as never })) });
const EACH = '={{ $json.id }}';

describe('the first requests of several items', () => {
	it('are not for what an earlier try has done, whose name is another one now', async () => {
		const service = await openService();
		service.add({ name: 'job-a' });
		service.add({ name: 'job-b' });
		let refusals = 0;
		service.before = ({ method, path }) => {
			if (method !== 'DELETE' || !path.endsWith('d-2') || refusals++ > 0) return undefined;
			// Meanwhile somebody else buys under the first name
			service.add({ name: 'job-a' });
			return { status: 403, json: { detail: 'not now' } };
		};
		const run = await chain(
			await twoAccounts(service),
			service,
			[destroy(EACH, {}, by('one', RETRY), 'name')],
			items(['job-a', 'job-b']),
		);
		expect(told(run).error).toBeUndefined();
		expect(service.running.map(({ id }) => id)).toEqual(['d-3']);
	});

	it('are sent although one item is not valid', async () => {
		const service = await openService();
		service.add();
		const run = await chain(
			await twoAccounts(service),
			service,
			[destroy(EACH, {}, by('one', CONTINUE))],
			items([{ no: 'id' }, 'd-1']),
		);
		expect(told(run).of('N1')).toMatchObject([
			{ error: expect.anything() as unknown },
			{ deleted: true, deployment_id: 'd-1' },
		]);
		expect(service.running).toEqual([]);
	});

	it('of a name that several have are none, and the others end', async () => {
		const service = await openService();
		service.add({ name: 'twice' });
		service.add({ name: 'twice' });
		service.add({ name: 'once' });
		const run = await chain(await twoAccounts(service), service, [
			destroy(['twice', 'once'], {}, by('one'), 'name'),
		]);
		expect(told(run).error).toContain('2 deployments named "twice"');
		expect(service.running.map(({ name }) => name)).toEqual(['twice', 'twice']);
	});

	it('do not reach the deployment of somebody else that has the name', async () => {
		const service = await openService();
		const other = service.add({ hours: 9 });
		const run = await chain(await twoAccounts(service), service, [
			deploy({}, by('one', CONTINUE)),
			destroy(['job', 'x'], {}, by('one'), 'name'),
		]);
		expect(told(run).error).toContain('not the one that this execution has ordered');
		expect(other.endedAt).toBeUndefined();
	});

	it('of a name and its ID are those of one deployment', async () => {
		const service = await openService();
		service.add();
		const engine = await twoAccounts(service);
		const run = await chain(engine, service, [
			destroy(['d-1', 'd-1'], {}, by('one')),
			destroy('job', {}, by('one'), 'name'),
		]);
		expect(told(run).error).toBeUndefined();
		expect(told(run).of('N2')).toMatchObject(Array(2).fill({ deleted: true, already_gone: true }));
	});

	it.each([0, 1, 2])('are all sent where number %i hangs', async (which) => {
		const service = await openService();
		['a', 'b', 'c'].forEach((name) => service.add({ name }));
		const begun = service.clock.now();
		service.change = ({ method, path }, said) =>
			method === 'DELETE' && path.endsWith(`d-${which + 1}`) ? { ...said, after: 600_000 } : said;
		const run = await chain(await twoAccounts(service), service, [destroy(['d-1', 'd-2', 'd-3'])]);
		expect(service.running).toEqual([]);
		expect(told(run).error).toBeUndefined();
		service.machines.forEach(({ endedAt = Infinity }) =>
			expect(endedAt - begun).toBeLessThan(10_000),
		);
	});

	it('that hang do not keep a busy one waiting', async () => {
		const service = await openService();
		['a', 'b', 'c'].forEach((name) => service.add({ name }));
		const begun = service.clock.now();
		service.before = ({ method, path, at }) =>
			method === 'DELETE' && path.endsWith('d-1') && at < begun + 30_000
				? { status: 409, json: { detail: 'busy' } }
				: undefined;
		service.change = ({ method, path }, said) =>
			method === 'DELETE' && path.endsWith('d-2') ? { ...said, after: 600_000 } : said;
		const run = await chain(await twoAccounts(service), service, [destroy(['d-1', 'd-2', 'd-3'])]);
		expect(told(run).error).toBeUndefined();
		const { endedAt = Infinity } = service.machines[0] ?? {};
		expect(endedAt - begun).toBeLessThan(45_000);
	});

	it.each([12, 40])('of %i items are a few at once, and all end', async (count) => {
		const service = await openService();
		const ids = Array.from({ length: count }, () => service.add().id);
		let now = 0;
		let most = 0;
		service.change = ({ method }, said) => {
			if (method === 'DELETE') {
				most = Math.max(most, ++now);
				void service.clock.wait(1_000).then(() => now--);
				return { ...said, after: 1_000 };
			}
			return said;
		};
		const run = await chain(await twoAccounts(service), service, [destroy(EACH)], items(ids));
		expect(
			told(run)
				.of('N1')
				.map(({ deployment_id: id }) => id),
		).toEqual(ids);
		expect(most).toBeLessThanOrEqual(5);
		expect(service.requests('DELETE', /./)).toHaveLength(count);
	});

	it('of a service that limits its rate are sent again', async () => {
		const service = await openService();
		const ids = Array.from({ length: 8 }, () => service.add().id);
		let left = 5;
		service.before = ({ method }) => {
			if (method !== 'DELETE') return undefined;
			if (left-- > 0) return undefined;
			left = 4;
			return { status: 429, text: '', headers: { 'retry-after': '3' } };
		};
		const run = await chain(await twoAccounts(service), service, [destroy(ids)]);
		expect(told(run).error).toBeUndefined();
		expect(service.running).toEqual([]);
	});

	it('that are refused with Retry On Fail are sent again to those alone', async () => {
		const service = await openService();
		['a', 'b', 'c'].forEach((name) => service.add({ name }));
		let refusals = 0;
		service.before = ({ method, path }) =>
			method === 'DELETE' && path.endsWith('d-2') && refusals++ < 1
				? { status: 403, json: { detail: 'not now' } }
				: undefined;
		const run = await chain(
			await twoAccounts(service),
			service,
			[destroy(EACH, {}, by('one', RETRY))],
			items(['d-1', 'd-2', 'd-3']),
		);
		expect(told(run).of('N1')).toMatchObject([1, 2, 3].map((n) => ({ deployment_id: `d-${n}` })));
		expect(service.requests('DELETE', /d-[13]$/)).toHaveLength(2);
		expect(service.running).toEqual([]);
	});

	it('cancelled in between name what may run', async () => {
		const service = await openService();
		const ids = Array.from({ length: 7 }, () => service.add().id);
		const engine = await twoAccounts(service);
		const cancel = new AbortController();
		const { length } = engine.log;
		service.change = ({ method, path }, said) => {
			if (method === 'DELETE' && path.endsWith('d-2')) cancel.abort();
			return said;
		};
		await chain(engine, service, [destroy(ids)], { cancel: cancel.signal });
		const logged = JSON.stringify(engine.log.slice(length).map(({ facts }) => facts));
		service.running.forEach(({ id }) => expect(logged).toContain(id));
	});

	it('of young ones that this execution has bought end them', async () => {
		const service = await openService({ behindMs: 60_000 });
		const run = await chain(
			await twoAccounts(service),
			service,
			[deploy({ resourcePrivateName: EACH }), destroy('={{ $json.deployment_id }}')],
			items(['a', 'b', 'c']),
		);
		expect(told(run).error).toBeUndefined();
		expect(service.machines.map(({ account }) => account)).toEqual([ONE, ONE, ONE]);
		expect(service.running).toEqual([]);
	});

	it('without Verify say what one look shows', async () => {
		const service = await openService({ showsEnded: false });
		const ids = ['a', 'b', 'c'].map((name) => service.add({ name }).id);
		service.add({ name: 'other' });
		const run = await chain(await twoAccounts(service), service, [destroy(ids, { verify: false })]);
		expect(told(run).of('N1')).toMatchObject(ids.map(() => ({ deleted: null, accepted: true })));
	});
});
