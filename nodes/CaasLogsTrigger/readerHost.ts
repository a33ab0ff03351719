import type { LogName } from '../marketplace/log/request';
import type { RequestContext } from '../shared/http/request';
import type { Checkpoint, InFlightBatch } from './checkpoint';
import type { Batch } from './delivery';
import type { Settings } from './settings';

/** What the reader of a log needs from the follower of all logs. */
export interface ReaderHost {
	settings: Settings;
	/** Aborts when the trigger is closed. */
	signal: AbortSignal;
	/** Reads the credentials, each time again: a person may have corrected them. */
	context(): Promise<RequestContext>;
	/** Whether the service honours the offset, once it is known; the same for all logs. */
	isOffsetHonoured?: boolean;
	/** Starts the execution of a batch when one may start; false if the trigger was closed first. */
	deliver(batch: Batch): Promise<boolean>;
	/** Whether the deployment has ended, so that its containers write nothing more. */
	hasDeploymentEnded(log: LogName): Promise<boolean>;
	/** Commits and reports in-flight batches of a log that can never be redelivered; none is fine. */
	reportLostBatches(log: LogName, checkpoint: Checkpoint, batches: InFlightBatch[]): void;
}
