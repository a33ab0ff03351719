import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import { findDeployment } from '../marketplace/deployments';
import { redactColoured } from '../marketplace/log/colours';
import { LOG_CREDENTIALS } from '../marketplace/log/credentials';
import type { LogName } from '../marketplace/log/request';
import { CAAS } from '../marketplace/product';
import { isFinal } from '../marketplace/state';
import { openAccount } from '../shared/http/credentials';
import { apiError, type NodeError } from '../shared/http/errors';
import type { RequestContext } from '../shared/http/request';
import { delay, elapsed, now } from '../shared/time';
import type { Closed } from './connection';
import type { Batch } from './delivery';
import type { LogReader, ReaderHost } from './logReader';
import type { Settings } from './settings';

/** What the follower reports to: an active workflow, or a manual execution in the editor. */
export interface FollowerCallbacks {
	/** As {@link ReaderHost.deliver}. */
	deliver(batch: Batch): Promise<boolean>;
	/** Something that a person should know. Following goes on. */
	report(error: NodeError): void;
	/** A connection event, for the output. */
	event(event: IDataObject): void;
}

/** Longest pause that a service can ask for. */
const MAX_REQUESTED_PAUSE_MS = 3_600_000;
/** After a connection that lived long; and the first of those that grow. */
const LONG_LIFE_MS = 5_000;
const SHORT_PAUSE_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** Refusals in a row that are reported as an outage. One that a service must change something about is reported at once. */
const OUTAGE_AFTER = 3;
/** Refusals in a row after which the log of a deployment that has ended is gone, as each of the last ones shows. */
const GONE_AFTER = 6;
const FINAL_LOOKS = 3;
/** The service allows 15 requests a second (beyond-the-spec.md section 3); a trigger leaves room for others. */
const REQUEST_INTERVAL_MS = 125;
/** The state of the deployment is requested at the end of a stream, but not more often than this. */
const DEPLOYMENT_CHECK_MS = 5_000;

/** Follows all logs of a trigger node, each on its own: trouble of one does not stop the others, and none is given up. */
export class Follower implements ReaderHost {
	private readonly readers: LogReader[] = [];
	private readonly controller = new AbortController();
	private readonly loops = new Set<Promise<void>>();
	/** Logs that cannot be reached at present, with the reason. */
	private readonly outages = new Map<LogReader, { isRefused: boolean; reason: string }>();
	private deploymentCheck?: { at: number; hasEnded: Promise<boolean> };

	constructor(
		private readonly functions: ITriggerFunctions,
		readonly settings: Settings,
		private readonly callbacks: FollowerCallbacks,
		/** When the next request may be sent; a later follower of the same node goes on with it. */
		readonly rate = { nextAt: 0 },
	) {}

	/** Aborts when the follower is closed. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/**
	 * Begins to follow a log. Resolves when its first connection has succeeded or failed.
	 * @returns the error if it failed in a way that only a change can mend
	 */
	async follow(reader: LogReader): Promise<NodeError | undefined> {
		this.readers.push(reader);
		return await new Promise((resolve) => {
			const loop = this.loop(reader, resolve)
				.then(async () => await reader.finish())
				.finally(() => resolve(undefined));
			this.loops.add(loop);
		});
	}

	/** Resolves when no log is left to follow. */
	async whenAllClosed(): Promise<void> {
		await Promise.all(this.loops);
	}

	/** Closes all connections at once. What is not delivered is read again after the next start, if the service has it. */
	async close(): Promise<void> {
		this.controller.abort();
		this.readers.forEach((reader) => reader.stop());
		await this.whenAllClosed();
	}

	/** @param signal of the log: one for all would have a listener for each */
	async context(signal: AbortSignal): Promise<RequestContext> {
		const account = await openAccount(this.functions, LOG_CREDENTIALS);
		// A secret that is learned later is in another function
		const redact = redactColoured((text, isCut) => account.redact(text, isCut));
		return { functions: this.functions, account: { ...account, redact }, signal };
	}

	async deliver(batch: Batch): Promise<boolean> {
		return await this.callbacks.deliver(batch);
	}

	async hasDeploymentEnded({ deploymentId }: LogName): Promise<boolean> {
		if (!this.deploymentCheck || elapsed() - this.deploymentCheck.at > DEPLOYMENT_CHECK_MS)
			this.deploymentCheck = { at: elapsed(), hasEnded: this.checkDeployment(deploymentId) };
		return await this.deploymentCheck.hasEnded;
	}

	/** Only a final state that was seen is an end: a 404 may come from a gateway. */
	private async checkDeployment(deploymentId: string): Promise<boolean> {
		try {
			await this.requestSlot(this.signal);
			// It is asked for again soon, and a retry would not count in the rate
			const context = await this.context(this.signal);
			const deployment = await findDeployment({ ...context, product: CAAS }, deploymentId, 'never');
			return deployment !== undefined && isFinal(deployment.status);
		} catch {
			return false;
		}
	}

	/** All logs of a trigger share one rate of requests. */
	async requestSlot(signal: AbortSignal): Promise<void> {
		const at = Math.max(elapsed(), this.rate.nextAt);
		this.rate.nextAt = at + REQUEST_INTERVAL_MS;
		await delay(at - elapsed(), signal);
	}

	/** @param onFirst is called when the first connection has succeeded or failed; further calls have no effect */
	private async loop(reader: LogReader, onFirst: (error?: NodeError) => void): Promise<void> {
		let tries = 0;
		let refusals = 0;
		let finalLooks = 0;
		for (;;) {
			await this.requestSlot(reader.stopSignal);
			if (reader.stopSignal.aborted) return this.end(reader, 'stopped');
			const closed = await this.connect(reader, () => {
				this.emitEvent('connected', reader);
				onFirst();
			});
			if (this.signal.aborted) return;
			// Stopped by the other stream of its container before it was open
			if (closed.kind === 'closed') return this.end(reader, 'stopped');
			if (closed.kind !== 'refused') this.emitEvent('disconnected', reader, reasonOf(closed));
			if (closed.kind === 'finished' || closed.kind === 'stopped')
				return this.end(reader, closed.kind);
			const isRefused = closed.kind === 'refused';
			const isLong = isRefused ? closed.isLate : closed.livedMs > LONG_LIFE_MS;
			// A log that was silent for so long is no empty answer, although it had lines before
			const isTrouble = isRefused ? !closed.isSilence : closed.isEmpty && !isLong;
			onFirst(isRefused ? closed.error : undefined);
			if (isLong || (!isRefused && closed.hasMore)) tries = 0;
			else if (isRefused || isTrouble || !closed.isProgress) tries++;
			else tries = 1;
			refusals = isTrouble ? refusals + 1 : 0;
			const isLooking = isRefused && (closed.isSilence || refusals > GONE_AFTER - FINAL_LOOKS);
			const isFinalLook = isLooking && (await this.hasDeploymentEnded(reader.log));
			finalLooks = isFinalLook ? finalLooks + 1 : 0;
			if (finalLooks >= FINAL_LOOKS) return this.end(reader, 'finished');
			if (!isTrouble) this.outages.delete(reader);
			else if (refusals >= OUTAGE_AFTER || (isRefused && closed.error))
				this.reportOutage(reader, isRefused, isRefused ? closed.reason : emptyReason(closed));
			const pause = pauseMs(tries, reader.retryMs, isRefused ? closed.retryAfterMs : undefined);
			await delay(pause, reader.stopSignal);
		}
	}

	private async connect(reader: LogReader, onOpen: () => void): Promise<Closed> {
		try {
			return await reader.connect(onOpen);
		} catch (thrown) {
			const error = asNodeError(this.functions, thrown);
			// A missing or wrong credential stays so until a person corrects it; reading it may also fail for a moment
			const isPermanent = error === thrown || /credential/i.test((thrown as Error).name);
			return { kind: 'refused', reason: error.message, error: isPermanent ? error : undefined };
		}
	}

	/** Handles a log that needs no further connection. */
	private end(reader: LogReader, kind: 'finished' | 'stopped'): void {
		if (this.signal.aborted) return;
		this.outages.delete(reader);
		this.emitEvent(kind, reader);
		if (kind === 'finished') return;
		// The line to stop on ends both streams of its container
		const { containerId } = reader.log;
		for (const other of this.readers.filter(({ log }) => log.containerId === containerId)) {
			other.progress.hasStopped = true;
			other.stop();
		}
	}

	/** An outage of the service interrupts all logs at once and is reported once. */
	private reportOutage(reader: LogReader, isRefused: boolean, reason: string): void {
		if (this.outages.get(reader)?.isRefused === isRefused) return;
		const isReported = [...this.outages.values()].some((other) => other.reason === reason);
		this.outages.set(reader, { isRefused, reason });
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

function emptyReason({ rest }: Extract<Closed, { kind: 'lost' }>): string {
	return `The service returned an empty log${rest ? `: ${rest}` : ''}`;
}

function reasonOf(closed: Closed): string | undefined {
	return 'reason' in closed ? closed.reason : undefined;
}

/**
 * The pause before the next connection, in milliseconds. It grows with each try that brought nothing. What the service asks
 * for (`retry` field of the stream, `Retry-After` of a refusal) is the minimum; jitter is added.
 */
function pauseMs(tries: number, retryMs = 0, retryAfterMs = 0): number {
	const backoffMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
	const pause = Math.max(tries === 0 ? SHORT_PAUSE_MS : backoffMs, retryMs, retryAfterMs);
	return Math.round(Math.min(MAX_REQUESTED_PAUSE_MS, pause) * (1 + Math.random() / 2));
}

function asNodeError(functions: ITriggerFunctions, error: unknown): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(
		functions.getNode(),
		error instanceof Error ? error : String(error),
	);
}
