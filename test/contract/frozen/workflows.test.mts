import { describe, expect, it } from 'vitest';
import { cases } from './cases.mts';
import type { NodeInterface, Parameter } from './describe.mts';
import { golden, goldenNames, readGolden } from './golden.mts';
import { lostKeys, record, withoutPaging, type Recorded, type Sent } from './record.mts';
import {
	expectNoSecret,
	ownNodes,
	PACKAGE,
	startService,
	type NodeOutput,
	type Service,
	type WorkflowJson,
} from './run.mts';

/** Workflows as people have saved them still send what they sent; README.md has the rules. */
const workflows = goldenNames('workflows');
const isTrigger = (name: string): boolean => cases[name]?.follows !== undefined;
const readWorkflow = (name: string): WorkflowJson => readGolden<WorkflowJson>('workflows', name);

/** Runs a saved workflow on a service that is new: only there deployments have the IDs that the workflow names. */
async function runSaved({ sandbox, execute, follow }: Service, name: string): Promise<Recorded> {
	const { before, follows, volatile = [], executions = [{}] } = cases[name] ?? {};
	await before?.(sandbox);
	sandbox.requests.length = 0;
	const workflow = readWorkflow(name);
	const saved = JSON.stringify(workflow);
	const nodes: NodeOutput[] = [];
	if (follows !== undefined) nodes.push(...(await follow(workflow, follows)));
	else for (const one of executions) nodes.push(...(await execute(workflow, one)));
	const recorded = await record([...sandbox.requests], nodes, saved, volatile);
	expectNoSecret(`the requests of ${name}`, recorded);
	for (const { node, error } of nodes) {
		if (error) process.stdout.write(`${name}, ${node.name}: ${error.message}\n`);
	}
	return recorded;
}

function compare(name: string, present: Recorded): void {
	const frozen = golden('requests', name, present);
	expect.soft(present.writes, 'requests that change or cost something').toEqual(frozen.writes);
	expect.soft(present.failed, 'nodes that end in an error').toEqual(frozen.failed);
	const lost = Object.entries(frozen.outputs).flatMap(([node, keys]) =>
		lostKeys(keys, present.outputs[node]).map((key) => `${node}: ${key}`),
	);
	expect.soft(lost, 'output keys that are gone').toEqual([]);
	const sent = new Set(present.reads.map((read) => JSON.stringify(withoutPaging(read))));
	const isSent = (read: Sent): boolean => sent.has(JSON.stringify(withoutPaging(read)));
	const unread = frozen.reads.filter((read) => !isSent(read));
	const asked = unread.filter(({ request }) => cases[name]?.asks?.test(request));
	expect.soft(asked, 'reads that the workflow is for').toEqual([]);
	for (const { request } of unread.filter((read) => !asked.includes(read))) {
		process.stdout.write(`${name} no longer reads ${request}\n`);
	}
}

describe.each([
	['sandbox', workflows.filter((name) => !isTrigger(name))],
	['real', workflows.filter(isTrigger)],
] as const)('saved workflows on the %s clock', (clock, names) => {
	it.each(names)('%s', async (name) => {
		const service = await startService(clock);
		compare(name, await runSaved(service, name).finally(service.close));
	});
});

describe('the saved workflows', () => {
	it('each has its golden file, and each golden file its workflow', () => {
		expect(Object.keys(cases).filter((name) => !workflows.includes(name))).toEqual([]);
		expect(goldenNames('requests')).toEqual(workflows);
	});

	it('hold every frozen operation', () => {
		const nodes = goldenNames('interface/nodes').map((name) =>
			readGolden<NodeInterface>('interface/nodes', name),
		);
		const used = new Set(
			workflows.flatMap((name) => ownNodes(readWorkflow(name)).map((node) => usedBy(node, nodes))),
		);
		expect(nodes.flatMap(operationsOf).filter((operation) => !used.has(operation))).toEqual([
			// It runs below an agent of n8n only, see README.md
			'lmChatCompute',
		]);
	});
});

const named = (node: NodeInterface, name: string): Parameter[] =>
	node.parameters.filter((parameter) => parameter.name === name);

/** `vmaas deployment deploy` of each operation; the name of a node that has none. */
function operationsOf(node: NodeInterface): string[] {
	const found = named(node, 'operation').flatMap(({ show, values = [] }) =>
		(show?.resource ?? []).flatMap((resource) =>
			values.map((value) => `${node.name} ${String(resource)} ${String(value)}`),
		),
	);
	return found.length > 0 ? found : [node.name];
}

/** The operation of a saved node: what is not saved is the default. */
function usedBy(saved: WorkflowJson['nodes'][number], nodes: NodeInterface[]): string {
	const name = saved.type.slice(PACKAGE.length + 1);
	const node = nodes.find((one) => one.name === name);
	if (!node || named(node, 'operation').length === 0) return name;
	const resource = saved.parameters.resource ?? named(node, 'resource')[0]?.default;
	const isOf = ({ show }: Parameter): boolean =>
		show?.resource?.some((one) => one === resource) ?? false;
	const operation = saved.parameters.operation ?? named(node, 'operation').find(isOf)?.default;
	return `${name} ${String(resource)} ${String(operation)}`;
}
