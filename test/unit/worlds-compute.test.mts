import { describe, expect, it } from 'vitest';
import type { Engine, WorkflowJson } from '../engine/engine.mts';
import { useStage } from '../worlds/describeWorlds.mts';
import { loadWorlds } from '../worlds/loadWorlds.mts';
import type { ComputeRecord } from '../worlds/computeRecord.mts';
import { computeLaws } from '../worlds/laws/compute.mts';
import { compute } from '../worlds/playCompute.mts';
import { examples } from '../worlds/scenarios/examples.mts';
import { containerLife } from '../worlds/scenarios/containers.mts';
import { life, vmPurchases } from '../worlds/scenarios/life.mts';
import { names } from '../worlds/scenarios/names.mts';
import { products } from '../worlds/scenarios/products.mts';
import { containers, vmaas } from '../worlds/scenarios/steps.mts';
import { teardown } from '../worlds/scenarios/teardown.mts';
import { SCHEDULE, type ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import documented from '../sandbox/worlds/compute/default.mts';

/** The laws of the compute worlds notice a node that lies: no law is so loose that it always holds. */
const stage = useStage();

function brokenLaws(record: ComputeRecord): string[] {
	return computeLaws.filter(({ broken }) => broken(record).length > 0).map(({ name }) => name);
}

/** Plays a scenario in the documented world. */
async function played(name: string, engine = stage().engine): Promise<ComputeRecord> {
	const scenario = [
		...life(vmaas),
		...vmPurchases,
		...teardown(vmaas),
		...containerLife,
		...products,
	].find((one) => one.name === name);
	if (!scenario) throw new Error(`There is no scenario ${name}`);
	return await compute.play({ ...stage(), engine }, documented, scenario);
}

/** What the nodes do there, where every law holds. */
async function play(name: string): Promise<ComputeRecord> {
	const record = await played(name);
	expect(brokenLaws(record)).toEqual([]);
	return record;
}

/** Changes the first item of an operation. */
function tell(record: ComputeRecord, operation: string, changes: object): void {
	const item = record.items.find((one) => one.operation === operation);
	if (!item) throw new Error(`There is no item of ${operation}`);
	Object.assign(item.json, changes);
	item.state = undefined;
}

const dead = '00000000-0000-4000-8000-000000000000';
const error = (text: string) => (record: ComputeRecord) =>
	record.problems.push({ operation: 'extend', execution: '1', text, alive: record.bought });

const LIES: Array<
	[what: string, scenario: string, lie: (record: ComputeRecord) => unknown, broken: string[]]
> = [
	[
		'a refusal where it must succeed',
		'whole life',
		(record) => record.refusals.push({ operation: 'deploy', reason: 'no' }),
		['what must succeed, succeeds'],
	],
	[
		'an ID that never was is deleted',
		'whole life',
		(record) => tell(record, 'destroy', { deployment_id: dead }),
		['what is called gone is gone'],
	],
	[
		'what runs is deleted',
		'whole life',
		(record) => record.items.forEach((item) => (item.state = 'running')),
		['what is called gone is gone'],
	],
	[
		'what is ending is verified',
		'whole life',
		(record) => record.items.forEach((item) => (item.state = 'termination requested')),
		['what is called gone is gone'],
	],
	[
		'a name is gone, and another of that name runs',
		'destroy by name',
		(record) => record.items.forEach((item) => item.namesakes.push(...record.ours)),
		['what is called gone is gone'],
	],
	[
		'one more is bought',
		'whole life',
		(record) => record.wishes.forEach((wish) => (wish.machines = 0)),
		['no wish is bought twice'],
	],
	[
		'a name that nobody wished',
		'whole life',
		(record) => record.wishes.forEach((wish) => (wish.name = 'another')),
		['no wish is bought twice'],
	],
	[
		'more hours than wished',
		'whole life',
		(record) => record.extensions.forEach((_hours, one) => record.extensions.set(one, 1)),
		['no wish is bought twice'],
	],
	[
		'other hardware',
		'deploy cheapest',
		(record) => Object.assign(record.bought[0]?.order ?? {}, { isExternal: true }),
		['what was ordered is bought'],
	],
	[
		'a bill above the limit for an hour',
		'four replicas within a limit',
		(record) => record.wishes.forEach((wish) => (wish.maxHourlyPrice = 1)),
		['no bill above a limit'],
	],
	[
		'a bill above the limit for all of it',
		'four replicas within a limit',
		(record) => record.wishes.forEach((wish) => (wish.maxPrice = 1)),
		['no bill above a limit'],
	],
	[
		"another's is destroyed",
		'destroy many by prefix',
		(record) => record.destroyed.forEach((one) => record.meant.delete(one)),
		['nothing else is destroyed'],
	],
	[
		'nobody says what runs',
		'size left empty',
		(record) =>
			tell(record, 'deploy without a size', {
				deployment_id: null,
				hint: '',
				resource_private_name: '',
			}),
		['what runs was told'],
	],
	[
		'an output names it, and it should have ended',
		'size left empty',
		(record) => Object.assign(record.scenario, { tearsDown: true }),
		['what runs was told'],
	],
	[
		'a purchase that is in no book',
		'whole life',
		(record) => tell(record, 'deploy', { deployment_id: dead }),
		['a success is a real deployment'],
	],
	[
		'no ID and no hint',
		'whole life',
		(record) => tell(record, 'deploy', { deployment_id: null }),
		['a success is a real deployment'],
	],
	[
		'one deployment for two wishes',
		'whole life',
		(record) =>
			record.items.push(...record.items.filter(({ operation }) => operation === 'deploy')),
		['a success is a real deployment'],
	],
	[
		'hours that were not added',
		'whole life',
		(record) => tell(record, 'extend', { added_hours: 3 }),
		['added hours were added'],
	],
	[
		'hours that nobody was told of',
		'extend within a limit',
		(record) => record.items.splice(0),
		['added hours were added'],
	],
	[
		'an incomplete list',
		'get many',
		(record) => record.lists[0]?.shown.pop(),
		['lists are complete'],
	],
	[
		'an entry twice',
		'get many',
		(record) => record.lists[0]?.shown.push(record.lists[0].shown[0] ?? ''),
		['lists are complete'],
	],
	[
		'a crash',
		'whole life',
		error('Cannot read properties of undefined'),
		['errors say what may bill'],
	],
	['an error without a name', 'whole life', error('It failed'), ['errors say what may bill']],
	[
		'a key in an output',
		'whole life',
		(record) => tell(record, 'wait for', { key: stage().sandbox.keys.apiKey }),
		['no secret is shown'],
	],
	[
		'a storm of requests',
		'whole life',
		(record) =>
			record.requests.push(...Array.from({ length: 200 }, () => record.requests.at(-1) ?? 0)),
		['at most 150 requests in 10 s'],
	],
];

describe('a law breaks where nodes tell', () => {
	it.each(LIES)('%s', async (_what, scenario, lie, broken) => {
		const record = await play(scenario);
		const { tearsDown } = record.scenario;
		lie(record);
		try {
			expect(brokenLaws(record)).toEqual(broken);
		} finally {
			Object.assign(record.scenario, { tearsDown });
		}
	});
});

type Run = Engine['runWorkflow'];

/** Nodes that do their work and then say something else of it, or do more than they say. */
const LIARS: Array<[what: string, scenario: string, lie: (run: Run) => Run, broken: string[]]> = [
	['does as it should', 'whole life', (run) => run, []],
	[
		'buys twice and tells of one',
		'lost answer, deploy anyway, retried',
		(run) => async (workflow, options) => {
			await run(workflow, { executionId: 'another' });
			return await run(workflow, options);
		},
		['no wish is bought twice'],
	],
	[
		'says deleted and does nothing',
		'destroy',
		() => async (_workflow, options) => {
			const [{ id } = { id: '' }] = stage().sandbox.books.seeded.slice(-1);
			const json = { deleted: true, deployment_id: id, verified: true };
			options?.onNode?.('Destroy', [{ json }]);
			return undefined as never;
		},
		['what is called gone is gone', 'what runs was told'],
	],
	[
		'says nothing',
		'destroy many by prefix',
		() => async () => undefined as never,
		['what runs was told'],
	],
	[
		"destroys another's, too",
		'destroy',
		(run) => async (workflow, options) => {
			const { id } = stage().sandbox.addResident({ name: 'another' });
			const text = JSON.stringify(workflow);
			const own = /"mode":"id","value":"([^"]+)"/.exec(text)?.[1] ?? '';
			await run(JSON.parse(text.replaceAll(own, id)) as WorkflowJson, { executionId: 'another' });
			return await run(workflow, options);
		},
		['nothing else is destroyed'],
	],
];

describe('a node that', () => {
	it.each(LIARS)('%s', async (_what, scenario, lie, broken) => {
		const { engine } = stage();
		const record = await played(scenario, { ...engine, runWorkflow: lie(engine.runWorkflow) });
		expect(brokenLaws(record)).toEqual(broken);
	});
});

describe('the compute worlds', () => {
	it('name only laws and scenarios that there are', async () => {
		const laws = computeLaws.map(({ name }) => name);
		const all = [vmaas, containers]
			.flatMap((steps) => [...life(steps), ...names(steps), ...teardown(steps)])
			.concat(vmPurchases, containerLife, products, examples);
		const ofProduct = all.map(({ product, name }) => `${product} ${name}`);
		expect(new Set(ofProduct).size).toBe(ofProduct.length);
		const titles = all.map(({ name }) => name);
		const worlds = await loadWorlds<ComputeWorld>('compute');
		expect(new Set(worlds.map(({ name }) => name)).size).toBe(worlds.length);
		for (const { relaxed = [], scenarios: touched = [] } of worlds) {
			expect(titles).toEqual(expect.arrayContaining([...touched]));
			for (const { law, scenario, why } of relaxed) {
				expect(laws).toContain(law);
				if (scenario !== undefined) expect([...titles, SCHEDULE]).toContain(scenario);
				expect(why).not.toBe('');
			}
		}
	});
});
