import type { IDataObject } from 'n8n-workflow';
import { onTestFinished } from 'vitest';
import { PACKAGE, startEngine, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import { locator, MARKETPLACE } from '../../engine/nodes.mts';
import { ActiveTrigger, type Consume } from '../../engine/trigger.mts';
import { ClockD } from './clockD.mts';
import { ServiceD, type LogD, type Rules } from './serviceD.mts';

/** One n8n beside one service. */
export interface World {
	clock: ClockD;
	service: ServiceD;
	/** The log of the first container. */
	log: LogD;
	engine: Engine;
	/** A trigger, active from now on. */
	follow(parameters?: IDataObject, consume?: Consume): Promise<ActiveTrigger>;
	/** n8n stops as it should, and starts again so much later. */
	restart(trigger: ActiveTrigger, pauseMs?: number): Promise<void>;
	stop(trigger: ActiveTrigger): Promise<void>;
	start(trigger: ActiveTrigger, mode?: 'init' | 'activate'): Promise<void>;
}

/** A world whose service has these rules. */
export async function world(rules: Partial<Rules> = {}): Promise<World> {
	const clock = new ClockD();
	const { service, server } = await ServiceD.start(clock);
	Object.assign(service.rules, rules);
	const engine = await startEngine({
		[MARKETPLACE.computeMarketplaceApi.id]: {
			type: 'computeMarketplaceApi',
			data: { baseUrl: server.url, service: 'svc', apiKey: 'key-of-world-d' },
		},
	});
	const active = new Set<ActiveTrigger>();
	onTestFinished(async () => {
		for (const trigger of active) await clock.during(trigger.deactivate());
		clock.restore();
		await server.close();
	});
	const start: World['start'] = async (trigger, mode = 'init') => {
		active.add(trigger);
		await clock.during(trigger.activate(mode));
	};
	const stop: World['stop'] = async (trigger) => {
		active.delete(trigger);
		await clock.during(trigger.deactivate());
	};
	return {
		clock,
		service,
		log: service.log(),
		engine,
		start,
		stop,
		async follow(parameters = {}, consume) {
			const node: NodeUnderTest = {
				type: `${PACKAGE}.caasLogsTrigger`,
				credentials: MARKETPLACE,
				parameters: {
					authentication: 'apiKey',
					deploymentId: locator('d1'),
					containerIds: ['c1'],
					streams: ['stdout'],
					startFrom: 'lastStop',
					batch: { maxEntries: 100, maxWaitMs: 200 },
					...parameters,
				} as NodeUnderTest['parameters'],
			};
			const trigger = new ActiveTrigger(engine, node, consume);
			await start(trigger, 'activate');
			return trigger;
		},
		async restart(trigger, pauseMs = 1_000) {
			await stop(trigger);
			await clock.pass(pauseMs);
			await start(trigger);
		},
	};
}

/** `name 0`, `name 1`, … */
export function named(name: string, count: number, from = 0): string[] {
	return Array.from({ length: count }, (_, index) => `${name} ${from + index}`);
}

/** Lines that came more than once, or not at all, of those that are all different. */
export function judge(written: string[], delivered: string[]): { lost: string[]; again: string[] } {
	const count = (line: string) => delivered.filter((one) => one === line).length;
	return {
		lost: written.filter((line) => count(line) === 0),
		again: written.filter((line) => count(line) > 1),
	};
}

export const EXACT = { lost: [], again: [] };
