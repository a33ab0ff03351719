import type { LogWorld } from '../sandbox/worlds/logWorld.mts';
import type { Scenario } from './stage.mts';

/** What the container of a scenario writes, and what happens to the executions. */
export interface LogScenario extends Scenario {
	/** The line with this number. */
	line(number: number): string;
	/** Whether executions are cancelled now and then: by a person, by a timeout, by a stop of n8n. */
	cancels?: boolean;
	/** Whether n8n is killed, and not stopped, when the trigger has been idle for some seconds. */
	isKilled?: boolean;
	/** How many containers the trigger follows; default 1. */
	containers?: number;
	/** How often the logs are interrupted; default as `WORLDS_DISCONNECTS` says. */
	disconnects?: number;
}

/** An outage that is long enough to be told. */
export interface Outage {
	/** Times of the requests for the log, in seconds since its beginning. */
	asked: number[];
	seconds: number;
	/** Failed executions and errors that it left. */
	reports: number;
}

/** What was seen of a scenario in a world: the books of the service beside what the trigger did. */
export interface LogRecord {
	world: LogWorld;
	scenario: LogScenario;
	/** Every line that the container has written, in order. */
	written: string[];
	/** Those that the service has offered to a client, so that nothing excuses their loss. */
	offered: string[];
	/** Lines that executions were started with, in order, but for executions that n8n stopped. */
	delivered: string[];
	/** Operations that did not succeed, with the reason. */
	refusals: Array<{ operation: string; reason: string }>;
	/** Times when the log could be reached and the trigger did not come back. */
	silences: string[];
	outages: Outage[];
	/** Whether the end of the log was told, by an event or a failed execution. */
	hasToldEnd: boolean;
	/** When requests arrived, in milliseconds, in order. */
	requests: number[];
	/** How often the log was interrupted. */
	interruptions: number;
}
