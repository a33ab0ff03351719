import type { IDataObject } from 'n8n-workflow';
import { afterEach, expect } from 'vitest';
import { startEngine, type Engine } from '../../engine/engine.mts';
import { logsTrigger } from '../../engine/logs.mts';
import { ActiveTrigger, type Consume } from '../../engine/trigger.mts';
import { Clock } from './clock.mts';
import { Service, type Ways } from './service.mts';

export const OUT = 'c1/stdout';

/** A service, a clock and a trigger that follows it. */
export interface World {
	clock: Clock;
	service: Service;
	engine: Engine;
	trigger: ActiveTrigger;
	start(): Promise<void>;
	stop(): Promise<void>;
	kill(): Promise<void>;
}

const ends: Array<() => Promise<void>> = [];

export async function world(
	ways: Partial<Ways> = {},
	parameters: IDataObject = {},
	consume?: Consume,
): Promise<World> {
	const clock = new Clock();
	const service = new Service(clock);
	Object.assign(service.ways, ways);
	await service.start();
	const data = {
		baseUrl: service.server.url,
		service: 'svc',
		apiKey: 'key-of-review-logs',
		accessToken: 'token-of-review-logs',
	};
	const engine = await startEngine({
		'compute-marketplace': { type: 'computeMarketplaceApi', data },
		'compute-token': { type: 'computeMarketplaceTokenApi', data },
	});
	const trigger = new ActiveTrigger(engine, logsTrigger(parameters), consume);
	let isActive = false;
	const stop = async () => {
		if (isActive) await clock.during(trigger.deactivate());
		isActive = false;
	};
	ends.push(async () => {
		await stop();
		await clock.settle();
		// A clean stop leaves nothing open
		const { openConnections, peak, errors } = service;
		clock.restore();
		await service.server.close();
		expect({ openConnections, errors, isGentle: peak <= 10 }).toEqual({
			openConnections: 0,
			errors: [],
			isGentle: true,
		});
	});
	return {
		clock,
		service,
		engine,
		trigger,
		async start() {
			await clock.during(trigger.activate(isActive ? 'activate' : 'init'));
			isActive = true;
		},
		stop,
		async kill() {
			await clock.during(trigger.kill());
			isActive = false;
		},
	};
}

/** Each world of a file is closed, and judged, after its test. */
export function endWorlds(): void {
	afterEach(async () => {
		for (const end of ends.splice(0).reverse()) await end();
	});
}

/** What the books deny: lines that were written and never delivered, and those that came more often than they were written. */
export function compare(written: readonly string[], delivered: readonly string[]) {
	const left = new Map<string, number>();
	for (const line of written) left.set(line, (left.get(line) ?? 0) + 1);
	const again: string[] = [];
	for (const line of delivered) {
		const count = left.get(line) ?? 0;
		if (count > 0) left.set(line, count - 1);
		else again.push(line);
	}
	const lost = [...left].flatMap(([line, count]) => Array.from({ length: count }, () => line));
	return { lost, again };
}

export function booksOf({ service, trigger }: World, key = OUT) {
	const delivered = trigger.items.filter(
		({ container_id, stream }) => `${String(container_id)}/${String(stream)}` === key,
	);
	return compare(
		service.written.get(key) ?? [],
		delivered.map(({ line }) => String(line)),
	);
}

export const EXACT = { lost: [], again: [] };

/** `step 0 …`, `step 1 …`: lines that differ. */
export function lines(count: number, from = 0, word = 'step'): string[] {
	return Array.from({ length: count }, (_, index) => `${word} ${from + index}`);
}
