import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import { MINUTE, SECOND, type Call, type Json, type Said } from '../money7/service.mts';
import { collectJob, job, startJob, type Stage, type Told } from '../money7/stage.mts';
import { hideSecond, withVms } from '../money7/vms.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';

const KEY = { jobKey: 'nightly-training' };

/** So long a list may be behind (beyond-the-spec.md: reads come from a copy). */
const LAGS = [5 * SECOND, 30 * SECOND, 60 * SECOND, 100 * SECOND];

/** What bills of the own is told by its ID, and nothing says beside it that all was seen to end. */
function expectHonest({ service }: Stage, { items, all }: Told): void {
	const open = service.billing.filter(({ isOwn }) => isOwn);
	if (open.length === 0) return;
	for (const { destroyed, verified, details } of items) {
		const said = { destroyed, verified, ...(details as Json | undefined) };
		expect(said).not.toMatchObject({ verified: true });
	}
	for (const { id } of open) expect(all).toContain(id);
}

const ENDS: Array<[string, IDataObject]> = [
	['succeeds', KEY],
	['fails', { ...KEY, command: 'exit 3' }],
];

describe.each(LAGS)('the second of two that one deploy has made shows %i ms after it', (lagMs) => {
	it.each(ENDS)(
		'a Run that %s ends it, or does not call the job verified',
		async (_end, changes) => {
			const set = await withVms({ copies: 2, named: 'first' });
			set.service.add('other', { product: 'vmaas' });
			hideSecond(set.service, lagMs);
			expectHonest(set, await set.run(job(changes, CONTINUE)));
		},
	);

	it('so does a Run whose VM fails at once', async () => {
		const set = await withVms({ copies: 2, named: 'first' });
		const { service, run } = set;
		hideSecond(service, lagMs);
		service.after = (call, own) => {
			if (isDeploy(call)) Object.assign(service.own[0] ?? {}, { status: 'failed' });
			return own;
		};
		const told = await run(job(KEY, CONTINUE));
		const second = service.own[1];
		if (second?.endsAt !== undefined) return;
		expect(told.all).toContain(second?.id);
	});

	it('so does a Collect right after Start', async () => {
		const set = await withVms({ copies: 2, named: 'first' });
		hideSecond(set.service, lagMs);
		const [started] = (await set.run(startJob({ command: 'true' }))).items;
		await set.time.pass(2 * SECOND);
		expectHonest(set, await set.run(collectJob(started?.deployment_id, started?.job_id)));
	});
});

describe.each(LAGS)('a list that is %i ms behind, details are not', (lagMs) => {
	it.each(ENDS)(
		'has nothing untold of two that a Run has made, which %s',
		async (_end, changes) => {
			const set = await withVms({ copies: 2, named: 'first' });
			const { service } = set;
			const { list } = service;
			service.add('other', { product: 'vmaas' });
			service.list = (entries, call) =>
				list(
					entries.filter(({ id }) => {
						const one = service.own.find((own) => own.id === id);
						return !one || service.clock.now() >= one.madeAt + lagMs;
					}),
					call,
				);
			expectHonest(set, await set.run(job(changes, CONTINUE)));
		},
	);
});

/** A gateway that has sent the deploy twice, answers with the no to its second try. */
const NOS: Array<[string, Said]> = [
	['sold out', { status: 409, body: { detail: 'sold out' } }],
	['402', { status: 402, body: { detail: 'insufficient balance' } }],
	['409, the name exists', { status: 409, body: { detail: 'name already exists' } }],
	['a 504', { status: 504, body: '' }],
];

/** What a service makes of names. */
const NAMES: Array<[string, (name: string) => string | null]> = [
	['with underscores', (name) => name.replaceAll('-', '_')],
	['cut at 20', (name) => name.slice(0, 20)],
	['with the name of the team before', (name) => `team-b/${name}`],
	['not', () => null],
];

describe.each(NOS)('a deploy of a job that is made behind %s', (_no, said) => {
	it.each(NAMES)('is ended or told where names show %s', async (_names, shownAs) => {
		const set = await withVms();
		const { service, run } = set;
		const { list } = service;
		service.add('other', { product: 'vmaas' });
		service.list = (entries, call) =>
			list(
				entries.map((entry) => {
					const isOwn = service.own.some(({ id }) => id === entry.id);
					return isOwn ? { ...entry, name: shownAs(String(entry.name)) } : entry;
				}),
				call,
			);
		service.after = (call, own) => (isDeploy(call) ? said : own);
		const { all } = await run(job(KEY, CONTINUE));
		for (const { id, name } of service.billing.filter(({ isOwn }) => isOwn))
			expect(all.includes(id) || (all.includes(name) && all.includes('unknown'))).toBe(true);
	});
});

describe('an offer that is made behind "sold out", and a second one that is bought', () => {
	it.each([0, 30 * SECOND, MINUTE])('leave nothing untold (shown after %i ms)', async (lagMs) => {
		const set = await withVms();
		const { service, run } = set;
		const offer = { name: 'GPU', num_cards: 1, location: 'us' };
		const hardware = [7, 8].map((id) => ({ id: `${id}__us`, deploy_id: id, price: id, ...offer }));
		service.before = ({ path }) =>
			path === '/hardware' ? { body: { data: { hardware } } } : undefined;
		service.after = (call, own) =>
			isDeploy(call) && call.nth === 0 ? { status: 409, body: { detail: 'sold out' } } : own;
		const { list } = service;
		service.list = (entries, call) => {
			const [first] = service.own;
			const isHidden = first && service.clock.now() < first.madeAt + lagMs;
			return list(isHidden ? entries.filter(({ id }) => id !== first.id) : entries, call);
		};
		expectHonest(set, await run(job(KEY, CONTINUE)));
	});
});
