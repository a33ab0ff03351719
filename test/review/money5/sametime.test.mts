import { describe, expect, it } from 'vitest';
import { caas, containerParameters, CONTINUE, RETRY } from '../../engine/nodes.mts';
import type { Call } from './service.mts';
import { deploy, destroy, extend, stage, told } from './stage.mts';

const isPost = ({ method }: Call) => method === 'POST';
const OTHER = { credentials: { computeMarketplaceApi: { id: 'other', name: 'other' } } };

describe('several items with one name', () => {
	const outcomes: Array<[string, number]> = [
		['every answer is lost', Infinity],
		['the first answer is lost', 1],
		['none is lost', 0],
	];
	it.each(outcomes)('where %s: one is bought, and the others say so', async (_, lost) => {
		for (const settings of [RETRY, CONTINUE, { ...RETRY, ...CONTINUE }]) {
			const { service, run } = await stage();
			const isShown = ({ boughtAt }: { boughtAt: number }) =>
				service.clock.now() >= boughtAt + 40_000;
			service.listed = (machine, entry) => (isShown(machine) ? entry : undefined);
			service.detailed = (machine, details) => (isShown(machine) ? details : undefined);
			let count = 0;
			service.answered = (call, said) => (isPost(call) && ++count <= lost ? { reset: true } : said);
			const { all } = told(await run(deploy({}, settings), [{}, {}, {}]));
			expect(service.machines).toHaveLength(1);
			expect(all).toContain('dep-1');
		}
	});

	it.each(['deploy', 'unique'])(
		'that are all wanted (%s) are all bought and named',
		async (how) => {
			for (const lost of [[1], [2], [3], [1, 2, 3]]) {
				const { service, run } = await stage();
				let count = 0;
				service.answered = (call, said) =>
					isPost(call) && lost.includes(++count) ? { reset: true } : said;
				const safety = how === 'unique' ? { uniqueName: true } : { ifNameExists: 'deploy' };
				const { all } = told(
					await run(deploy({ safety }, { ...RETRY, ...CONTINUE }), [{}, {}, {}]),
				);
				expect(service.machines).toHaveLength(3);
				for (const { id, name } of service.machines)
					expect(all.includes(id) || all.includes(name)).toBe(true);
			}
		},
	);

	it('in names that the service makes equal', async () => {
		const { service, run } = await stage({ named: (name) => name.toLowerCase().slice(0, 8) });
		const node = deploy({ resourcePrivateName: '={{ $json.name }}' }, CONTINUE);
		const items = ['Training-a', 'training-A', 'training-a-2'].map((name) => ({ name }));
		const { all } = told(await run(node, items));
		for (const { id } of service.machines) expect(all).toContain(id);
	});
});

describe('two accounts', () => {
	it('buy the same name each', async () => {
		const { service, chain } = await stage();
		const { error } = told(await chain([deploy(), deploy({}, OTHER)]));
		expect(error).toBeUndefined();
		expect(service.machines.map(({ key }) => key).sort()).toEqual([
			'key-of-account-1',
			'key-of-account-2',
		]);
	});

	it('do not destroy, extend or know each other by an ID', async () => {
		const { service, chain } = await stage();
		service.add({ id: 'same', key: 'key-of-account-2' });
		const first = told(await chain([destroy('same'), destroy('same', {}, 'id', OTHER)]));
		expect(first.error).toContain('There is no deployment same');
		expect(service.bills).toHaveLength(1);
	});

	it('with the same ID: the end in one is none in the other', async () => {
		const { service, chain } = await stage({ idOf: () => 'same' });
		service.add({ key: 'key-of-account-1' });
		service.add({ key: 'key-of-account-2' });
		const run = await chain([destroy('same'), extend('same', 2, {}, OTHER)]);
		expect(told(run).error).toBeUndefined();
		expect(service.machines.map(({ hours }) => hours)).toEqual([5, 7]);
	});

	it('and two products with the same name and ID', async () => {
		const { service, chain } = await stage({ idOf: () => 'same' });
		const container = caas(
			'deployment',
			'deploy',
			containerParameters({ resourcePrivateName: 'job' }),
		);
		const { error } = told(await chain([deploy(), container, destroy('same')]));
		expect(error).toBeUndefined();
		expect(service.bills.map(({ product }) => product)).toEqual(['caas']);
	});
});

describe('executions at the same time', () => {
	it.each([2, 5])('%d of one name buy one', async (count) => {
		const { service, engine, time } = await stage();
		service.listed = ({ boughtAt }, entry) =>
			service.clock.now() >= boughtAt + 60_000 ? entry : undefined;
		const runs = Array.from(
			{ length: count },
			async (_, index) => await engine.run(deploy(), [{}], { executionId: `e${index}` }),
		);
		const all = await time.during(Promise.all(runs), 3_600_000);
		expect(service.machines).toHaveLength(1);
		expect(all.filter((run) => told(run).error === undefined)).toHaveLength(1);
	});

	it('of several names stay below the limit on what runs', async () => {
		const { service, engine, time } = await stage();
		const safety = { maxPrice: 50, maxRunningCost: 2.5 };
		const runs = ['a', 'b', 'c', 'd'].map(
			async (name) =>
				await engine.run(deploy({ resourcePrivateName: name, safety }), [{}], {
					executionId: name,
				}),
		);
		await time.during(Promise.all(runs), 3_600_000);
		expect(service.machines.length).toBeLessThanOrEqual(2);
	});

	it('extend one deployment twice, each once', async () => {
		const { service, engine, time } = await stage();
		const machine = service.add();
		service.answered = (call, said) => (isPost(call) ? { reset: true } : said);
		const runs = ['a', 'b'].map(
			async (executionId) => await engine.run(extend('dep-1', 2, {}, RETRY), [{}], { executionId }),
		);
		const all = (await time.during(Promise.all(runs), 3_600_000)).map(told);
		expect(all.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(machine.hours).toBe(9);
	});
});
