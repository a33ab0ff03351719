import type { IDataObject, IRun } from 'n8n-workflow';
import { expect, onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import { outputOf, startEngine, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import { MARKETPLACE, deployParameters, locator } from '../../engine/nodes.mts';
import { Clock } from './clock.mts';
import { Service, type USUAL } from './service.mts';

export interface World {
	service: Service;
	clock: Clock;
	engine: Engine;
	/** Runs one node over these items, as an execution of its own. */
	run(node: NodeUnderTest, items?: IDataObject[], executionId?: string): Promise<IRun>;
	/** Runs several nodes one after the other, as one execution. */
	chain(nodes: NodeUnderTest[]): Promise<IRun>;
}

let executions = 100;

/** A service that behaves so, with an n8n before it. */
export async function world(behaviour: Partial<typeof USUAL> = {}): Promise<World> {
	const clock = new Clock();
	const service = await new Service(clock).start();
	onTestFinished(() => {
		service.close();
		clock.restore();
	});
	Object.assign(service.behaviour, behaviour);
	const data = { baseUrl: service.url, service: 'svc', apiKey: 'key-of-the-review-account-1' };
	const credential = { type: 'computeMarketplaceApi', data, account: freshAccount() };
	const engine = await startEngine({
		'compute-marketplace': credential,
		'other-process': credential,
	});
	return {
		service,
		clock,
		engine,
		run: async (node, items, executionId = String(executions++)) =>
			await clock.during(engine.run(node, items, { executionId })),
		async chain(nodes) {
			const names = nodes.map((_, index) => `Step ${index + 1}`);
			const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };
			const all = [start, ...nodes].map((node, index) => {
				const name = names[index - 1] ?? 'Start';
				return { typeVersion: 1, position: [0, 0] as [number, number], ...node, id: name, name };
			});
			const connections = Object.fromEntries(
				['Start', ...names.slice(0, -1)].map((name, index) => [
					name,
					{ main: [[{ node: names[index] ?? '', type: 'main' as const, index: 0 }]] },
				]),
			);
			const executionId = String(executions++);
			return await clock.during(engine.runWorkflow({ nodes: all, connections }, { executionId }));
		},
	};
}

/** A credential of the same account that this process cannot tell to be the same: as a worker of its own has it. */
export const OTHER_PROCESS = {
	credentials: { computeMarketplaceApi: { id: 'other-process', name: 'Compute Marketplace' } },
};
export { MARKETPLACE };

/** A deploy of two hours with one GPU. */
export function order(changes: IDataObject = {}): IDataObject {
	return deployParameters({ locationId: locator('FI'), gpusPerVm: 1, ...changes });
}

/** All that an execution tells anybody: its items and its error, as one text. */
export function toldBy(run: IRun): string {
	const { error } = run.data.resultData;
	const items = Object.values(run.data.resultData.runData)
		.flat()
		.flatMap(({ data }) => data?.main?.flat() ?? [])
		.map((item) => item?.json);
	const { message, description, context } = (error ?? {}) as unknown as Record<string, unknown>;
	return JSON.stringify([items, message, description, context]);
}

/** The items of the last node, which must have succeeded. */
export function itemsOf(run: IRun): IDataObject[] {
	const { lastNodeExecuted = 'Node' } = run.data.resultData;
	return outputOf(run, lastNodeExecuted).map(({ json }) => json);
}

/** Each machine that bills is named to the person by these runs. */
export function expectAllTold({ service }: World, ...runs: IRun[]): void {
	const told = runs.map(toldBy).join('\n');
	for (const { id } of service.alive()) expect(told).toContain(id);
}
