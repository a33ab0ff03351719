import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { computeTrigger } from '../../engine/nodes.mts';
import { PolledTrigger, type Keeping } from '../../engine/poll.mts';
import { HOUR, MINUTE, openService, type Answer } from '../watch/service.mts';

type Row = IDataObject & { id: string };

const ok = (json: unknown): Answer => ({ status: 200, json });
const listOf = (rows: Row[], total = rows.length): Answer =>
	ok({ data: { deployments: rows, total, statuses: [] } });

/**
 * A trigger on what `shows` answers, which is not a matter of the clock: an n8n whose clock is wrong watches a service whose clock is not.
 */
async function watching(
	event: string,
	first: Row[],
	parameters: IDataObject = {},
	keeping?: Keeping,
) {
	const service = await openService();
	const shows = {
		list: (): Answer => listOf(first),
		details: (_id: string): Answer => ({ status: 404, json: { detail: 'Not found' } }),
		offers: (): Answer => ok({ data: { hardware: first } }),
	};
	service.odd = ({ path }) => {
		if (path === '/hardware') return shows.offers();
		if (path === '/deployments') return shows.list();
		return shows.details(decodeURIComponent(path.split('/').at(-1) ?? ''));
	};
	const node = computeTrigger(event, { product: 'vmaas', ...parameters });
	const trigger = new PolledTrigger(service.engine, node, keeping);
	await trigger.activate();
	return {
		service,
		trigger,
		shows,
		/** A poll some time later, and what it has told. */
		async poll(rows?: Row[], ms = 5 * MINUTE): Promise<IDataObject[]> {
			if (rows) {
				shows.list = () => listOf(rows);
				shows.offers = () => ok({ data: { hardware: rows } });
			}
			service.advance(ms);
			const before = trigger.items.length;
			await trigger.poll();
			return trigger.items.slice(before);
		},
	};
}

const row = (id: string, status = 'running', more: IDataObject = {}): Row => ({
	id,
	status,
	name: id,
	hardware_quantity: 1,
	...more,
});
const minutes = (served: number, remaining: number): IDataObject => ({
	compute_minutes_served: served,
	compute_minutes_remaining: remaining,
});
const offer = (id: string, price: unknown = 0.5, more: IDataObject = {}): Row =>
	({ id, deploy_id: 7, name: 'L4', num_cards: 1, location: 'US', price, ...more }) as Row;
const told = (items: IDataObject[]) =>
	items.map(({ deployment_id, former_status, status }) => [deployment_id, former_status, status]);

const changed = 'deploymentStateChanged';
const expires = 'deploymentExpiresSoon';
const matches = 'offerMatches';

// A clock that was ahead when the workflow was activated is set right
for (const back of [0, 30 * MINUTE, HOUR, 24 * HOUR])
	test(`a new deployment is told after the clock was set back by ${back / MINUTE} minutes`, async () => {
		const { poll } = await watching(changed, [row('old')]);
		expect(await poll([row('old')], -back)).toEqual([]);
		const items = await poll([row('old'), row('new', 'running', minutes(4, 56))]);
		expect(told(items)).toEqual([['new', null, 'running']]);
	});

for (const back of [0, 2 * HOUR])
	test(`a status that goes backwards and stays so is told, clock set back by ${back / HOUR} hours`, async () => {
		const { poll, trigger } = await watching(changed, [row('a', 'termination requested')]);
		await poll([row('a')]);
		await poll([row('a')], -back);
		for (let polls = 0; polls < 3; polls++) await poll();
		expect(told(trigger.items)).toEqual([['a', 'termination requested', 'running']]);
	});

// The trigger looks for 24 hours: those in which it was not active are none
for (const away of [2 * HOUR, 30 * HOUR])
	test(`an end that details alone show is told after the workflow was off for ${away / HOUR} hours`, async () => {
		const { poll, service, shows, trigger } = await watching(changed, [row('a'), row('b')]);
		shows.details = () => ({ status: 503, json: {} });
		await poll([row('b')]);
		shows.details = (id) => ok({ data: row(id, 'completed') });
		service.advance(away);
		await trigger.activate();
		await poll();
		expect(told(trigger.items)).toEqual([['a', 'running', 'completed']]);
	});

test('two copies in turns, of which one has a state without a known meaning: each status once', async () => {
	const { poll, trigger } = await watching(changed, [row('a', 'deployment requested')]);
	const copies = ['provisioning', 'running', 'provisioning', 'running', 'provisioning', 'running'];
	for (const status of copies) await poll([row('a', status)], 30_000);
	expect(trigger.items.map(({ status }) => status)).toEqual(['provisioning', 'running']);
});

test('two copies in turns, of which one does not have the newest deployment', async () => {
	const { poll, trigger } = await watching(changed, [row('a')]);
	for (let polls = 0; polls < 6; polls++)
		await poll(polls % 2 === 0 ? [row('a'), row('new')] : [row('a')]);
	expect(told(trigger.items)).toEqual([['new', null, 'running']]);
});

test('a second page that fails, and one that is partial: nothing ends, and nothing is lost', async () => {
	const first = Array.from({ length: 100 }, (_, index) => row(`d${index}`));
	const { poll, shows, service, trigger } = await watching(changed, first);
	const all = [...first, row('late')];
	let isOut = true;
	const odd = service.odd;
	service.odd = (request) => {
		if (request.path !== '/deployments') return odd(request);
		const page = Number(request.query.get('page'));
		if (page > 0 && isOut) return { status: 503, json: {} };
		return listOf(all.slice(page * 100, page * 100 + 100), all.length);
	};
	shows.details = (id) => ok({ data: row(id, 'completed') });
	expect(await poll()).toEqual([]);
	expect(trigger.errors).toHaveLength(1);
	isOut = false;
	expect(told(await poll())).toEqual([['late', null, 'running']]);
});

// VM down: the paid time passes, and nothing is served
for (const down of [0, 10, 20, 40])
	test(`the end after an extension is told where the VM was down for ${down} minutes meanwhile`, async () => {
		const { poll } = await watching(expires, [row('a', 'running', minutes(110, 70))], {
			minutes: 60,
		});
		expect(await poll([row('a', 'running', minutes(125, 55))], 15 * MINUTE)).toHaveLength(1);
		expect(await poll([row('a', 'running', minutes(127, 113))], 2 * MINUTE)).toEqual([]);
		const late = row('a', 'running', minutes(185 - down, 55));
		expect(await poll([late], 58 * MINUTE)).toHaveLength(1);
		expect(await poll([late], MINUTE)).toEqual([]);
	});

for (const hours of [0, 1])
	test(`an end is told again after ${hours} hours more of which no poll has seen anything but their end`, async () => {
		const left = (remaining: number) => [
			row('a', 'running', { compute_minutes_remaining: remaining }),
		];
		const { poll, trigger } = await watching(expires, left(70), { minutes: 60 });
		await poll(left(55), 15 * MINUTE);
		await poll(left(50), 5 * MINUTE + hours * HOUR);
		await poll(left(45));
		expect(trigger.items).toHaveLength(1 + hours);
	});

for (const [before, after] of [
	[0, 0],
	[29, 2],
	[27, 10],
] as Array<[number, number]>)
	test(`two ends have two IDs, down for ${before} and ${after} minutes`, async () => {
		const { poll, trigger } = await watching(expires, [row('a', 'running', minutes(20, 160))], {
			minutes: 60,
		});
		const served = 125 - before;
		await poll([row('a', 'running', minutes(served, 55))], 105 * MINUTE);
		await poll([row('a', 'running', minutes(served + 2, 113))], 2 * MINUTE);
		await poll([row('a', 'running', minutes(served + 60 - after, 55))], 58 * MINUTE);
		const ids = trigger.items.map(({ event_id }) => event_id);
		expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
	});

for (const keeping of ['workflow', 'scheduler', 'durable'] as const)
	for (const back of [0, HOUR])
		test(`an offer that went and came back is told, clock set back by ${back / HOUR} hours, n8n keeps by ${keeping}`, async () => {
			const other = offer('b', 0.9);
			const { poll } = await watching(
				matches,
				[offer('a'), other],
				{ filters: {}, maxHourlyPrice: 1 },
				keeping,
			);
			await poll([other], -back);
			await poll([other]);
			const items = await poll([offer('a'), other]);
			expect(items.map(({ id }) => id)).toEqual(['a']);
		});

for (const [what, answer] of [
	['500', { status: 500, json: {} }],
	['a page in place of the list', { status: 200, json: '<html>502</html>' }],
	['an error with 200', ok({ success: false, error: 'try again' })],
	['a list without its key', ok({ data: {} })],
	['null', ok({ data: { hardware: null } })],
] as Array<[string, Answer]>)
	test(`offers: ${what} once tells nothing, and nothing twice`, async () => {
		const { poll, shows, trigger } = await watching(matches, [offer('a')], {
			filters: {},
			maxHourlyPrice: 1,
		});
		shows.offers = () => answer;
		expect(await poll()).toEqual([]);
		expect(await poll([offer('a')])).toEqual([]);
		expect((await poll([offer('a'), offer('b', '0.7')])).map(({ id }) => id)).toEqual(['b']);
		expect(trigger.errors.length).toBeGreaterThan(0);
	});
