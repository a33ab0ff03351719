import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import { MINUTE, SECOND, type Call, type Said } from '../money7/service.mts';
import { collectJob, job, startJob, type Stage } from '../money7/stage.mts';
import { hideSecond, withVms } from '../money7/vms.mts';

const isList = ({ method, path: at }: Call) => method === 'GET' && at === '/deployments';
const isDelete = ({ method }: Call) => method === 'DELETE';

/** What still bills is told. */
function expectTold({ service }: Stage, { all }: { all: string }): void {
	for (const { id } of service.billing) expect(all).toContain(id);
}

/** The list as a service may write the names of it. */
const NAMES: Array<[string, (name: string) => string]> = [
	['as they are', (name) => name],
	['in lower case', (name) => name.toLowerCase()],
	['cut at 20', (name) => name.slice(0, 20)],
	['as one and the same', () => 'GPU cluster'],
	['without their last 10 characters', (name) => name.slice(0, -10)],
];

const KEY = { jobKey: 'nightly-training' };
const PLACES = ['list', 'details'] as const;

describe.each(NAMES)('a service that shows names %s', (_names, shownAs) => {
	it.each(PLACES)('has Collect end its own job alone (by the %s)', async (place) => {
		const set = await withVms();
		const { service, run } = set;
		const { list } = service;
		service.list = (entries, call) =>
			list(
				entries.map((entry) => ({ ...entry, name: shownAs(String(entry.name)) })),
				call,
			);
		if (place === 'details')
			service.details = ({ name }, shown) => ({ ...shown, name: shownAs(name) });
		const [first] = (await run(startJob(KEY))).items;
		const [second] = (await run(startJob(KEY))).items;
		const stranger = service.add('nightly-training-start', { product: 'vmaas' });
		const ids = [first?.deployment_id, second?.deployment_id];
		expect(new Set(ids).size).toBe(2);
		const { all } = await run(collectJob(ids[0], first?.job_id));
		expect(all).toContain(ids[0]);
		expect(service.billing.map(({ id }) => id)).toEqual([ids[1], stranger.id]);
	});
});

/** Answers of the list while a job ends. */
const ANSWERS: Array<[string, Said]> = [
	['404', { status: 404, body: { detail: 'not found' } }],
	['501', { status: 501, body: '' }],
	['503', { status: 503, body: '' }],
	['nothing and an error', { body: { error: 'busy', data: { deployments: [] } } }],
];

/** For how long, from the first request to destroy on. */
const SPANS = [2 * SECOND, 60 * MINUTE];

describe.each(ANSWERS)(
	'two that one deploy has made, and a list that answers %s',
	(_said, said) => {
		it.each(SPANS)('are told or ended by Run (%i ms)', async (span) => {
			const set = await withVms({ copies: 2 });
			const { service, run } = set;
			let from = Infinity;
			service.before = (call) => {
				if (isDelete(call)) from = Math.min(from, service.clock.now());
				return isList(call) && service.clock.now() >= from && service.clock.now() < from + span
					? said
					: undefined;
			};
			const { items } = await run(job({}, CONTINUE));
			if (service.billing.length > 0)
				expect(items).not.toMatchObject([{ destroyed: true, verified: true }]);
		});

		it.each(SPANS)('are told or ended by Collect (%i ms)', async (span) => {
			const set = await withVms({ copies: 2 });
			const { service, run } = set;
			const [started] = (await run(startJob())).items;
			const from = service.clock.now();
			service.before = (call) =>
				isList(call) && service.clock.now() < from + span ? said : undefined;
			const { items } = await run(collectJob(started?.deployment_id, started?.job_id));
			if (service.billing.length > 0)
				expect(items).not.toMatchObject([{ destroyed: true, verified: true }]);
		});
	},
);

it.each([0, 10].map((seconds) => seconds * SECOND))(
	'a second one that shows %i ms after the first is ended or told by Start and Collect',
	async (lagMs) => {
		const set = await withVms({ copies: 2, named: 'first' });
		const { service, run } = set;
		hideSecond(service, lagMs);
		const [started] = (await run(startJob())).items;
		const told = await run(collectJob(started?.deployment_id, started?.job_id));
		expectTold(set, told);
	},
);
