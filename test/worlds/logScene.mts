import type { CancellationReason, IDataObject } from 'n8n-workflow';
import { LOG_PATH, logsTrigger, runningDeployment } from '../engine/logs.mts';
import { locator } from '../engine/nodes.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import type { LogConnection } from '../sandbox/index.mts';
import { UNAVAILABLE, type LogWorld, type Operation } from '../sandbox/worlds/logWorld.mts';
import { LogContainer } from './logContainer.mts';
import type { LogRecord, LogScenario } from './logRecord.mts';
import type { Stage } from './stage.mts';

/** Longest time that a start or a stop may take: n8n gives a stop 30 s. */
const LONGEST_OPERATION_MS = 30_000;
/** The log and everything else of container deployments. */
const CAAS_PATH = /-cloud\/caas\//;
/** An execution of so many fails; with the default delivery its lines count as delivered. */
const FAILS_EVERY = 7;
/** Of so many executions one is stopped by a person and one by a timeout, in scenarios that cancel. */
const CANCELS_EVERY = 5;

/** The stage of logs. */
export interface LogStage extends Stage {
	/** The harness of the trigger; default {@link ActiveTrigger}. */
	Trigger?: typeof ActiveTrigger;
}

/** Containers that write and a trigger that follows them, in one world. */
export class LogScene {
	readonly trigger: ActiveTrigger;
	readonly record: LogRecord;
	readonly containers: LogContainer[];
	/** What n8n does with the executions that start now. */
	cancelsAll?: 'shutdown';
	private readonly deploymentId: string;
	private number = 0;
	private executions = 0;
	/** Requests for each log, of those that were counted. */
	private readonly counts = new Map<string, number>();
	private counted = 0;

	constructor(
		private readonly stage: LogStage,
		private readonly world: LogWorld,
		private readonly scenario: LogScenario,
	) {
		const { sandbox, engine, Trigger = ActiveTrigger } = stage;
		sandbox.reset();
		this.deploymentId = runningDeployment(sandbox);
		this.containers = Array.from(
			{ length: scenario.containers ?? 1 },
			(_, index) => new LogContainer(sandbox, world, this.deploymentId, `c${index + 1}`),
		);
		this.trigger = new Trigger(
			engine,
			logsTrigger({
				deploymentId: locator(this.deploymentId),
				containerIds: this.containers.map(({ id }) => id),
				batch: { maxEntries: 100, maxWaitMs: 200 },
				options: { ...world.options },
			}),
			() => {
				if (++this.executions % FAILS_EVERY === 0) throw new Error('This execution fails');
			},
		);
		this.trigger.cancels = () => this.nextCancellation();
		this.record = {
			world,
			scenario,
			written: [],
			offered: [],
			delivered: [],
			refusals: [],
			silences: [],
			outages: [],
			hasToldEnd: false,
			requests: [],
			interruptions: 0,
		};
	}

	/** How often the log of each container was requested, in their order. */
	get asked(): number[] {
		const { requests } = this.stage.sandbox;
		// It is asked all the time, and there are thousands of requests
		for (const { path } of requests.slice(this.counted))
			if (LOG_PATH.test(path)) this.counts.set(path, (this.counts.get(path) ?? 0) + 1);
		this.counted = requests.length;
		const ofContainer = (id: string) =>
			[...this.counts].find(([path]) => path.endsWith(`/${id}`))?.[1] ?? 0;
		return this.containers.map(({ id }) => ofContainer(id));
	}

	/** Failed executions that the trigger has left, and errors that end it. */
	get reports(): number {
		return this.trigger.failures.length + this.trigger.errors.length;
	}

	/** How many logs have told of their end. */
	get finished(): number {
		return this.trigger.items.filter(({ event }) => event === 'finished').length;
	}

	/** Each container writes so many lines. */
	write(count: number): void {
		for (const container of this.containers)
			for (let left = count; left > 0; left--) container.write(this.nextLine());
	}

	/** Each container writes a line that breaks off in the middle, with the connection. */
	writeHalf(): void {
		for (const container of this.containers) container.writeHalf(this.nextLine());
	}

	/** Each container starts again and writes so many lines behind its banner. */
	restart(linesAfter: (linesBefore: number) => number): void {
		for (const container of this.containers) {
			const lines = linesAfter(container.length);
			container.restart();
			for (let left = lines; left > 0; left--) container.write(this.nextLine());
		}
	}

	/** The next connections break, each after so many bytes. */
	cutNext(bytes: readonly number[]): void {
		const { faults } = this.stage.sandbox;
		for (const cutBodyAt of bytes) faults.add({ match: { path: LOG_PATH }, cutBodyAt });
	}

	/** All addresses of container deployments give this answer, until {@link endOutage}; connections break. */
	beginOutage(answer = this.world.outage ?? UNAVAILABLE): void {
		const { faults } = this.stage.sandbox;
		faults.clear();
		faults.add({ match: { path: CAAS_PATH }, times: Infinity, ...answer });
		for (const connection of this.connections) connection.break();
	}

	endOutage(): void {
		this.stage.sandbox.faults.clear();
	}

	get connections(): LogConnection[] {
		return this.containers.flatMap(({ connections }) => connections);
	}

	/** The deployment is destroyed, and its logs are complete. */
	destroy(): void {
		const { sandbox } = this.stage;
		sandbox.books.find(this.deploymentId)?.destroy(sandbox.clock.now());
		for (const container of this.containers) container.finish();
	}

	/** Does what a person or n8n does. Whether it may be refused is for the law to say. */
	async operate(operation: Operation, work: () => Promise<void>): Promise<void> {
		try {
			await this.stage.time.during(work(), LONGEST_OPERATION_MS);
		} catch (error) {
			this.record.refusals.push({ operation, reason: (error as Error).message });
		}
	}

	/** Changes options of the trigger, from its next activation on. */
	change(options: IDataObject): void {
		this.trigger.change({ options: { ...this.world.options, ...options } });
	}

	/** When logs were requested, in milliseconds. */
	logRequests(): number[] {
		const { requests } = this.stage.sandbox;
		return requests.filter(({ path }) => LOG_PATH.test(path)).map(({ at }) => at);
	}

	/** Completes the record. */
	close(): LogRecord {
		const { record, trigger } = this;
		for (const container of this.containers) {
			const { written, offered } = container.books();
			record.written.push(...written);
			record.offered.push(...offered);
		}
		record.delivered = trigger.executions
			.filter(({ cancelled }) => cancelled !== 'shutdown')
			.flatMap(({ items }) => items.map(({ json }) => json.line))
			.filter((line) => typeof line === 'string');
		record.requests = this.stage.sandbox.requests.map(({ at }) => at);
		for (const { message } of trigger.errors)
			record.refusals.push({ operation: 'follow', reason: message });
		return record;
	}

	private nextLine(): string {
		const number = this.number++;
		const text = this.scenario.line(number);
		return this.world.line?.(text, number) ?? text;
	}

	private nextCancellation(): CancellationReason | undefined {
		if (this.cancelsAll) return this.cancelsAll;
		const turn = this.trigger.executions.length % CANCELS_EVERY;
		if (!this.scenario.cancels || turn > 1) return undefined;
		return turn === 0 ? 'manual' : 'timeout';
	}
}
