import type { IDataObject } from 'n8n-workflow';
import type { Engine } from '../engine/engine.mts';
import { CONTAINER, LOG_PATH, logsTrigger, runningDeployment } from '../engine/logs.mts';
import { locator } from '../engine/nodes.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import type { VirtualTime } from '../engine/virtualTime.mts';
import type { ContainerLog, Sandbox } from '../sandbox/index.mts';
import { UNAVAILABLE, type LogWorld, type Operation } from '../sandbox/worlds/logWorld.mts';
import type { LogRecord, LogScenario } from './logRecord.mts';

/** Longest time that a start or a stop may take: n8n gives a stop 30 s. */
const LONGEST_OPERATION_MS = 30_000;
/** The log and everything else of container deployments. */
const CAAS_PATH = /-cloud\/caas\//;
/** An execution of so many fails; with the default delivery its lines count as delivered. */
const FAILS_EVERY = 7;
const CANCELS_EVERY = 5;

/** What worlds run on. */
export interface Stage {
	sandbox: Sandbox;
	engine: Engine;
	time: VirtualTime;
}

/** A container that writes and a trigger that follows it, in one world. */
export class LogScene {
	readonly trigger: ActiveTrigger;
	readonly record: LogRecord;
	/** What n8n does with the executions that start now. */
	cancelsAll?: 'shutdown';
	private log: ContainerLog;
	private readonly logs: ContainerLog[] = [];
	private readonly deploymentId: string;
	private number = 0;
	private executions = 0;

	constructor(
		private readonly stage: Stage,
		private readonly world: LogWorld,
		private readonly scenario: LogScenario,
	) {
		const { sandbox, engine } = stage;
		sandbox.reset();
		this.deploymentId = runningDeployment(sandbox);
		this.log = this.startContainer();
		this.trigger = new ActiveTrigger(
			engine,
			logsTrigger({
				deploymentId: locator(this.deploymentId),
				batch: { maxEntries: 100, maxWaitMs: 200 },
				options: { ...world.options },
			}),
			() => {
				if (++this.executions % FAILS_EVERY === 0) throw new Error('This execution fails');
			},
		);
		this.trigger.cancels = () => {
			if (this.cancelsAll) return this.cancelsAll;
			const turn = this.trigger.executions.length;
			if (!scenario.cancels || turn % CANCELS_EVERY > 1) return undefined;
			return turn % CANCELS_EVERY === 0 ? 'manual' : 'timeout';
		};
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

	/** The log as the container's present life writes it. */
	get current(): ContainerLog {
		return this.log;
	}

	/** How often a client has got the log, in any life of the container. */
	get opened(): number {
		return this.logs.reduce((sum, { opened }) => sum + opened, 0);
	}

	get reports(): number {
		return this.trigger.failures.length + this.trigger.errors.length;
	}

	/** An item that tells of a connection or of the end of the log. */
	hasEvent(event: string): boolean {
		return this.trigger.items.some((item) => item.event === event);
	}

	write(count: number): void {
		for (let left = count; left > 0; left--) this.log.append('stdout', this.nextLine());
	}

	/** Writes a line that breaks off in the middle. */
	writeHalf(): void {
		this.log.appendHalf('stdout', this.nextLine());
	}

	/** The container starts again: its old log is gone, and the new one has so many lines behind the same banner. */
	restart(lines: number): void {
		const old = this.log;
		this.log = this.startContainer();
		old.finish();
		this.write(lines);
	}

	/** All addresses of container deployments give this answer, until {@link endOutage}. */
	beginOutage(answer = this.world.outage ?? UNAVAILABLE): void {
		const { faults } = this.stage.sandbox;
		faults.add({ match: { path: CAAS_PATH }, times: Infinity, ...answer });
		for (const connection of this.log.connections) connection.break();
	}

	endOutage(): void {
		this.stage.sandbox.faults.clear();
	}

	/** The deployment is destroyed, and its log is complete. */
	destroy(): void {
		const { sandbox } = this.stage;
		sandbox.books.find(this.deploymentId)?.destroy(sandbox.clock.now());
		this.log.finish();
	}

	/** Does what a person or n8n does; what does not work is a refusal, and whether that is right says the law. */
	async operate(operation: Operation, work: () => Promise<void>): Promise<void> {
		try {
			await this.stage.time.during(work(), LONGEST_OPERATION_MS);
		} catch (error) {
			this.record.refusals.push({ operation, reason: (error as Error).message });
		}
	}

	change(options: IDataObject): void {
		this.trigger.change({ options: { ...this.world.options, ...options } });
	}

	/** When the log was requested, in milliseconds. */
	logRequests(): number[] {
		const { requests } = this.stage.sandbox;
		return requests.filter(({ path }) => LOG_PATH.test(path)).map(({ at }) => at);
	}

	/** Completes the record. */
	close(): LogRecord {
		const { record, trigger } = this;
		for (const log of this.logs) {
			log.offerKept('stdout');
			const { entries, offered } = log;
			record.written.push(...entries.stdout);
			record.offered.push(...entries.stdout.filter((_, index) => offered.stdout.has(index)));
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

	private startContainer(): ContainerLog {
		const { format, contentType, resume, stream, banner = [] } = this.world;
		const log = this.stage.sandbox.logs.open(this.deploymentId, CONTAINER, format);
		Object.assign(log, {
			...(contentType !== undefined && { contentType }),
			...(resume && { resume }),
			...(stream && { stream }),
		});
		this.logs.push(log);
		log.append('stdout', ...banner);
		return log;
	}
}
