import { describe, expect, it } from 'vitest';
import { CONTINUE, caas } from '../../engine/nodes.mts';
import { paged, type Call, type Json } from '../money7/service.mts';
import { deploy, destroy, destroyMany, stage, waitFor, type Stage } from '../money7/stage.mts';

const isList = ({ method, path }: Call) => method === 'GET' && path === '/deployments';

/** What a copy of the service that is overloaded answers with 200. */
const REFUSALS: Array<[string, Json]> = [
	['success false', { success: false, data: { deployments: [] } }],
	['an error', { error: 'busy', data: { deployments: [] } }],
	['an error and null', { error: 'busy', data: { deployments: null, total: 0 } }],
	['an error within', { data: { error: 'busy', deployments: [] } }],
];

/** Every second answer comes from a copy that is overloaded, and no page tells the total. */
async function inTurn(said: Json, first: 0 | 1): Promise<Stage> {
	const set = await stage();
	const { service } = set;
	service.add('web');
	service.add('other');
	let answers = first;
	service.list = (entries, call) => (answers++ % 2 === 0 ? said : paged(entries, call, false));
	return set;
}

/** Others are in the list, and one page of them is told beside an error: part of it is missing. */
async function inPart(more: Json): Promise<Stage> {
	const set = await stage();
	const { service } = set;
	service.add('other');
	service.add('web');
	service.list = (entries, call) => {
		const page = paged(entries.slice(0, 1), call, false);
		return { ...page, ...more };
	};
	return set;
}

const PARTS: Array<[string, Json]> = [
	['success false', { success: false, error: 'a part of the list timed out' }],
	['an error', { error: 'a part of the list timed out' }],
	['a code', { code: 503, message: 'a part of the list timed out' }],
];

const WORLDS: Array<[string, () => Promise<Stage>]> = [
	...REFUSALS.flatMap(([name, said]) =>
		([0, 1] as const).map((first): [string, () => Promise<Stage>] => [
			`of which each second page is nothing and ${name}, from page ${first} on`,
			async () => await inTurn(said, first),
		]),
	),
	...PARTS.map(([name, more]): [string, () => Promise<Stage>] => [
		`that is a part beside ${name}`,
		async () => await inPart(more),
	]),
];

describe.each(WORLDS)('a list %s', (_world, begin) => {
	it('frees no name that is taken', async () => {
		const { service, run } = await begin();
		await run(deploy({}, CONTINUE));
		expect(service.own).toEqual([]);
	});

	it('is not told as one that has nothing of a name', async () => {
		const { service, run } = await begin();
		const { items, error } = await run(destroyMany('web'));
		const [web] = service.all.filter(({ name }) => name === 'web');
		expect(web?.endsAt !== undefined || error !== '').toBe(true);
		expect(JSON.stringify(items)).not.toContain('"verified":false');
	});

	it('is not told as all that there is', async () => {
		const { service, run } = await begin();
		const { error, all } = await run(
			caas('deployment', 'getAll', { returnAll: true, filters: {} }),
		);
		if (error === '') for (const { id } of service.all) expect(all).toContain(id);
	});

	it('ends no wait for the end of what runs', async () => {
		const { run } = await begin();
		expect((await run(waitFor('web', 'destroyed', 'name'))).items).toEqual([]);
	});

	it('proves no end of what it does not show', async () => {
		const { service, run } = await begin();
		const [web] = service.all.filter(({ name }) => name === 'web');
		service.details = (one, shown) => (one === web ? undefined : shown);
		service.before = (call) => (call.method === 'DELETE' ? { status: 202, body: '' } : undefined);
		const { items } = await run(destroy(web?.id, 'id', { ifNotFound: 'output' }));
		expect(items.filter(({ deleted }) => deleted === true)).toEqual([]);
		expect(service.calls.some(isList)).toBe(true);
	});
});
