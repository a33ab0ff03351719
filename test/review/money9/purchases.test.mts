import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { HOUR, MINUTE, SECOND, type Call, type Json, type Said } from '../money7/service.mts';
import { deploy, stage, type Stage } from '../money7/stage.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';
const isList = ({ method, path }: Call) => method === 'GET' && path === '/deployments';

const ANYWAY = { safety: { ifNameExists: 'deploy' } };

/** What bills of the own is told by its ID, in whatever case. */
function expectTold({ service }: Stage, all: string): void {
	for (const { id } of service.own) expect(all.toLowerCase()).toContain(id);
}

/** How the answer to a deploy does not come. */
const LOST: Array<[string, Said]> = [
	['is cut off', { isLost: true }],
	['is a 504', { status: 504, body: '' }],
	['is a 303', { status: 303, body: '', headers: { location: '/deployments' } }],
	['is empty', { status: 202, body: '' }],
];

/** What details show otherwise than it was ordered, though it is the same. */
const SHOWN: Array<[string, Json]> = [
	['the GPUs of the host', { total_gpus: 8 }],
	['its hardware by another ID', { hardware_id: 'gpu-a' }],
	['minutes that are not those of the order', { compute_minutes_remaining: 30 }],
];

describe.each(LOST)('two that one deploy has made, whose answer %s', (_answer, said) => {
	it.each(SHOWN.flatMap(([name, shows]) => [0, 1].map((nth) => [name, nth, shows] as const)))(
		'are told where details show %s (of the one at %i)',
		async (_name, nth, shows) => {
			const set = await stage({ copies: 2 });
			const { service, run } = set;
			service.add('other');
			service.details = (one, shown) => (one === service.own[nth] ? { ...shown, ...shows } : shown);
			service.after = (call, own) => (isDeploy(call) ? said : own);
			expectTold(set, (await run(deploy({}, CONTINUE))).all);
		},
	);
});

/** What a service makes of names. */
const NAMES: Array<[string, (name: string) => string]> = [
	['as they are', (name) => name],
	['in lower case', (name) => name.toLowerCase()],
	['with other characters between words', (name) => name.replaceAll(' ', '-')],
	['cut at 20', (name) => name.slice(0, 20)],
];

const IS_TAKEN: Said = { status: 409, body: { detail: 'name already exists' } };

describe.each(NAMES)('names that are shown %s, of what is made behind a no', (_names, shownAs) => {
	const order = { resourcePrivateName: 'Web Front End of Team B', ...ANYWAY };

	it.each([['what was ordered', {}] as [string, Json], ...SHOWN])(
		'is bought once and told (details show %s)',
		async (_shown, shows) => {
			const set = await stage();
			const { service, run } = set;
			const { list } = service;
			service.add('other');
			service.list = (entries, call) =>
				list(
					entries.map((entry) => ({ ...entry, name: shownAs(String(entry.name)) })),
					call,
				);
			service.details = (_, shown) => ({ ...shown, ...shows });
			service.after = (call, own) => (isDeploy(call) ? IS_TAKEN : own);
			const { all } = await run(deploy(order, RETRY));
			expect(service.own).toHaveLength(1);
			expectTold(set, all);
		},
	);
});

/** With what a service says no to the second try of a proxy. */
const SECOND_ANSWERS: Array<[string, Said]> = [
	['the name exists', IS_TAKEN],
	['409 Conflict', { status: 409, body: { detail: 'Conflict' } }],
	[
		'must be unique',
		{
			status: 422,
			body: { detail: [{ loc: ['body', 'resource_private_name'], msg: 'must be unique' }] },
		},
	],
	['not available', { status: 409, body: { message: 'This name is not available' } }],
];

describe.each(SECOND_ANSWERS)('a second try of a proxy that is told "%s"', (_said, said) => {
	it.each([0, 5 * SECOND, MINUTE])(
		'leaves the first one told (shown after %i ms)',
		async (lagMs) => {
			const set = await stage({ lagMs });
			const { service, run } = set;
			service.add('other');
			service.after = (call, own) => (isDeploy(call) ? said : own);
			expectTold(set, (await run(deploy({}, CONTINUE))).all);
		},
	);
});

/** How details show that a deployment is not new; its creation cannot be read. */
const OLD: Array<[string, Json]> = [
	['its creation as a local time', { created_at: '03/08/2026 09:00' }],
	['no creation', { created_at: null }],
	[
		'no creation, but its start',
		{ created_at: null, started_at: '2026-08-03T09:00:00Z', compute_minutes_served: 60 },
	],
];

describe.each(OLD)(
	'one of equal size that is an hour old, and of which details show %s',
	(_old, shows) => {
		it.each(LOST)(
			'is not passed on as what was ordered, whose answer %s',
			async (_answer, said) => {
				const { service, run } = await stage();
				const theirs = service.add('web', { hours: 2, madeAt: service.clock.now() - HOUR });
				const { list } = service;
				const until = service.clock.now() + 20 * SECOND;
				// A copy without entries answers at first
				service.list = (entries, call) => list(service.clock.now() < until ? [] : entries, call);
				service.details = (one, shown) =>
					service.clock.now() < until ? undefined : { ...shown, ...(one === theirs && shows) };
				service.before = (call) => (isDeploy(call) ? said : undefined);
				const { items } = await run(deploy({}, CONTINUE));
				expect(items[0]?.deployment_id ?? null).not.toBe(theirs.id);
			},
		);
	},
);

/** Answers with the ID, in forms that are left open. */
const FORMS: Array<[string, (id: string) => Said]> = [
	['as a text', (id) => ({ body: JSON.stringify(id) })],
	['in a list', (id) => ({ body: [{ deployment_id: id }] })],
	['in a list in data', (id) => ({ body: { data: [{ id }] } })],
	['with 201', (id) => ({ status: 201, body: { uuid: id } })],
	['in upper case', (id) => ({ body: { deployment_id: id.toUpperCase() } })],
	['beside an error that says none', (id) => ({ body: { error: {}, data: { id } } })],
	['of a deploy that failed', (id) => ({ body: { status: 'failed', deployment_id: id } })],
	['cut off', (id) => ({ body: `{"deployment_id": "${id}", "sta` })],
	['as plain text', (id) => ({ body: id, headers: { 'content-type': 'text/plain' } })],
];

describe.each(FORMS)('an answer that has the ID %s', (_form, form) => {
	it.each([0, MINUTE])('buys once, and tells it (shown after %i ms)', async (lagMs) => {
		const set = await stage({ lagMs });
		const { service, run } = set;
		service.add('other');
		service.after = (call, own) => (isDeploy(call) ? form(service.own.at(-1)?.id ?? '') : own);
		const { all } = await run(deploy(ANYWAY, RETRY));
		expect(service.own).toHaveLength(1);
		expectTold(set, all);
	});

	it('is that of an older one: it is not passed on', async () => {
		const set = await stage();
		const { service, run } = set;
		const older = service.add('other');
		service.after = (call, own) => (isDeploy(call) ? form(older.id) : own);
		const { items, all } = await run(deploy({}, CONTINUE));
		expect(items[0]?.deployment_id ?? null).not.toBe(older.id);
		expectTold(set, all);
		expect(service.calls.some(isList)).toBe(true);
	});
});
