import { expect, it } from 'vitest';
import { PACKAGE, type Engine, type WorkflowJson } from '../engine/engine.mts';
import documented from '../sandbox/worlds/compute/default.mts';
import type { ComputeRecord } from '../worlds/computeRecord.mts';
import { useStage } from '../worlds/describeWorlds.mts';
import { computeLaws } from '../worlds/laws/compute.mts';
import { compute } from '../worlds/playCompute.mts';
import { containerLife } from '../worlds/scenarios/containers.mts';
import { products } from '../worlds/scenarios/products.mts';

/** The laws notice what nodes can get wrong of containers alone, or of two products in one account. */
const stage = useStage();

function brokenLaws(record: ComputeRecord): string[] {
	return computeLaws.filter(({ broken }) => broken(record).length > 0).map(({ name }) => name);
}

async function played(name: string, engine = stage().engine): Promise<ComputeRecord> {
	const scenario = [...containerLife, ...products].find((one) => one.name === name);
	if (!scenario) throw new Error(`There is no scenario ${name}`);
	return await compute.play({ ...stage(), engine }, documented, scenario);
}

const LIFE = 'deployed, reachable, updated, extended, destroyed by name';

const itemsOf = ({ items }: ComputeRecord, operation: string) =>
	items.filter((one) => one.operation === operation);

const LIES: Array<
	[what: string, scenario: string, lie: (record: ComputeRecord) => unknown, broken: string]
> = [
	[
		'an update that was not made',
		LIFE,
		(record) => record.items.push(...itemsOf(record, 'update')),
		'updates were made, once',
	],
	[
		'an update that nobody was told of',
		'update, lost answer, retried',
		(record) => record.items.splice(0),
		'updates were made, once',
	],
	[
		'an update that nobody wanted',
		LIFE,
		(record) => record.updates.clear(),
		'updates were made, once',
	],
	[
		'an update too many',
		LIFE,
		(record) => record.updates.forEach((_times, one) => record.updates.set(one, 0)),
		'updates were made, once',
	],
	[
		'what starts is running',
		LIFE,
		(record) => itemsOf(record, 'wait for').forEach((one) => (one.state = 'deployment requested')),
		'what is called running runs',
	],
	[
		'a VM is passed on as containers',
		'containers of a name that a VM has: useExisting',
		(record) => {
			const vm = record.ours.find(({ order }) => order.kind === 'vmaas');
			for (const { json } of record.items)
				Object.assign(json, { existing: true, deployment_id: vm?.id });
		},
		'a success is a real deployment',
	],
	[
		'a secret in an output',
		LIFE,
		(record) => {
			const [request] = record.bought.map(({ order }) => order.request);
			for (const { json } of itemsOf(record, 'deploy'))
				json.container_config = JSON.stringify(request?.container_config);
		},
		'no secret is shown',
	],
];

it.each(LIES)('%s', async (_what, scenario, lie, broken) => {
	const record = await played(scenario);
	expect(brokenLaws(record)).toEqual([]);
	lie(record);
	expect(brokenLaws(record)).toEqual([broken]);
});

it('a node that takes the VM for the containers', async () => {
	const { engine } = stage();
	const runWorkflow: Engine['runWorkflow'] = async (workflow, options) => {
		const text = JSON.stringify(workflow);
		const isTeardown = text.includes('"operation":"destroy"');
		const other = isTeardown ? text.replaceAll(`${PACKAGE}.caas`, `${PACKAGE}.vmaas`) : text;
		return await engine.runWorkflow(JSON.parse(other) as WorkflowJson, options);
	};
	const scenario = 'VM and containers, those of caas destroyed by name';
	const record = await played(scenario, { ...engine, runWorkflow });
	expect(brokenLaws(record)).toEqual(['what is called gone is gone', 'nothing else is destroyed']);
});
