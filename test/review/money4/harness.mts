import type { IDataObject, INode, IRun } from 'n8n-workflow';
import { onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import { startEngine, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import {
	caas,
	containerParameters,
	deployment,
	deployParameters,
	locator,
} from '../../engine/nodes.mts';
import { Service } from './service.mts';

export async function openService(changes: Partial<Service> = {}): Promise<Service> {
	const service = await new Service().open();
	onTestFinished(() => service.close());
	return Object.assign(service, changes);
}

/** An engine with a credential for each key, by its ID. */
export async function engineOf(keys: Record<string, [url: string, key: string]>): Promise<Engine> {
	const account = freshAccount();
	return await startEngine(
		Object.fromEntries(
			Object.entries(keys).map(([id, [baseUrl, apiKey]]) => [
				id,
				{ type: 'computeMarketplaceApi', data: { baseUrl, service: 'svc', apiKey }, account },
			]),
		),
	);
}

export const ONE = 'key-one-a1';
export const TWO = 'key-two-b2';

/** An engine with two accounts of a service. */
export const twoAccounts = async ({ url }: Service) =>
	await engineOf({ one: [url, ONE], two: [url, TWO] });

export const by = (id: string, more: Partial<NodeUnderTest> = {}): Partial<NodeUnderTest> => ({
	credentials: { computeMarketplaceApi: { id, name: id } },
	...more,
});

export const deploy = (changes: IDataObject = {}, settings = by('one')) =>
	deployment('deploy', deployParameters({ locationId: locator('us'), ...changes }), settings);
export const deployContainer = (changes: IDataObject = {}, settings = by('one')) =>
	caas('deployment', 'deploy', containerParameters(changes), settings);
export const destroy = (
	value: unknown,
	options: IDataObject = {},
	settings = by('one'),
	mode: 'id' | 'name' = 'id',
) => deployment('destroy', { deploymentId: locator(value, mode), options }, settings);
export const extend = (value: unknown, hours = 2, safety: IDataObject = {}, settings = by('one')) =>
	deployment('extend', { deploymentId: locator(value), durationHours: hours, safety }, settings);

/** Start, and one node after the other. */
export async function chain(
	engine: Engine,
	service: Service,
	nodes: NodeUnderTest[],
	options: Parameters<Engine['runWorkflow']>[1] = {},
): Promise<IRun> {
	const all = [{ type: 'n8n-nodes-base.manualTrigger', parameters: {} }, ...nodes].map(
		(node, index) =>
			({
				id: `node-${index}`,
				typeVersion: 1,
				position: [0, 0],
				name: `N${index}`,
				...node,
			}) as INode,
	);
	const connections = Object.fromEntries(
		all
			.slice(1)
			.map((node, index) => [
				`N${index}`,
				{ main: [[{ node: node.name, type: 'main' as const, index: 0 }]] },
			]),
	);
	return await service.clock.during(engine.runWorkflow({ nodes: all, connections }, options));
}

/** What each node of a chain gave, and the error that ended the run. */
export function told(run: IRun) {
	const { runData, error } = run.data.resultData;
	const of = (name: string) =>
		(runData[name] ?? []).flatMap(({ data }) => data?.main?.[0] ?? []).map(({ json }) => json);
	const description = (error as { description?: string } | undefined)?.description;
	return { of, error: error && `${error.message} ${description ?? ''}` };
}
