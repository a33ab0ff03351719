import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, RETRY } from '../engine/nodes.mts';
import { catalogue, ignoreFilters, offer } from '../engine/offers.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

/** Deploy Cheapest: the true total decides, and Keep Trying For looks again. */
const fixture = useFixture();

const PRICE = { method: 'GET', path: /vmaas\/price$/ };
const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };
const MINUTE = 60_000;

const first = offer({ deploy_id: 'a', price: 1 });

beforeEach(() => {
	catalogue(
		fixture.sandbox,
		first,
		offer({ deploy_id: 'b', price: 1.05 }),
		offer({ deploy_id: 'c', price: 3 }),
	);
});

const cheapest = async (changes: IDataObject = {}, settings = {}, options = {}) => {
	const { hardwareId: _, placement: __, locationId: ___, ...common } = deployParameters();
	return await fixture.run(
		deployment(
			'deployCheapest',
			{ ...common, durationHours: 24, filters: {}, gpusPerVm: 0, maxTries: 3, ...changes },
			settings,
		),
		[{}],
		options,
	);
};
const keepTrying = (minutes: unknown): IDataObject => ({
	additionalFields: { keepTryingFor: minutes as number },
});
const bought = () => fixture.sandbox.books.deployments.map(({ order }) => order.hardwareId);
const tried = () =>
	fixture.sent('POST', DEPLOY.path).map(({ body }) => (body as IDataObject).hardware_id);
/** The price answers, in order; the last offers are answered by the sandbox. */
const totals = (...answers: IDataObject[]) =>
	answers.forEach((data) =>
		fixture.sandbox.faults.add({ match: PRICE, status: 200, body: { data } }),
	);

describe('the true total', () => {
	it('decides, not the list price; one that is far from it is told', async () => {
		totals({ total_cost_usdc: 216 }, { total_cost_usdc: 72.5 });
		expect(onlyJson(await cheapest())).toMatchObject({
			hardware_id: 'c',
			total_price: 72,
			tried: [],
		});
		totals({ total_cost_usdc: 216 });
		const output = onlyJson(await cheapest({ resourcePrivateName: 'other', maxTries: 1 }));
		expect(output).toMatchObject({
			hardware_id: 'a',
			total_price: 216,
			hint: 'The total of 216 usdc is 9 times the 24 USD of the hardware list.',
		});
	});

	it.each([
		[{ total_cost_usdc: 26.4 }, {}],
		[{ total_cost_usdc: 23.9 }, {}],
		[{ total_cost_tok: 500 }, { currency: 'tok' }],
	])('%j: no hint', async (total, safety) => {
		totals(total);
		expect(onlyJson(await cheapest({ maxTries: 1, safety }))).not.toHaveProperty('hint');
	});

	it('a dry run shows the offer that would be bought', async () => {
		totals({ total_cost_usdc: 216 });
		expect(onlyJson(await cheapest({ safety: { dryRun: true } }))).toMatchObject({
			dry_run: true,
			hardware_id: 'b',
			request: { hardware_id: 'b' },
		});
	});

	it('without a limit, an offer whose total is not known is tried last', async () => {
		totals({ total_cost_usdc: 0 }, { total_cost_usdc: 30, replica_count: 2 });
		fixture.sandbox.faults.add({
			match: DEPLOY,
			...errorForms.detailString(409, 'sold out'),
		});
		expect(onlyJson(await cheapest())).not.toHaveProperty('total_price');
		expect(tried()).toEqual(['c', 'a']);
	});

	it('with a limit, it is not tried at all', async () => {
		totals({ total_cost_usdc: 0 }, { total_cost_usdc: 30, replica_count: 2 });
		const output = onlyJson(await cheapest({ safety: { maxPrice: 100 } }));
		expect(output).toMatchObject({ hardware_id: 'c' });
		expect((output.tried as IDataObject[]).map(({ reason }) => reason)).toEqual([
			'The price limit cannot be checked: the service shows no total price in usdc',
			'The price limit cannot be checked: the service gave the price for replica_count 2 instead of 1',
		]);
	});

	it('with a limit, an offer whose price cannot be read is skipped; an outage is not asked again and again', async () => {
		fixture.sandbox.faults.add({ match: PRICE, ...errorForms.detailString(422, 'no price') });
		expect(onlyJson(await cheapest({ safety: { maxPrice: 100 } }))).toMatchObject({
			hardware_id: 'b',
			tried: [{ hardware_id: 'a', reason: expect.stringContaining('no price') }],
		});
		fixture.sandbox.requests.length = 0;
		fixture.sandbox.faults.add({ match: PRICE, times: Infinity, ...errorForms.empty(500) });
		const output = onlyJson(await cheapest({ resourcePrivateName: 'other' }));
		expect(output).toMatchObject({ hardware_id: 'a' });
		const asked = fixture.sent('GET', PRICE.path).flatMap(({ query }) => query.hardware_id);
		expect([...new Set(asked)]).toEqual(['a']);
	});
});

describe('"no capacity" as 5xx', () => {
	it('is an unknown outcome: nothing else is tried, also with Keep Trying For', async () => {
		fixture.sandbox.faults.add({
			match: DEPLOY,
			times: Infinity,
			...errorForms.detailString(503, 'no capacity left'),
		});
		const error = errorOf(await cheapest(keepTrying(60), RETRY));
		expect(error.message).toContain('outcome unknown');
		expect(tried()).toEqual(['a']);
	});
});

describe('Keep Trying For', () => {
	const soldOut = (times: number) =>
		fixture.sandbox.faults.add({
			match: DEPLOY,
			times,
			...errorForms.detailString(409, 'sold out'),
		});
	const looks = () => fixture.sent('GET', /hardware$/).length;

	it.each([undefined, 0, '0'])('%j: one look', async (minutes) => {
		soldOut(Infinity);
		const changes = minutes === undefined ? {} : keepTrying(minutes);
		const error = errorOf(await cheapest(changes));
		expect(error.message).toBe('None of the 3 cheapest offers could be deployed');
		expect(error.description).not.toContain('Looked');
		expect(looks()).toBe(1);
		expect(fixture.time.waits).toEqual([]);
	});

	it('looks again each minute until something is free; the last tries are told', async () => {
		soldOut(6);
		const output = onlyJson(await cheapest(keepTrying(10)));
		expect(output).toMatchObject({ hardware_id: 'a', tried: [] });
		expect(fixture.time.waits).toEqual([MINUTE, MINUTE]);
		expect(bought()).toEqual(['a']);
	});

	it('ends when the time is over, with the reasons of the last look', async () => {
		soldOut(Infinity);
		const error = errorOf(await cheapest(keepTrying('={{ 2.5 }}')));
		expect(error.message).toBe('None of the 3 cheapest offers could be deployed');
		expect(error.description).toContain('H100 (ID a) in US: sold out.');
		expect(error.description).toContain('Looked 4 times in 3 minutes.');
		expect(fixture.time.waits).toEqual([MINUTE, MINUTE, MINUTE / 2]);
		expect(tried()).toHaveLength(12);
		expect(bought()).toEqual([]);
	});

	it('waits for offers that come, prices that fall and a service that is back', async () => {
		catalogue(fixture.sandbox, { ...first, sold_out: true });
		let minute = 0;
		fixture.time.onWait = (ms) => {
			if (ms !== MINUTE) return;
			minute++;
			if (minute === 1) catalogue(fixture.sandbox, { ...first, price: 5 });
			if (minute === 2)
				fixture.sandbox.faults.add({
					match: { path: '/vmaas/hardware' },
					times: 3,
					...errorForms.empty(503),
				});
			if (minute === 3) catalogue(fixture.sandbox, first);
		};
		const output = onlyJson(await cheapest({ ...keepTrying(10), safety: { maxHourlyPrice: 2 } }));
		expect(output).toMatchObject({ hardware_id: 'a', hourly_price: 1 });
		expect(minute).toBe(3);
		expect(tried()).toEqual(['a']);
	});

	it('the name is checked in each look', async () => {
		soldOut(3);
		fixture.time.onWait = async () => {
			fixture.time.onWait = undefined;
			await fixture.client.post('/deploy', {
				resource_private_name: 'job',
				hardware_id: 'c',
				gpus_per_vm: 1,
				location_ids: ['US'],
				duration_hours: 1,
				ssh_keys: {},
			});
		};
		expect(errorOf(await cheapest(keepTrying(10))).message).toContain(
			'A deployment named "job" already exists',
		);
		expect(bought()).toEqual(['c']);
	});

	it('any other refusal, filters that cannot be checked, and a dry run end at once', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...errorForms.detailString(402, 'No credits') });
		expect(errorOf(await cheapest(keepTrying(10))).message).toContain('No credits');
		ignoreFilters(fixture.sandbox, ...fixture.sandbox.hardware);
		expect(
			errorOf(await cheapest({ ...keepTrying(10), filters: { cpuCoresMin: 4 } })).message,
		).toBe('The filters cannot be checked on any available offer');
		fixture.sandbox.faults.clear();
		catalogue(fixture.sandbox);
		expect(errorOf(await cheapest({ ...keepTrying(10), safety: { dryRun: true } })).message).toBe(
			'No available offer passes the filters',
		);
		expect(fixture.time.waits).toEqual([]);
	});

	it('a cancelled execution ends in the pause and sends nothing more', async () => {
		soldOut(Infinity);
		const stop = new AbortController();
		fixture.time.onWait = () => stop.abort();
		await cheapest(keepTrying(600), {}, { cancel: stop.signal });
		expect(fixture.time.waits).toEqual([MINUTE]);
		expect(tried()).toHaveLength(3);
		expect(looks()).toBe(1);
	});

	it.each([
		[-1, 'must be a number from 0 to 1440, got -1'],
		[1441, 'must be a number from 0 to 1440, got 1441'],
		['={{ null }}', 'must be a number, got nothing'],
	])('%j is an error before anything is sent', async (minutes, problem) => {
		expect(errorOf(await cheapest(keepTrying(minutes))).message).toContain(
			`Keep Trying For (Minutes) ${problem}`,
		);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});
