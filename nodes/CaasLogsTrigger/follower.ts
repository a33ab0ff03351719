import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { findDeployment } from '../marketplace/deployments';
import { LOG_CREDENTIALS } from '../marketplace/log/credentials';
import type { LogName } from '../marketplace/log/request';
import { CAAS } from '../marketplace/paths';
import { isFinal } from '../marketplace/state';
import { openAccount } from '../shared/http/credentials';
import { apiError, type NodeError } from '../shared/http/errors';
import type { RequestContext } from '../shared/http/request';
import { delay, now } from '../shared/time';
import type { Checkpoint, InFlightBatch } from './checkpoint';
import type { CloseReason } from './closeReason';
import type { Batch } from './delivery';
import type { LogReader } from './logReader';
import type { ReaderHost } from './readerHost';
import type { Settings } from './settings';

/** What the follower reports to: an active workflow, or a manual execution in the editor. */
export interface FollowerCallbacks {
	/** As {@link ReaderHost.deliver}. */
	deliver(batch: Batch): Promise<boolean>;
	/** Something that a person should know while other logs are still followed. */
	report(error: NodeError): void;
	/** A person must correct something before any log can be followed. The follower is closed already. */
	giveUp(error: NodeError): void;
	/** A connection event, for the output. */
	event(event: IDataObject): void;
}

/** Longest pause that a service can ask for. */
const MAX_REQUESTED_PAUSE_MS = 3_600_000;
const MIN_PAUSE_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Refusals in a row that are reported as an outage. */
const OUTAGE_AFTER = 3;
/** The state of the deployment is requested at the end of a stream, but not more often than this. */
const DEPLOYMENT_CHECK_MS = 5_000;

/** Follows all logs of a trigger node, each on its own: one that cannot be reached does not stop the others. */
export class Follower implements ReaderHost {
	isOffsetHonoured?: boolean;
	private readonly readers: LogReader[] = [];
	private readonly controller = new AbortController();
	private readonly loops = new Map<LogReader, Promise<void>>();
	private readonly failed: NodeError[] = [];
	private isStarting = true;
	/** Logs that cannot be reached at present, with the reason. */
	private readonly outages = new Map<LogReader, string>();
	private deploymentCheck?: { at: number; hasEnded: Promise<boolean> };

	constructor(
		private readonly functions: ITriggerFunctions,
		readonly settings: Settings,
		private readonly callbacks: FollowerCallbacks,
	) {}

	/** Aborts when the follower is closed. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/**
	 * Begins to follow a log.
	 * @returns the error if the first connection has failed for good; resolves as soon as it has succeeded or failed
	 */
	async follow(reader: LogReader): Promise<NodeError | undefined> {
		this.readers.push(reader);
		return await new Promise((resolve) => {
			this.loops.set(
				reader,
				this.loop(reader, resolve).finally(() => resolve(undefined)),
			);
		});
	}

	/** From now on a log that fails is reported, since nobody waits for its first connection any more. */
	hasStarted(): void {
		this.isStarting = false;
	}

	/** Resolves when no log is left to follow. */
	async whenAllClosed(): Promise<void> {
		await Promise.all(this.loops.values());
	}

	/** Closes all connections at once. What is not delivered is read again after the next start. */
	async close(): Promise<void> {
		this.controller.abort();
		this.readers.forEach((reader) => reader.stop());
		await this.whenAllClosed();
	}

	async context(): Promise<RequestContext> {
		return {
			functions: this.functions,
			account: await openAccount(this.functions, LOG_CREDENTIALS),
			signal: this.signal,
		};
	}

	async deliver(batch: Batch): Promise<boolean> {
		return await this.callbacks.deliver(batch);
	}

	async hasDeploymentEnded({ deploymentId }: LogName): Promise<boolean> {
		if (!this.deploymentCheck || now() - this.deploymentCheck.at > DEPLOYMENT_CHECK_MS)
			this.deploymentCheck = { at: now(), hasEnded: this.checkDeployment(deploymentId) };
		return await this.deploymentCheck.hasEnded;
	}

	/** In doubt it has not ended: following a container in vain costs less than losing its lines. */
	private async checkDeployment(deploymentId: string): Promise<boolean> {
		try {
			const deployment = await findDeployment(await this.context(), deploymentId, CAAS);
			return deployment === undefined || isFinal(deployment.status);
		} catch {
			return false;
		}
	}

	/** @param onFirst is called when the first connection has succeeded or failed; further calls have no effect */
	private async loop(reader: LogReader, onFirst: (error?: NodeError) => void): Promise<void> {
		let tries = 0;
		let refusals = 0;
		let isFirst = true;
		while (!this.signal.aborted) {
			let isOpen = false;
			const reason = await this.connect(reader, () => {
				isOpen = true;
				refusals = 0;
				this.outages.delete(reader);
				this.emitEvent('connected', reader);
				onFirst();
			});
			if (reason.kind === 'closed') return;
			if (isOpen)
				this.emitEvent('disconnected', reader, 'reason' in reason ? reason.reason : undefined);
			if (reason.kind !== 'retry')
				return this.onClosed(reader, reason, isFirst ? onFirst : undefined);
			onFirst();
			isFirst = false;
			tries = reason.isProgress || reason.isIdle ? 0 : tries + 1;
			refusals = reason.isRefusal ? refusals + 1 : 0;
			if (refusals === OUTAGE_AFTER) this.reportOutage(reader, reason.reason);
			await delay(pauseMs(tries, reader.retryMs, reason.retryAfterMs), reader.stopSignal);
			if (reader.stopSignal.aborted) return this.onClosed(reader, { kind: 'stopped' });
		}
	}

	private async connect(reader: LogReader, onOpen: () => void): Promise<CloseReason> {
		try {
			return await reader.connect(onOpen);
		} catch (thrown) {
			const error = asNodeError(this.functions, thrown);
			// A missing or wrong credential stays so until a person corrects it; reading it may also fail for a moment
			const isPermanent = error === thrown || /credential/i.test((thrown as Error).name);
			return isPermanent
				? { kind: 'failed', error, isCredential: true }
				: { kind: 'retry', reason: error.message, isRefusal: true };
		}
	}

	/**
	 * Handles a log that needs no further connection.
	 * @param onFirst set if the first connection has not succeeded
	 */
	private onClosed(
		reader: LogReader,
		reason: Exclude<CloseReason, { kind: 'closed' | 'retry' }>,
		onFirst?: (error: NodeError) => void,
	): void {
		this.loops.delete(reader);
		this.outages.delete(reader);
		if (this.signal.aborted) return;
		if (reason.kind === 'failed' || (reason.kind === 'unknown' && !reader.wasOpened)) {
			const { error } = reason;
			this.emitEvent('failed', reader, error.message);
			if (onFirst && this.isStarting) onFirst(error);
			else this.fail(error, reason.kind === 'failed' && reason.isCredential);
			return;
		}
		const { log, checkpoint, cursor } = reader;
		checkpoint.isOver = true;
		if (!reader.wasOver) this.emitEvent(reason.kind === 'stopped' ? 'stopped' : 'finished', reader);
		if (reason.kind === 'stopped') this.stopContainer(reader);
		this.reportLostBatches(log, checkpoint, cursor.takeLostBatches(true));
		this.giveUpIfNoneLeft();
	}

	reportLostBatches(log: LogName, checkpoint: Checkpoint, batches: InFlightBatch[]): void {
		if (batches.length === 0) return;
		batches.forEach((batch) => checkpoint.commit(batch));
		const count = batches.reduce((sum, { from, to }) => sum + to.entries - from.entries, 0);
		const lines = `${count} line${count === 1 ? '' : 's'}`;
		this.callbacks.report(
			apiError(this.functions.getNode(), {
				message: `${lines} of the ${log.stream} log of container ${log.containerId} cannot be delivered again`,
				description:
					'The log was rotated or has ended. The lines were in executions that were interrupted when n8n stopped, so they may have been processed in part or not at all. Check those executions.',
			}),
		);
	}

	/** Reports a log that cannot be followed until a person corrects something. All logs share a credential. */
	fail(error: NodeError, isCredential = false): void {
		this.failed.push(error);
		if (isCredential) return this.giveUp(error);
		this.callbacks.report(error);
		this.giveUpIfNoneLeft();
	}

	/** The line to stop on ends both streams of its container. */
	private stopContainer({ log }: LogReader): void {
		this.readers
			.filter((other) => other.log.containerId === log.containerId)
			.forEach((other) => other.stopAfterRedeliveries());
	}

	private giveUpIfNoneLeft(): void {
		if (this.loops.size === 0 && this.failed[0]) this.giveUp(this.failed[0]);
	}

	private giveUp(error: NodeError): void {
		if (this.signal.aborted) return;
		void this.close();
		this.callbacks.giveUp(error);
	}

	/** An outage of the service interrupts all logs at once and is reported once. */
	private reportOutage(reader: LogReader, reason: string): void {
		const isReported = [...this.outages.values()].includes(reason);
		this.outages.set(reader, reason);
		if (isReported) return;
		const { stream, containerId } = reader.log;
		this.callbacks.report(
			apiError(this.functions.getNode(), {
				message: `The ${stream} log of container ${containerId} cannot be reached: ${reason}`,
				description:
					'The trigger keeps trying and resumes where it stopped. An outage is reported once, even if it affects several logs.',
			}),
		);
	}

	private emitEvent(event: string, { log }: LogReader, reason?: string): void {
		if (!this.settings.connectionEvents || this.signal.aborted) return;
		const { deploymentId, containerId, stream } = log;
		this.callbacks.event({
			event,
			deployment_id: deploymentId,
			container_id: containerId,
			stream,
			reason: reason ?? null,
			at: new Date(now()).toISOString(),
		});
	}
}

/**
 * The pause before the next connection, in milliseconds. It grows with each try that brought nothing. What the service asks
 * for (`retry` field of the stream, `Retry-After` of a refusal) is the minimum; jitter is added.
 */
function pauseMs(tries: number, retryMs = 0, retryAfterMs?: number): number {
	// A service that asks for 0 must not be asked again without a pause
	const firstMs = Math.max(retryMs, tries === 0 ? MIN_PAUSE_MS : FIRST_PAUSE_MS);
	const backoffMs = Math.max(firstMs, Math.min(MAX_PAUSE_MS, firstMs * 2 ** (tries - 1)));
	const minMs = retryAfterMs === undefined ? backoffMs : Math.max(retryAfterMs, FIRST_PAUSE_MS);
	return Math.round(Math.min(MAX_REQUESTED_PAUSE_MS, minMs) * (1 + Math.random() / 2));
}

function asNodeError(functions: ITriggerFunctions, error: unknown): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(
		functions.getNode(),
		error instanceof Error ? error : String(error),
	);
}
