import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deployment } from '../../engine/nodes.mts';
import type { Call, Service } from './service.mts';
import { deploy, destroy, destroyMany, stage, told, type Stage } from './stage.mts';

type Row = Record<string, unknown>;
type Paged = Service['paged'];

const sizeOf = ({ query }: Call, most = 100) =>
	Math.min(most, Number(query.get('page_size') ?? 10));
const pageOf = ({ query }: Call) => Number(query.get('page') ?? 0);
const slice = (entries: Row[], page: number, size: number) =>
	entries.slice(Math.max(0, page) * size, (Math.max(0, page) + 1) * size);

let turn = 0;
/** Each is a way in which a service may page its list; the first page is 0, or 1 where that is said. */
const PAGED: Array<[string, Paged]> = [
	[
		'pages that overlap by five',
		(entries, call) => {
			const size = sizeOf(call, 20);
			const start = Math.max(0, pageOf(call) * (size - 5));
			return { deployments: entries.slice(start, start + size), total: entries.length };
		},
	],
	[
		'pages that overlap, without a total',
		(entries, call) => {
			const size = sizeOf(call, 20);
			const start = pageOf(call) * (size - 5);
			return { deployments: entries.slice(start, start + size) };
		},
	],
	[
		'another order each time',
		(entries, call) => {
			turn++;
			const shuffled = entries.map((one, index) => ({ one, at: (index * (7 + turn * 2)) % 61 }));
			shuffled.sort((a, b) => a.at - b.at);
			const deployments = slice(
				shuffled.map(({ one }) => one),
				pageOf(call),
				sizeOf(call, 20),
			);
			return { deployments, total: entries.length };
		},
	],
	[
		'pages from 1, where 0 is the first, too',
		(entries, call) => ({
			deployments: slice(entries, pageOf(call) - 1, sizeOf(call, 20)),
			total: entries.length,
		}),
	],
	[
		'pages from 1, without a total',
		(entries, call) => ({
			deployments: slice(entries, pageOf(call) - 1, sizeOf(call, 20)),
		}),
	],
	[
		'a page size that is not heeded',
		(entries, call) => ({
			deployments: slice(entries, pageOf(call), 7),
			total: String(entries.length),
		}),
	],
	[
		'a page number that is not heeded, with a total',
		(entries, call) => ({
			deployments: slice(entries, 0, sizeOf(call, 20)),
			total: entries.length,
		}),
	],
	[
		'a page number that is not heeded, without a total',
		(entries, call) => ({
			deployments: slice(entries, 0, sizeOf(call, 20)),
		}),
	],
	[
		'a last page that comes again and again, without a total',
		(entries, call) => {
			const size = sizeOf(call, 20);
			const last = Math.ceil(entries.length / size) - 1;
			return { deployments: slice(entries, Math.min(pageOf(call), last), size) };
		},
	],
	[
		'at most three pages of ten, and the third again, without a total',
		(entries, call) => ({
			deployments: slice(entries, Math.min(pageOf(call), 2), 10),
		}),
	],
	[
		'at most 45 entries, and then nothing, with a total of them',
		(entries, call) => ({
			deployments: slice(entries.slice(0, 45), pageOf(call), sizeOf(call, 20)),
			total: entries.length,
		}),
	],
	[
		'a total of the page',
		(entries, call) => {
			const deployments = slice(entries, pageOf(call), sizeOf(call, 20));
			return { deployments, total: deployments.length };
		},
	],
	[
		'a total of pages',
		(entries, call) => ({
			deployments: slice(entries, pageOf(call), sizeOf(call, 20)),
			total: Math.ceil(entries.length / 20),
		}),
	],
	[
		'a total of 0',
		(entries, call) => ({
			deployments: slice(entries, pageOf(call), sizeOf(call, 20)),
			total: 0,
		}),
	],
	[
		'a total of -1 and has_more',
		(entries, call) => {
			const size = sizeOf(call, 20);
			const deployments = slice(entries, pageOf(call), size);
			return { deployments, total: -1, has_more: (pageOf(call) + 1) * size < entries.length };
		},
	],
	[
		'an empty page in between',
		(entries, call) => ({
			deployments: pageOf(call) === 1 ? [] : slice(entries, Math.max(0, pageOf(call) - 1), 20),
			total: entries.length,
		}),
	],
];

/** 55 that run, and the one that counts last. */
async function crowd(paged: Paged): Promise<Stage> {
	const set = await stage({ paged });
	for (let count = 0; count < 54; count++) set.service.add({ name: `other-${count}` });
	set.service.add({ name: 'job' });
	return set;
}

describe.each(PAGED)('a list with %s', (_, paged) => {
	it('lets nothing be bought under a name that is taken', async () => {
		const { service, run } = await crowd(paged);
		const { error } = told(await run(deploy()));
		expect(service.sent('POST')).toEqual([]);
		expect(error).toBeDefined();
	});

	it('does not say that a name is that of nothing that runs', async () => {
		const { service, run } = await crowd(paged);
		const { error, of } = told(await run(destroy('job', { ifNotFound: 'output' }, 'name')));
		const [item] = of();
		if (error === undefined && service.bills.some(({ name }) => name === 'job'))
			expect(item).toMatchObject({ deleted: null });
		expect(item?.reason).not.toBe('not found');
	});

	it('hides nothing from Destroy Many, Get Spending and Get Many', async () => {
		const { service, run } = await crowd(paged);
		const spent = told(
			await run(deployment('getSpending', { groupBy: 'none', filters: {}, options: {} })),
		);
		if (spent.error === undefined)
			expect(spent.of()).toMatchObject([{ deployments: 55, paid: 275 }]);
		const many = told(await run(deployment('getAll', { returnAll: true, filters: {} })));
		if (many.error === undefined)
			expect(new Set(many.of().map(({ deployment_id: id }) => id)).size).toBe(55);
		const { error } = told(await run(destroyMany('', { namePrefix: 'other-', limit: 100 })));
		if (error === undefined) expect(service.bills.map(({ name }) => name)).toEqual(['job']);
	});
});

describe('a list that changes while it is read', () => {
	it.each(['ends', 'begins', 'both'])('since one %s with each page', async (how) => {
		const { service, run } = await stage();
		for (let count = 0; count < 54; count++) service.add({ name: `other-${count}` });
		service.add({ name: 'job' });
		let pages = 0;
		const hidden = new Set<unknown>();
		service.paged = (entries, call) => {
			const shown = entries.filter(({ id }) => !hidden.has(id));
			const deployments = slice(shown, pageOf(call), sizeOf(call, 20));
			if (pages++ < 12) {
				if (how !== 'begins') hidden.add(shown[0]?.id);
				if (how !== 'ends')
					service.machines.unshift({ ...service.made(1), id: `new-${pages}`, name: 'x' });
			}
			return { deployments } as IDataObject;
		};
		const { error } = told(await run(deploy()));
		expect(service.sent('POST')).toEqual([]);
		expect(error).toBeDefined();
	});
});

describe('a list of one page whose first request gets the 404 of a gateway', () => {
	async function blip(status: number, hasTotal: boolean) {
		const set = await stage();
		const { service } = set;
		service.add();
		service.add({ name: 'other' });
		service.paged = (entries, call) => ({
			deployments: slice(entries, pageOf(call), sizeOf(call)),
			...(hasTotal && { total: entries.length }),
		});
		let lists = 0;
		service.instead = ({ path }) =>
			path === '/deployments' && ++lists === 1
				? { status, text: '<html><title>Not Found</title></html>' }
				: undefined;
		return set;
	}
	describe.each([404, 400, 422])('or another one: %d', (status) => {
		it.each([true, false])('is not empty, with a total: %s', async (hasTotal) => {
			const bought = await blip(status, hasTotal);
			await bought.run(deploy());
			expect(bought.service.machines).toHaveLength(2);
			const many = await blip(status, hasTotal);
			const { of, error } = told(await many.run(destroyMany('jo')));
			expect(many.service.bills.length === 1 || error !== undefined || of().length > 0).toBe(true);
			const limited = await blip(status, hasTotal);
			const safety = { maxPrice: 9, maxRunningCost: 2.5 };
			await limited.run(deploy({ resourcePrivateName: 'x', safety }));
			expect(limited.service.machines).toHaveLength(2);
		});
	});
});
