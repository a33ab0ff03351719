import type { IDataObject, IRun, WorkflowActivateMode } from 'n8n-workflow';
import { outputOf, type Engine } from '../../engine/engine.mts';
import { logsTrigger } from '../../engine/logs.mts';
import { caas, locator } from '../../engine/nodes.mts';
import { ActiveTrigger, type Consume } from '../../engine/trigger.mts';
import type { ClockD } from './clockD.mts';

const LONGEST_RUN_MS = 4_000_000;

/**
 * What a person does with the nodes for logs, on the clock of a world.
 * @param longestMs how long a trigger may take to start or to stop
 */
export function userOf(engine: Engine, clock: ClockD, longestMs: number) {
	const active = new Set<ActiveTrigger>();
	const runGetMany = async (parameters: IDataObject = {}): Promise<IRun> => {
		const node = caas('log', 'getAll', {
			deploymentId: locator('d1'),
			containerId: locator('c1'),
			stream: 'stdout',
			limit: 10_000,
			maxWaitSeconds: 5,
			...parameters,
		});
		return await clock.during(engine.run(node), LONGEST_RUN_MS);
	};
	return {
		trigger: (parameters: IDataObject = {}, consume?: Consume) =>
			new ActiveTrigger(engine, logsTrigger(parameters), consume),
		async activate(trigger: ActiveTrigger, mode: WorkflowActivateMode = 'activate') {
			active.add(trigger);
			await clock.during(trigger.activate(mode), longestMs);
		},
		async deactivate(trigger: ActiveTrigger) {
			active.delete(trigger);
			await clock.during(trigger.deactivate(), longestMs);
		},
		async deactivateAll() {
			for (const trigger of active) await clock.during(trigger.deactivate(), longestMs);
		},
		async kill(trigger: ActiveTrigger) {
			active.delete(trigger);
			await clock.during(trigger.kill(), longestMs);
		},
		runGetMany,
		async getMany(parameters: IDataObject = {}): Promise<IDataObject[]> {
			return outputOf(await runGetMany(parameters)).map(({ json }) => json);
		},
	};
}
