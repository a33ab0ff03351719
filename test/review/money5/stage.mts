import type { IDataObject, INode, IRun } from 'n8n-workflow';
import { onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import {
	startEngine,
	type Engine,
	type NodeUnderTest,
	type RunOptions,
} from '../../engine/engine.mts';
import { deployment, deployParameters, locator } from '../../engine/nodes.mts';
import { OWN_KEY, sshCredential } from '../../engine/sshKey.mts';
import { VirtualTime } from '../../engine/virtualTime.mts';
import { HOUR, Service } from './service.mts';

export const KEY = 'key-of-account-1';
export const OTHER_KEY = 'key-of-account-2';

/** A service, an engine with two accounts of it, and one clock for both. */
export interface Stage {
	service: Service;
	engine: Engine;
	time: VirtualTime;
	run(node: NodeUnderTest, items?: IDataObject[], options?: RunOptions): Promise<IRun>;
	/** Start, and one node after the other: N1, N2 … */
	chain(nodes: NodeUnderTest[], options?: RunOptions): Promise<IRun>;
}

export async function stage(changes: Partial<Service> = {}, key = KEY): Promise<Stage> {
	const service = Object.assign(await new Service().open(), changes);
	const account = freshAccount();
	const marketplace = (apiKey: string) => ({
		type: 'computeMarketplaceApi',
		data: { baseUrl: service.url, service: 'svc', apiKey },
		account,
	});
	const engine = await startEngine({
		'compute-marketplace': marketplace(key),
		other: marketplace(OTHER_KEY),
		'compute-ssh': sshCredential(OWN_KEY.privateKey),
	});
	const time = new VirtualTime(service.clock, () => service.held);
	onTestFinished(() => {
		time.restore();
		service.close();
	});
	const during = async (run: Promise<IRun>) => await time.during(run, 24 * HOUR);
	return {
		service,
		engine,
		time,
		run: async (node, items, options) => await during(engine.run(node, items, options)),
		async chain(nodes, options = {}) {
			const all = [{ type: 'n8n-nodes-base.manualTrigger', parameters: {} }, ...nodes].map(
				(node, index) =>
					({
						id: `n${index}`,
						typeVersion: 1,
						position: [0, 0],
						name: `N${index}`,
						...node,
					}) as INode,
			);
			const connections = Object.fromEntries(
				all
					.slice(1)
					.map(({ name }, index) => [
						`N${index}`,
						{ main: [[{ node: name, type: 'main' as const, index: 0 }]] },
					]),
			);
			return await during(engine.runWorkflow({ nodes: all, connections }, options));
		},
	};
}

export const deploy = (changes: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	deployment('deploy', deployParameters({ locationId: locator('us'), ...changes }), settings);
export const extend = (
	value: unknown,
	hours: unknown = 2,
	safety: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
) =>
	deployment(
		'extend',
		{ deploymentId: locator(value), durationHours: hours as number, safety },
		settings,
	);
export const destroy = (
	value: unknown,
	options: IDataObject = {},
	mode: 'id' | 'name' = 'id',
	settings: Partial<NodeUnderTest> = {},
) => deployment('destroy', { deploymentId: locator(value, mode), options }, settings);
export const destroyMany = (namePrefix: string, more: IDataObject = {}) =>
	deployment('destroyMany', {
		namePrefix,
		match: 'prefix',
		limit: 50,
		dryRun: false,
		options: {},
		...more,
	});

/** What a run has told: the items of a node, the error, and all that a person can read. */
export function told(run: IRun) {
	const { runData, error } = run.data.resultData;
	const of = (name = 'Node') =>
		(runData[name] ?? []).flatMap(({ data }) => data?.main?.[0] ?? []).map(({ json }) => json);
	const { message, description } = (error ?? {}) as { message?: string; description?: string };
	const words = error && `${message} ${description ?? ''}`;
	return { of, error: words, all: JSON.stringify([words, Object.keys(runData).map(of)]) };
}
