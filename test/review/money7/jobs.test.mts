import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import { MINUTE, paged, type Call, type Json, type Said, type Service } from './service.mts';
import { PAGES } from './pages.mts';
import { job, stage, type Told } from './stage.mts';

let known: string[] | undefined;

/** Names that only jobs with this key write: of three runs that have ended. */
async function namesOfJobs(): Promise<string[]> {
	if (known) return known;
	const { service, run } = await stage();
	for (let runs = 0; runs < 3; runs++) await run(job());
	expect(service.billing).toEqual([]);
	return (known = service.own.map(({ name }) => name));
}

const ends = ({ method, path }: Call, id: string | undefined) =>
	method === 'DELETE' && id !== undefined && path.endsWith(`/${id}`);

/** What a job has left that was killed. */
function addLeftovers(service: Service, names: string[], ...runs: number[]): void {
	for (const run of runs) service.add(names[run] ?? '', { product: 'vmaas' });
}

/** What bills is told by its ID, or by its name where nothing is said to have ended. */
function expectTold(service: Service, { items, all }: Told): void {
	const details = (items[0]?.details ?? items[0] ?? {}) as Json;
	for (const { id, name } of service.billing.filter(({ isOwn }) => isOwn))
		expect(all.includes(id) || (all.includes(name) && details.destroyed !== true)).toBe(true);
}

const REFUSALS: Array<[string, Said]> = [
	['403', { status: 403, body: { detail: 'forbidden' } }],
	['a 200 that says no', { body: { success: false, error: 'busy' } }],
];

describe.each(REFUSALS)('leftovers of which Destroy is refused with %s', (_refusal, refusal) => {
	it.each([
		['one of two runs', [0, 1], [1]],
		['both of two runs', [0, 1], [0, 1]],
		['one of two under one name', [0, 0], [1]],
		['both under one name', [0, 0], [0, 1]],
		['two of three runs', [0, 1, 2], [0, 2]],
	])('%s: nothing is bought, and all that may bill are told', async (_world, runs, refused) => {
		const names = await namesOfJobs();
		const { service, run } = await stage();
		addLeftovers(service, names, ...runs);
		service.before = (call) =>
			refused.some((index) => ends(call, service.all[index]?.id)) ? refusal : undefined;
		const told = await run(job({}, CONTINUE));
		expect(service.own).toEqual([]);
		expect(service.billing).toEqual(refused.map((index) => service.all[index]));
		for (const { id } of service.billing) expect(told.all).toContain(id);
	});
});

describe.each(PAGES)('a list whose second page is %s', (_page, said) => {
	it.each([true, false])('hides no leftover (total on the first: %s)', async (hasTotal) => {
		const names = await namesOfJobs();
		const { service, run } = await stage();
		for (let n = 0; n < 100; n++) service.add(`other-${n}`, { product: 'vmaas' });
		addLeftovers(service, names, 0);
		service.list = (entries, call) => paged(entries, call, hasTotal);
		service.before = ({ path, query }) =>
			path === '/deployments' && Number(query.get('page')) > 0 ? said : undefined;
		const told = await run(job({}, CONTINUE));
		expect(service.own).toEqual([]);
		expect(JSON.stringify(told.items)).toMatch(/list/i);
	});
});

describe.each([
	['one', 1],
	['two by one answer', 2],
])('a job that has bought %s', (_bought, copies) => {
	it.each<[string, number, Said]>([
		['503 from then on', Infinity, { status: 503, body: '' }],
		['503 for two minutes', 2 * MINUTE, { status: 503, body: '' }],
		['a web page for two minutes', 2 * MINUTE, { body: '<html></html>' }],
		[
			'an incomplete page for two minutes',
			2 * MINUTE,
			{ body: { data: { deployments: [], total: 3 } } },
		],
		['cut off for two minutes', 2 * MINUTE, { isLost: true }],
	])('of which the list is %s: what bills is told', async (_world, forMs, said) => {
		const { service, run } = await stage({ copies });
		service.add('other', { product: 'vmaas' });
		let since: number | undefined;
		service.before = ({ path }) => {
			if (path === '/deploy') since = service.clock.now();
			const isOut = since !== undefined && service.clock.now() < since + forMs;
			return path === '/deployments' && isOut ? said : undefined;
		};
		// The VM never answers: it is ended a minute later
		expectTold(service, await run(job({}, CONTINUE)));
	});

	it.each([0, MINUTE])(
		'whose answer names the request leaves none (seen after %i ms)',
		async (lagMs) => {
			const { service, run } = await stage({ copies, lagMs });
			service.add('other', { product: 'vmaas' });
			service.after = ({ path }, said) =>
				path === '/deploy' ? { body: { status: 'ok', id: 'req-77' } } : said;
			const told = await run(job({}, CONTINUE));
			expect(service.sent('POST')).toHaveLength(1);
			expectTold(service, told);
			expect(service.billing.filter(({ isOwn }) => isOwn)).toEqual([]);
		},
	);

	it.each<[string, unknown, number | null]>([
		['absent', undefined, null],
		['null', null, null],
		['empty', '', null],
		['no number', 'n/a', null],
		['a text', '4.00', 4],
		['a list', [4], null],
		['0', 0, 0],
	])('whose amount is %s costs no more or less than that', async (_world, amount, each) => {
		const { service, run } = await stage({ copies });
		service.details = (_, shown) => ({ ...shown, amount_paid: amount });
		const { items } = await run(job({}, CONTINUE));
		expect(service.billing).toEqual([]);
		const sum = each === null ? null : each * copies;
		expect(items).toMatchObject([{ details: { destroyed: true, amount_paid: sum } }]);
	});

	it('whose details cannot be read after the end has an unknown amount', async () => {
		const { service, run } = await stage({ copies });
		service.before = ({ path, method }) =>
			method === 'GET' &&
			/^\/deployment\//.test(path) &&
			service.own.some(({ id, endsAt }) => endsAt !== undefined && path.endsWith(id))
				? { status: 500, body: '' }
				: undefined;
		const { items } = await run(job({}, CONTINUE));
		expect(service.billing).toEqual([]);
		const [details] = items.map((item) => item.details as Json);
		expect(details?.amount_paid).toBeNull();
	});

	it.each([0, 1])(
		'%i of which ends after an hour of refusals is told by name and ID',
		async (of) => {
			const { service, run } = await stage({ copies });
			service.before = (call) =>
				ends(call, service.own[of]?.id) ? { status: 423, body: { detail: 'locked' } } : undefined;
			const told = await run(job({}, CONTINUE));
			expectTold(service, told);
			if (of < copies) expect(service.billing).toEqual([service.own[of]]);
		},
	);
});

it('a leftover that shows only after the purchase is ended by the next run', async () => {
	const [name = ''] = await namesOfJobs();
	const { service, run } = await stage({ lagMs: MINUTE });
	service.add(name, { product: 'vmaas', madeAt: service.clock.now() });
	await run(job({}, CONTINUE));
	await run(job({}, CONTINUE));
	expect(service.billing).toEqual([]);
});
