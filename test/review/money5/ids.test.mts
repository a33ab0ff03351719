import { describe, expect, it } from 'vitest';
import { caas, containerParameters, CONTINUE, locator, RETRY } from '../../engine/nodes.mts';
import type { Service } from './service.mts';
import { deploy, destroy, destroyMany, extend, stage, told } from './stage.mts';

type Row = Record<string, unknown>;

/** What IDs look like: as the answer to a deploy, the list and the details show them. */
const IDS: Array<[string, Partial<Service>]> = [
	['__proto__', { idOf: () => '__proto__' }],
	['constructor', { idOf: () => 'constructor' }],
	['0', { idOf: () => '0' }],
	['19 digits', { idOf: (count) => `922337203685477580${count}` }],
	['a time', { idOf: (count) => `2026-03-01T08:00:0${count}Z` }],
	['e-mail', { idOf: (count) => `gpu+${count}@example.org` }],
	['of 400 characters', { idOf: (count) => `${'a1'.repeat(200)}${count}` }],
	[
		'in capitals in the list',
		{
			listed: (_, entry) => ({ ...entry, id: String(entry.id).toUpperCase() }),
		},
	],
	[
		'in capitals in the answer',
		{
			deployed: ({ id }) => ({ deployment_id: id.toUpperCase() }),
		},
	],
	[
		'as deployment_id everywhere',
		{
			listed: (_, { id, ...entry }) => ({ ...entry, deployment_id: id }),
			detailed: (_, { id, ...details }) => ({ ...details, deployment_id: id }),
		},
	],
	[
		'beside the number of a row',
		{
			listed: (_, { id, ...entry }) => ({ ...entry, uuid: id, id: 77 }),
			detailed: (_, { id, ...details }) => ({ ...details, uuid: id, id: 77 }),
			deployed: ({ id }) => ({ deployment_id: id, id: 77 }),
		},
	],
	[
		'beside the ID of the order',
		{
			detailed: (_, details) => ({ ...details, order: { id: 'order-1' }, deployment_id: '' }),
			deployed: ({ id }) => ({ data: { id, order_id: 'order-1' }, id: 'order-1' }),
		},
	],
	['in a list of one', { deployed: ({ id }) => [{ id }] as unknown as Row }],
];

describe.each(IDS)('the ID %s', (_, changes) => {
	it('is that of what is bought, extended and destroyed', async () => {
		for (const lost of [false, true]) {
			const { service, chain } = await stage(changes);
			service.add({ id: 'older', name: 'older' });
			service.answered = (call, said) => (lost && call.path === '/deploy' ? { reset: true } : said);
			const run = await chain([
				deploy({}, RETRY),
				{ ...extend('={{ $json.deployment_id }}', 2, {}, CONTINUE) },
				destroy('={{ $("N1").item.json.deployment_id }}', {}, 'id', CONTINUE),
			]);
			const { of, error, all } = told(run);
			expect(service.machines).toHaveLength(2);
			const bought = service.made(2);
			expect(service.made(1).endedAt).toBeUndefined();
			expect(bought.hours).toBeLessThanOrEqual(4);
			// A deployment that is called destroyed is
			if (of('N3').some(({ deleted }) => deleted === true)) expect(bought.endedAt).toBeDefined();
			if (bought.endedAt === undefined) expect(`${error}${all}`).toMatch(/job/);
		}
	});
});

describe('the same deployment several times', () => {
	it.each([
		['in one list', [['dep-1', 'dep-1', 'dep-1']]],
		['in three items', ['dep-1', 'dep-1', 'dep-1']],
		['by its ID and another case', ['dep-1', 'DEP-1']],
	])('%s is destroyed once, without an error for the others that is none', async (_, ids) => {
		const { service, run } = await stage();
		service.add();
		const items = ids.map((id) => ({ id }));
		const { of } = told(await run(destroy('={{ $json.id }}', {}, 'id', CONTINUE), items as never));
		expect(service.bills).toEqual([]);
		expect(of()[0]).toMatchObject({ deleted: true, verified: true });
	});

	it('is extended once for each item, and so is what is lost of them', async () => {
		for (const lost of [1, 2, 3]) {
			const { service, run } = await stage();
			const machine = service.add();
			let count = 0;
			service.answered = (call, said) =>
				call.method === 'POST' && ++count === lost ? { reset: true } : said;
			const { of } = told(
				await run(extend('dep-1', 2, {}, { ...RETRY, ...CONTINUE }), [{}, {}, {}]),
			);
			const added = of().reduce((sum, { added_hours: hours }) => sum + Number(hours ?? 0), 0);
			expect(machine.hours - 5).toBe(added);
			expect(machine.hours).toBeLessThanOrEqual(11);
		}
	});
});

describe('containers', () => {
	it('are bought once where the answer is lost, and destroyed by what shows', async () => {
		for (const name of ['web', 'Web Ü']) {
			const { service, chain } = await stage();
			service.answered = (call, said) => (call.path === '/deploy' ? { status: 504 } : said);
			const node = caas(
				'deployment',
				'deploy',
				containerParameters({ resourcePrivateName: name }),
				RETRY,
			);
			const end = caas('deployment', 'destroy', {
				deploymentId: locator('={{ $json.deployment_id }}'),
				options: {},
			});
			const { error, of } = told(await chain([node, end]));
			expect(error).toBeUndefined();
			expect(of('N2')).toMatchObject([{ deleted: true, verified: true }]);
			expect(service.machines).toHaveLength(1);
			expect(service.bills).toEqual([]);
		}
	});

	it('are not ended by the VMs of the same prefix', async () => {
		const { service, run } = await stage();
		service.add({ name: 'nightly-1' });
		service.add({ name: 'nightly-2', product: 'caas' });
		await run(destroyMany('nightly-'));
		expect(service.bills.map(({ product }) => product)).toEqual(['caas']);
	});
});
