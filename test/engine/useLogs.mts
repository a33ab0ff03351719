import type { IDataObject } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Sandbox } from '../sandbox/index.mts';
import type { Engine } from './engine.mts';
import { startBench, type Bench } from './fixture.mts';
import { published } from './logs.mts';
import { eventually, type PublishedTrigger } from './trigger.mts';

type Consume = (items: IDataObject[]) => Promise<void> | void;

/** What a test file of the logs trigger needs in real time: a sandbox that each test finds empty, and one trigger, closed after its test. */
export interface TestLogs {
	readonly sandbox: Sandbox;
	readonly engine: Engine;
	/** The one that the test follows with. */
	trigger: PublishedTrigger;
	/** Takes a trigger with these parameters; it is still to be published. */
	follow(parameters?: IDataObject, consume?: Consume): PublishedTrigger;
	/** So many lines have come, or more. */
	delivered(count: number): Promise<void>;
	/** All runs have ended. */
	idle(): Promise<void>;
}

export function useLogs(): TestLogs {
	let bench: Bench | undefined;
	let trigger: PublishedTrigger | undefined;
	const up = <T,>(value: T | undefined): T => {
		if (value === undefined) throw new Error('It is not up yet');
		return value;
	};
	beforeAll(async () => {
		bench = await startBench();
	});
	beforeEach(() => up(bench).sandbox.reset());
	afterEach(async () => await up(trigger).close());
	afterAll(async () => await bench?.sandbox.close());
	return {
		get sandbox() {
			return up(bench).sandbox;
		},
		get engine() {
			return up(bench).engine;
		},
		get trigger() {
			return up(trigger);
		},
		set trigger(other) {
			trigger = other;
		},
		follow(parameters = {}, consume) {
			trigger = published(up(bench).engine, parameters, consume);
			return trigger;
		},
		delivered: async (count) =>
			await eventually(`${count} lines`, () => up(trigger).lines.length >= count),
		idle: async () =>
			await eventually('all runs have ended', () =>
				up(trigger).executions.every(({ run }) => run !== undefined),
			),
	};
}
