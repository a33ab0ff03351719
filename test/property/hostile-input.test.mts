import fc from 'fast-check';
import type { IDataObject, IRun } from 'n8n-workflow';
import { afterAll, describe, expect, it } from 'vitest';
import { outputOf } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE } from '../engine/nodes.mts';
import { startFixture } from '../engine/start.mts';
import { FROM_ITEM, type Leaf, type TestedOperation } from './hostile/parameters.mts';
import { itemsWith, nodeFor, allOperations, runningDeployment } from './hostile/nodes.mts';
import {
	errorFault,
	failureOf,
	headerFault,
	messageFault,
	moneyFault,
	prototypeFault,
	Routes,
} from './hostile/probe.mts';
import { hostileValue } from './hostile/values.mts';

/**
 * Every parameter of every operation, filled in by an expression that gives what nobody expects. The operations are taken
 * from the descriptions, so a new one is covered without a line here. What a description cannot show has a sample in
 * hostile/nodes.mts.
 */

/** Values that each parameter gets, and the seed that they come from. */
const VALUES = Number(process.env.HOSTILE_VALUES ?? 4);
const SEED = Number(process.env.HOSTILE_SEED ?? 1);

const first = await startFixture();
// What a job is told it runs, on a VM that takes its key: see hostile-jobs.test.mts
const operations = allOperations(first.engine).filter(
	({ parameters }) => parameters.resource !== 'job',
);
await first.sandbox.close();

// The VMs reject the key of the tests: no hostile command is run
const fixture = useFixture({ ssh: true });
let cases = 0;
afterAll(() =>
	console.log(
		`${cases} hostile values in ${operations.reduce((sum, { leaves }) => sum + leaves.length, 0)} parameters of ${operations.length} operations`,
	),
);

/** A fresh service with one deployment that runs; the parameters name it where they name a deployment. */
async function ready({
	node,
	parameters,
}: TestedOperation): Promise<(more: IDataObject) => IDataObject> {
	fixture.sandbox.reset();
	const value = 'deploymentId' in parameters ? await runningDeployment(fixture.sandbox, node) : '';
	fixture.sandbox.requests.length = 0;
	const before = JSON.stringify(parameters.deploymentId);
	return (more) =>
		value !== '' && JSON.stringify(more.deploymentId) === before
			? { ...more, deploymentId: { __rl: true, mode: 'id', value } }
			: more;
}

const run = async (
	{ node }: TestedOperation,
	parameters: IDataObject,
	values: unknown[],
	settings = {},
): Promise<IRun> =>
	await fixture.engine.runItems(nodeFor(node, parameters, settings), itemsWith(values));

/** Where the operation's requests go when each of its parameters is what it should be. */
async function routesOf(operation: TestedOperation): Promise<Routes> {
	const requests = [];
	for (const parameters of [
		operation.parameters,
		...operation.leaves.map(({ set, sample }) => set(sample)),
	]) {
		const live = (await ready(operation))(parameters);
		await run(operation, live, ['sample']);
		// What is gone is looked for elsewhere
		if (operation.parameters.operation === 'delete') await run(operation, live, ['sample']);
		requests.push(
			...fixture.sandbox.requests.map(({ path, ...request }) => ({ ...request, path })),
		);
	}
	return new Routes(
		requests,
		fixture.sandbox.books.deployments.map(({ id }) => id).concat(textsIn(operation.parameters)),
	);
}

/** Every text of an operation: one of them may stand in a path. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return value === '' ? [] : [value];
	return typeof value === 'object' && value !== null
		? Object.values(value).flatMap(textsIn)
		: typeof value === 'number'
			? [String(value)]
			: [];
}

/** What is wrong with the requests that were sent, and with what all objects share. */
function faultsOf(routes: Routes): string[] {
	return [
		prototypeFault(),
		...fixture.sandbox.requests.flatMap((request) => [
			routes.fault(request),
			headerFault(request),
			moneyFault(request),
		]),
	].filter((fault) => fault !== undefined);
}

function namesField({ labels }: Leaf, message: string): boolean {
	return labels.some((label) => message.includes(label));
}

async function tryLeaf(
	operation: TestedOperation,
	leaf: Leaf,
	routes: Routes,
	values: unknown[],
): Promise<void> {
	const live = (await ready(operation))(leaf.set(FROM_ITEM));
	const result = await run(operation, live, values, CONTINUE);
	cases += values.length;
	expect(errorFault(result), leaf.title).toBeUndefined();
	const { error } = result.data.resultData;
	// What counts for the whole node, such as the choice of its credential, ends the run
	if (error) {
		expect(namesField(leaf, error.message), `${leaf.title}: ${error.message}`).toBe(true);
		return;
	}
	const faults = outputOf(result).flatMap((item) => {
		const message = failureOf(item);
		const { item: index } = item.pairedItem as { item: number };
		return message === undefined ? [] : (messageFault(message, values[index]) ?? []);
	});
	expect([...faults, ...faultsOf(routes)], leaf.title).toEqual([]);
}

/** A value of a type that hardly any field takes: the error must name the field, or the service has seen the value. */
async function tryWrongType(operation: TestedOperation, leaf: Leaf, routes: Routes): Promise<void> {
	const live = (await ready(operation))(leaf.set(FROM_ITEM));
	const result = await run(operation, live, [[{ a: 1 }, { a: 2 }]]);
	cases++;
	expect(errorFault(result), leaf.title).toBeUndefined();
	const message = result.data.resultData.error?.message;
	if (message !== undefined && fixture.sandbox.requests.length === 0) {
		expect(namesField(leaf, message), `${leaf.title}: ${message}`).toBe(true);
	}
	expect(faultsOf(routes), leaf.title).toEqual([]);
}

describe.each(operations.map((operation) => [operation.title, operation] as const))(
	'%s',
	(_, operation) => {
		it(`${operation.leaves.length} parameters: a clear error or the operation's own request, and nothing else`, async () => {
			const routes = await routesOf(operation);
			expect(routes.size).toBeGreaterThan(0);
			for (const [place, leaf] of operation.leaves.entries()) {
				await tryWrongType(operation, leaf, routes);
				await fc.assert(
					fc.asyncProperty(
						fc.array(hostileValue, { minLength: VALUES, maxLength: VALUES }),
						async (values) => await tryLeaf(operation, leaf, routes, values),
					),
					{ numRuns: 1, seed: SEED + place, endOnFailure: true },
				);
			}
		}, 300_000);
	},
);
