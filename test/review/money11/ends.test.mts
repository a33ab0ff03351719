import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { cheapestParameters, CONTINUE, deployment, locator, RETRY } from '../../engine/nodes.mts';
import { MINUTE, SECOND, type Machine, type Request, type Said } from './market.mts';
import { open, runJob, untold, type Opened } from './open.mts';

const destroy = (id: string, settings = {}) =>
	deployment('destroy', { deploymentId: locator(id), options: {} }, settings);

const destroyEach = (settings = {}) => destroy('={{ $json.id }}', settings);

/** All requests of some seconds are answered by whoever stands before the service. */
function during({ market }: Opened, ms: number, said: Said, from = 0): void {
	const begin = market.clock.now() + from;
	market.before = () => {
		const at = market.clock.now();
		return at >= begin && at < begin + ms ? said : undefined;
	};
}

/** What a gateway says while its routes change. */
const GATEWAYS: Array<[string, Said]> = [
	['404', { status: 404, body: { message: 'no Route matched with those values' } }],
	['405', { status: 405, body: '' }],
	['503', { status: 503, body: '' }],
	['502 as a page', { status: 502, body: '<html></html>' }],
	['200 as a page', { body: '<html></html>', headers: { 'content-type': 'text/html' } }],
];

describe.each(GATEWAYS)('a gateway that answers everything with %s', (_what, said) => {
	it.each([5 * SECOND, 30 * SECOND, 70 * SECOND])(
		'for %i ms does not keep Destroy from ending what bills',
		async (ms) => {
			const opened = await open();
			const machine = opened.market.add('train');
			during(opened, ms, said);
			const { items } = await opened.run(destroy(machine.id));
			expect(machine.toldAt).toBeDefined();
			expect(items[0]).toMatchObject({ deleted: true, verified: true });
		},
	);

	it('for 30 s does not keep Destroy of four from ending them', async () => {
		const opened = await open();
		const machines = [1, 2, 3, 4].map((nth) => opened.market.add(`train-${nth}`));
		during(opened, 30 * SECOND, said);
		await opened.run(
			destroyEach(CONTINUE),
			machines.map(({ id }) => ({ id })),
		);
		expect(machines.filter(({ toldAt }) => toldAt === undefined)).toEqual([]);
	});

	it.each([0, 15 * SECOND, 45 * SECOND])(
		'for a minute, %i ms after the deploy, leaves nothing of a Run untold',
		async (from) => {
			const opened = await open({ twins: [{ listedAfterMs: 30 * SECOND }] });
			opened.market.after = ({ path }, answer) => {
				if (path === '/deploy') during(opened, MINUTE, said, from);
				return answer;
			};
			expect(untold(opened, await opened.run(runJob()))).toEqual([]);
			expect(opened.market.billing).toEqual([]);
		},
	);
});

/** How a service may refuse to end one for some minutes. */
const REFUSALS: Said[] = [
	{ status: 500, body: 'internal' },
	{ status: 409, body: { detail: 'busy' } },
	{ status: 429, body: { detail: 'slow down' }, headers: { 'retry-after': '60' } },
	{ body: { success: false, error: 'try later' } },
];

describe.each(REFUSALS)('a first of two that refuses its end with %o', (said) => {
	it('does not hold up that of the second for more than a minute', async () => {
		const opened = await open({ twins: [{}] });
		const { market, run } = opened;
		market.refuse = (machine) => {
			const isEarly = market.clock.now() < (machine.askedAt[0] ?? 0) + 4 * MINUTE;
			return machine === market.ordered[0] && isEarly ? said : undefined;
		};
		const seen = await run(runJob());
		const [first, second] = market.ordered.map(({ askedAt }) => askedAt[0] ?? Infinity);
		expect(market.billing).toEqual([]);
		expect(seen.items[0]).toMatchObject({ destroyed: true });
		expect(Math.abs(Number(second) - Number(first))).toBeLessThanOrEqual(MINUTE);
	});
});

/** A limit that begins anew with each request that comes before it is over. */
function limit({ market }: Opened, seconds: number, begins: (call: Request) => boolean): void {
	let until = -Infinity;
	market.before = (call) => {
		const now = market.clock.now();
		if (now >= until && !(until === -Infinity && begins(call))) return undefined;
		until = now + seconds * SECOND;
		const headers = { 'retry-after': String(seconds) };
		return { status: 429, body: { detail: 'rate limit' }, headers };
	};
}

describe.each([10, 30, 60, 90])('a limit of %i s that each request begins anew', (seconds) => {
	it('does not keep a Run from ending its VM, or the Run says so', async () => {
		const opened = await open();
		limit(opened, seconds, ({ method }) => method === 'DELETE');
		const seen = await opened.run(runJob());
		expect(untold(opened, seen)).toEqual([]);
		if (seconds <= 60) expect(opened.market.billing).toEqual([]);
	});

	it('does not keep Destroy with Retry On Fail from ending one', async () => {
		const opened = await open();
		const machine = opened.market.add('train');
		limit(opened, seconds, () => true);
		const seen = await opened.run(destroy(machine.id, RETRY));
		expect(machine.toldAt !== undefined || seen.error.includes(machine.id)).toBe(true);
		if (seconds <= 60) expect(machine.toldAt).toBeDefined();
	});
});

describe('details that are not shown, beside a list that fails', () => {
	it.each([0, 20 * SECOND, 3 * MINUTE])('end nothing that runs (told after %i ms)', async (ms) => {
		const opened = await open();
		const { market, run } = opened;
		const machine: Machine = market.add('train');
		// Taken, and carried out later
		market.endMs = ms;
		market.detail = () => undefined;
		market.before = ({ path }) => (path === '/deployments' ? { status: 500, body: '' } : undefined);
		const { items } = await run(destroy(machine.id, CONTINUE));
		expect(items[0]?.verified ?? false).toBe(false);
		expect(JSON.stringify(items)).toContain(machine.id);
	});
});

const cheapest = (safety: IDataObject) =>
	deployment('deployCheapest', cheapestParameters({ maxTries: 3, safety }), CONTINUE);

describe.each([Number, String])('a price that rises before it is bought, as %o', (written) => {
	it.each([{ maxHourlyPrice: 4 }, { maxPrice: 8 }])('buys nothing above %o', async (safety) => {
		const { market, run } = await open();
		let asked = 0;
		market.total = () => written(asked++ === 0 ? 3 : 9);
		const bought = await run(cheapest(safety));
		expect(market.ordered).toEqual([]);
		expect(bought.items[0]?.error).toBeDefined();
		asked = 0;
		await run(runJob({ safety }));
		expect(market.ordered).toEqual([]);
	});
});
