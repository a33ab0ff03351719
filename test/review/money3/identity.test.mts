import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { RETRY } from '../../engine/nodes.mts';
import { deploy, deployContainers, told, toldBy } from '../money2/forms.mts';
import { MINUTE, openMarket, type Market } from '../money2/service.mts';
import type { Answer, Call, Rented } from '../money2/types.mts';

/** Whose a deployment is after a lost answer: only what proves it makes it ours. */

const isDeploy = ({ method, path }: Call) => method === 'POST' && path === '/deploy';

/** What becomes of the first deploy, and what the node hears of it. */
type Fate = (market: Market, call: Call) => Answer;
const LOST: Fate = () => 'cut';
const DONE: Fate = (market, { product, body }) => {
	market.buy(product, body);
	return 'cut';
};

function first(market: Market, fate: Fate): void {
	let isFirst = true;
	market.odd = (call) => {
		if (!isFirst || !isDeploy(call)) return undefined;
		isFirst = false;
		return fate(market, call);
	};
}

/** A colleague's deployment of the same size, bought while the answer of ours is lost. */
const colleagues =
	(name: unknown, changes: Partial<Rented> = {}): Fate =>
	(market) => {
		market.add({ name, hours: 2, paid: 2, ...changes });
		return 'cut';
	};

const ordering = (name: string, safety: IDataObject = {}) =>
	deploy({ resourcePrivateName: name, safety }, RETRY);

describe("a colleague's deployment that is new after a lost answer", () => {
	it.each([
		['in another case', 'Nightly', 'nightly'],
		['of other characters between its words', 'My Job', 'my-job'],
		['of the beginning', 'nightly-training-run-eu', 'nightly-training-run'],
		['with a blank at its end', 'nightly', 'nightly '],
	])('is not ours by a name %s', async (_, name, other) => {
		const market = await openMarket();
		first(market, colleagues(other));
		const { error, details, items } = await told(market, ordering(name));
		expect(items).toEqual([]);
		expect(error).toMatch(/outcome unknown/);
		expect(error).toContain(`d-1 ("${other}")`);
		expect(details).toMatchObject({ deployment_id: null, outcome: 'unknown' });
		expect(market.sent('POST', /deploy/)).toHaveLength(1);
	});

	it('is not ours by a name of containers in another case', async () => {
		const market = await openMarket();
		first(market, colleagues('WEB', { product: 'caas' }));
		const { error } = await told(market, deployContainers({}, RETRY));
		expect(error).toMatch(/outcome unknown.*d-1 \("WEB"\)/);
		expect(market.sent('POST', /deploy/)).toHaveLength(1);
	});

	it('is not ours by a similar name after an answer without an ID', async () => {
		const market = await openMarket();
		first(market, (here) => {
			here.add({ name: 'nightly', hours: 2, paid: 2 });
			return { status: 202, text: '' };
		});
		const { items } = await told(market, ordering('Nightly'));
		expect(items).toMatchObject([
			{ deployment_id: null, hint: expect.stringContaining('d-1 ("nightly")') },
		]);
	});

	it('stops what a service refuses that may have taken it before', async () => {
		const market = await openMarket({ nameFor: (name) => name.toLowerCase() });
		first(market, (here, { product, body }) => {
			here.buy(product, body);
			return { status: 422, json: { detail: 'no capacity' } };
		});
		const { error } = await told(market, ordering('Nightly'));
		expect(error).toMatch(/outcome unknown.*d-1 \("nightly"\)/);
		expect(market.rented).toHaveLength(1);
	});

	it('stands beside ours: the equal name is ours', async () => {
		const market = await openMarket();
		first(market, (here, call) => {
			here.add({ name: 'nightly', hours: 2, paid: 2 });
			return DONE(here, call);
		});
		const run = await market.engine.run(ordering('Nightly'));
		expect(toldBy(run).items).toMatchObject([{ recovered: true, deployment_id: 'd-2' }]);
	});
});

describe('a new deployment of the ordered name', () => {
	it.each([
		['of another size', { gpus: 4 }],
		['of other hardware', { hardwareId: 99 }],
		['of less time', { hours: 1 }],
	])('%s is unclear: nothing is bought again', async (_, changes) => {
		const market = await openMarket();
		first(market, colleagues('job', changes));
		const anyway = deploy({ safety: { ifNameExists: 'deploy' } });
		const lost = await market.engine.run(anyway);
		expect(toldBy(lost).error).toMatch(/outcome unknown.*d-1 has its name, but .* instead of/);
		market.advance(16 * MINUTE);
		const { contextData } = lost.data.executionData ?? {};
		const late = await told(market, anyway, [{}], { contextData });
		expect(late.error).toMatch(/outcome unknown.*d-1/);
		expect(market.sent('POST', /deploy/)).toHaveLength(1);
	});

	it('whose hardware has the ID of an offer is ours', async () => {
		const market = await openMarket();
		first(market, colleagues('job', { hardwareId: '12__1' }));
		const { items } = await told(market, ordering('job'));
		expect(items).toMatchObject([{ recovered: true, deployment_id: 'd-1' }]);
	});

	it('with more time than ordered may be ours, extended, or somebody else’s', async () => {
		const market = await openMarket();
		first(market, colleagues('job', { hours: 9 }));
		const { error } = await told(market, ordering('job'));
		expect(error).toMatch(/outcome unknown.*d-1 has its name, but 540 minutes instead of/);
	});

	it('of hardware whose ID only begins alike is not ours', async () => {
		const market = await openMarket();
		first(market, colleagues('job', { hardwareId: '12_1' }));
		const { error } = await told(market, ordering('job'));
		expect(error).toMatch(/outcome unknown.*hardware_id 12_1 instead of 12/);
	});

	it('that is used as the existing one has no hint on the notation of its hardware', async () => {
		const market = await openMarket();
		market.add({ name: 'job', hardwareId: '12__1' });
		const { items } = await told(market, ordering('job', { ifNameExists: 'useExisting' }));
		expect(items).toMatchObject([{ existing: true, deployment_id: 'd-1' }]);
		expect(items[0]).not.toHaveProperty('hint');
	});
});

describe('a service that changes names', () => {
	it.each([
		['lower-cased', (name: string) => name.toLowerCase()],
		['cut', (name: string) => name.slice(0, 20)],
	])('%s: a lost answer is an unknown outcome, and nothing is bought again', async (_, nameFor) => {
		const market = await openMarket({ nameFor });
		first(market, DONE);
		const lost = await told(market, ordering('Nightly-Training-Model-7'));
		expect(lost.error).toMatch(/outcome unknown.*d-1/);
		market.advance(20 * MINUTE);
		const again = await told(market, ordering('Nightly-Training-Model-7'));
		expect(again.error).toMatch(/already exists/);
		expect(market.rented).toHaveLength(1);
	});

	it.each([
		['lower-cased', (name: string) => name.toLowerCase()],
		['cut', (name: string) => name.slice(0, 20)],
	])('%s: an answer with an ID is a success', async (_, nameFor) => {
		const market = await openMarket({ nameFor });
		const { items } = await told(market, ordering('Nightly-Training-Model-7'));
		expect(items).toMatchObject([
			{ deployment_id: 'd-1', requested_name: 'Nightly-Training-Model-7' },
		]);
	});
});

describe('a name of which the service has made another one', () => {
	it.each([
		['Café Training', 'cafe-training'],
		['Café Training', 'caf--training'],
		['Café Training', 'CafTraining'],
		['My Job #1', 'myjob1'],
		['nightly-training-ru n-eu', 'nightly-training-ru'],
	])('%j, as %j, stops a purchase, and is never used', async (name, stored) => {
		const market = await openMarket();
		market.add({ name: stored });
		for (const ifNameExists of ['error', 'useExisting']) {
			const { error } = await told(market, ordering(name, { ifNameExists }));
			expect(error).toContain(`A deployment named "${stored}" already exists (d-1`);
		}
		expect(market.sent('POST', /deploy/)).toEqual([]);
	});

	it.each([
		['job-1-2', 'job-12'],
		['nightly-2026-11-1', 'nightly-2026-1-11'],
		['job', 'job-2'],
		['job-訓練', 'job-推論'],
	])('%j is bought beside %j', async (name, other) => {
		const market = await openMarket();
		market.add({ name: other });
		const { items } = await told(market, ordering(name));
		expect(items).toMatchObject([{ deployment_id: 'd-2' }]);
	});
});

describe('what another execution has bought', () => {
	it('is not the lost one of this execution', async () => {
		const market = await openMarket();
		const anyway = deploy({ resourcePrivateName: 'job', safety: { ifNameExists: 'deploy' } });
		first(market, LOST);
		const lost = await market.engine.run(anyway, [{}], { executionId: '1' });
		const { items } = await told(market, anyway, [{}], { executionId: '2' });
		expect(items).toMatchObject([{ deployment_id: 'd-1' }]);
		const { contextData } = lost.data.executionData ?? {};
		const again = await told(market, anyway, [{}], { executionId: '3', contextData });
		expect(again.error).toMatch(/outcome unknown.*not in the list of deployments/);
		market.advance(16 * MINUTE);
		const late = await told(market, anyway, [{}], { executionId: '3', contextData });
		expect(late.items).toMatchObject([{ deployment_id: 'd-2' }]);
		expect(late.items[0]).not.toHaveProperty('recovered');
	});
});
