import type { IDataObject, INode } from 'n8n-workflow';
import { onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import {
	startEngine,
	type Engine,
	type NodeUnderTest,
	type RunOptions,
} from '../../engine/engine.mts';
import { deployment, deployParameters, locator } from '../../engine/nodes.mts';
import { VirtualTime } from '../../engine/virtualTime.mts';
import { seenOf, type Seen } from '../seen.mts';
import { Service } from './service.mts';

export interface Stage {
	service: Service;
	engine: Engine;
	time: VirtualTime;
	run(node: NodeUnderTest, items?: IDataObject[], options?: RunOptions): Promise<Seen>;
	/** Runs nodes one after the other in one execution; the items are those of the last one. */
	chain(...nodes: NodeUnderTest[]): Promise<Seen>;
}

let executions = 0;

/** A service, and n8n's engine with an account of it, on one clock. */
export async function begin(changes: Partial<Service> = {}): Promise<Stage> {
	const service = Object.assign(new Service(), changes);
	await service.listen();
	const time = new VirtualTime(service.clock, () => service.held);
	onTestFinished(async () => {
		time.restore();
		await service.close();
	});
	const engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl: service.url, service: 'svc', apiKey: 'mk-twelfth/review+456=' },
			account: freshAccount(),
		},
	});
	const run: Stage['run'] = async (node, items, options) => {
		const executionId = `money12-${executions++}`;
		const start = async () => await engine.run(node, items, { executionId, ...options });
		return await seenOf({ engine, time }, start);
	};
	const chain: Stage['chain'] = async (...tested) => {
		const trigger = { type: 'n8n-nodes-base.manualTrigger', parameters: {} };
		const nodes = [trigger, ...tested].map((node, index): INode => ({
			...{ id: `step-${index}`, name: `Step ${index}`, typeVersion: 1 },
			...{ position: [200 * index, 0], ...node },
		}));
		const connections = Object.fromEntries(
			nodes.map(({ name }, index) => {
				const next = { node: `Step ${index + 1}`, type: 'main' as const, index: 0 };
				return [name, { main: [index + 1 < nodes.length ? [next] : []] }];
			}),
		);
		const executionId = `money12-${executions++}`;
		const start = async () => await engine.runWorkflow({ nodes, connections }, { executionId });
		return await seenOf({ engine, time }, start, `Step ${tested.length}`);
	};
	return { service, engine, time, run, chain };
}

export const deploy = (changes: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) => {
	const place = { hardwareId: locator(7), locationId: locator('NL'), gpusPerVm: 1 };
	return deployment('deploy', deployParameters({ ...place, ...changes }), settings);
};

export const destroy = (value: unknown, mode: 'id' | 'name' = 'id', options: IDataObject = {}) =>
	deployment('destroy', { deploymentId: locator(value, mode), options });

export const extend = (
	id: unknown,
	durationHours: number,
	safety: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
) => deployment('extend', { deploymentId: locator(id), durationHours, safety }, settings);
