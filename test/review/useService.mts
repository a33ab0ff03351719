import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startEngine, type Engine } from '../engine/engine.mts';
import { packageTime } from '../engine/time.mts';
import { provideSdk } from './intelligence/sdk.mts';

interface Stage {
	readonly service: { url: string; listen(): Promise<void>; begin(): void; close(): Promise<void> };
	engine: Engine;
	/** How far the clock of the package is ahead, in milliseconds. */
	clock: number;
}

/** Gives a stage its service and n8n's engine; the waits of the package take no time, but move its clock. */
export function useService<S extends Stage>(stage: S, apiKey: string): S {
	let restore = (): void => undefined;
	beforeAll(async () => {
		provideSdk();
		await stage.service.listen();
		const data = { baseUrl: stage.service.url, ragSegment: 'rag', apiKey, header: 'bearer' };
		stage.engine = await startEngine({
			'compute-intelligence': { type: 'computeIntelligenceApi', data },
			// As another process of n8n sees it: what the first one remembers is not known to it
			second: { type: 'computeIntelligenceApi', data: { ...data } },
		});
		const time = packageTime();
		const real = { ...time };
		restore = () => Object.assign(time, real);
		time.now = () => Date.now() + stage.clock;
		time.elapsed = () => time.now();
		time.delay = async (ms) => {
			stage.clock += Math.max(0, ms);
			await setImmediate();
		};
	});
	beforeEach(() => {
		stage.service.begin();
		stage.clock = 0;
	});
	afterAll(async () => {
		restore();
		await stage.service.close();
	});
	return stage;
}
