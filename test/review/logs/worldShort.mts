import type { IDataObject } from 'n8n-workflow';
import { onTestFinished } from 'vitest';
import { PACKAGE, startEngine, type NodeUnderTest } from '../../engine/engine.mts';
import { locator, MARKETPLACE } from '../../engine/nodes.mts';
import { ActiveTrigger, type Consume } from '../../engine/trigger.mts';
import { ClockD } from './clockD.mts';
import { ServiceShort, type HabitsOfShort } from './serviceShort.mts';

/** One n8n beside a service whose connections are lost as it is told. */
export interface WorldShort {
	clock: ClockD;
	service: ServiceShort;
	follow(
		parameters?: IDataObject,
		options?: IDataObject,
		consume?: Consume,
	): Promise<ActiveTrigger>;
	stop(trigger: ActiveTrigger): Promise<void>;
	start(trigger: ActiveTrigger, mode?: 'init' | 'activate'): Promise<void>;
	end(): Promise<void>;
}

export async function worldShort(habits: Partial<HabitsOfShort> = {}): Promise<WorldShort> {
	const clock = new ClockD();
	const { service, server } = await ServiceShort.start(clock);
	Object.assign(service.habits, habits);
	const engine = await startEngine({
		[MARKETPLACE.computeMarketplaceApi.id]: {
			type: 'computeMarketplaceApi',
			data: { baseUrl: server.url, service: 'svc', apiKey: 'key-of-short' },
		},
	});
	const active = new Set<ActiveTrigger>();
	let isOver = false;
	const end = async () => {
		if (isOver) return;
		isOver = true;
		for (const trigger of active) await clock.during(trigger.deactivate());
		clock.restore();
		await server.close();
	};
	onTestFinished(end);
	const start: WorldShort['start'] = async (trigger, mode = 'init') => {
		active.add(trigger);
		await clock.during(trigger.activate(mode));
	};
	return {
		clock,
		service,
		start,
		end,
		async stop(trigger) {
			active.delete(trigger);
			await clock.during(trigger.deactivate());
		},
		async follow(parameters = {}, options = {}, consume) {
			const node = {
				type: `${PACKAGE}.caasLogsTrigger`,
				credentials: MARKETPLACE,
				parameters: {
					authentication: 'apiKey',
					deploymentId: locator('d1'),
					containerIds: ['c1'],
					streams: ['stdout'],
					startFrom: 'lastStop',
					batch: { maxEntries: 100, maxWaitMs: 200 },
					options: { offsetUnit: service.habits.unit, ...options },
					...parameters,
				},
			} as NodeUnderTest;
			const trigger = new ActiveTrigger(engine, node, consume);
			await start(trigger, 'activate');
			return trigger;
		},
	};
}
