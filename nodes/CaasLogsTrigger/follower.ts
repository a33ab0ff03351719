import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IDataObject, ITriggerFunctions } from 'n8n-workflow';
import type { LogName } from '../marketplace/log/request';
import { LOG_CREDENTIALS } from '../marketplace/log/credentials';
import { findDeployment, isFinal } from '../marketplace/deployments';
import { CAAS } from '../marketplace/paths';
import { openAccount } from '../shared/http/credentials';
import { apiError } from '../shared/http/errors';
import type { RequestContext } from '../shared/http/request';
import { delay, now } from '../shared/time';
import type { Ending } from './ending';
import type { Host } from './host';
import type { Parcel } from './ledger';
import type { Settings } from './settings';
import { Source } from './source';

export type NodeError = NodeApiError | NodeOperationError;

/** What the follower reports to; in a test run of the editor it is another one than in production. */
export interface Outlet {
	deliver(parcel: Parcel): Promise<boolean>;
	/** Something that a person should know, while the other logs are followed on. */
	report(error: NodeError): void;
	/** A person has to mend something before anything can be followed. The follower is closed already. */
	giveUp(error: NodeError): void;
	event(event: IDataObject): void;
}

/** Longest time that a service can make us wait. */
const LONGEST_ASKED_MS = 3_600_000;
const SHORTEST_PAUSE_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** So many refusals in a row are an outage, not a hiccup. */
const OUTAGE_AFTER = 3;
/** A clean end makes us look whether the deployment has ended, but not more often than this. */
const LOOK_EVERY_MS = 5_000;

/** Follows all logs of a trigger node, each on its own: one that is dead or slow does not stop the others. */
export class Follower implements Host {
	isOffsetHonoured?: boolean;
	readonly sources: Source[] = [];
	private readonly closer = new AbortController();
	private readonly loops = new Map<Source, Promise<void>>();
	private readonly failed: NodeError[] = [];
	private isStarting = true;
	/** Logs that cannot be reached just now, with the reason that was reported. */
	private readonly outages = new Map<Source, string>();
	private looked?: { at: number; isOver: Promise<boolean> };

	constructor(
		private readonly functions: ITriggerFunctions,
		readonly settings: Settings,
		private readonly outlet: Outlet,
	) {}

	get signal(): AbortSignal {
		return this.closer.signal;
	}

	/** Begins to follow a log; resolves when its first connection has succeeded or failed. */
	async follow(source: Source): Promise<NodeError | undefined> {
		this.sources.push(source);
		return await new Promise((resolve) => {
			this.loops.set(
				source,
				this.loop(source, resolve).finally(() => resolve(undefined)),
			);
		});
	}

	/** From now on a log that fails is reported, since nobody waits for its first connection any more. */
	hasStarted(): void {
		this.isStarting = false;
	}

	/** Resolves when there is no log left to follow. */
	async end(): Promise<void> {
		await Promise.all(this.loops.values());
	}

	/** Breaks off everything at once; what was not handed over is read again after the next start. */
	async close(): Promise<void> {
		this.closer.abort();
		this.sources.forEach((source) => source.halt());
		await this.end();
	}

	async context(): Promise<RequestContext> {
		return {
			functions: this.functions,
			account: await openAccount(this.functions, LOG_CREDENTIALS),
			signal: this.signal,
		};
	}

	async deliver(parcel: Parcel): Promise<boolean> {
		return await this.outlet.deliver(parcel);
	}

	async hasEnded({ deploymentId }: LogName): Promise<boolean> {
		if (!this.looked || now() - this.looked.at > LOOK_EVERY_MS)
			this.looked = { at: now(), isOver: this.look(deploymentId) };
		return await this.looked.isOver;
	}

	/** When in doubt it goes on: a container that is followed for nothing costs less than one whose lines are lost. */
	private async look(deploymentId: string): Promise<boolean> {
		try {
			const deployment = await findDeployment(await this.context(), deploymentId, CAAS);
			return deployment === undefined || isFinal(deployment.status);
		} catch {
			return false;
		}
	}

	private async loop(source: Source, tellFirst: (error?: NodeError) => void): Promise<void> {
		let tries = 0;
		let refusals = 0;
		let isFirst = true;
		while (!this.signal.aborted) {
			let isOpen = false;
			const ending = await this.connect(source, () => {
				isOpen = true;
				refusals = 0;
				this.outages.delete(source);
				this.event('connected', source);
				tellFirst();
			});
			if (ending.kind === 'closed') return;
			if (isOpen)
				this.event('disconnected', source, 'reason' in ending ? ending.reason : undefined);
			if (ending.kind !== 'again')
				return this.over(source, ending, isFirst ? tellFirst : undefined);
			tellFirst();
			isFirst = false;
			tries = ending.isProgress || ending.isIdle ? 0 : tries + 1;
			refusals = ending.isRefusal ? refusals + 1 : 0;
			if (refusals === OUTAGE_AFTER) this.reportOutage(source, ending.reason);
			await delay(pauseMs(tries, source.retryMs, ending.retryAfterMs), source.halted);
			if (source.halted.aborted) return this.over(source, { kind: 'stopped' });
		}
	}

	private async connect(source: Source, onOpen: () => void): Promise<Ending> {
		try {
			return await source.connect(onOpen);
		} catch (error) {
			// A credential that is not there, a wrong setting in it; n8n may also fail to read it for a moment
			const mustBeMended =
				error instanceof NodeOperationError ||
				error instanceof NodeApiError ||
				/credential/i.test((error as Error).name);
			if (mustBeMended)
				return { kind: 'failed', error: asNodeError(this.functions, error), isCredential: true };
			return { kind: 'again', reason: asNodeError(this.functions, error).message, isRefusal: true };
		}
	}

	/**
	 * A log that needs no further connection.
	 * @param tellFirst who waits for its first connection, if somebody still does
	 */
	private over(
		source: Source,
		ending: Exclude<Ending, { kind: 'closed' | 'again' }>,
		tellFirst?: (error: NodeError) => void,
	): void {
		this.loops.delete(source);
		this.outages.delete(source);
		if (this.signal.aborted) return;
		if (ending.kind === 'failed' || (ending.kind === 'unknown' && !source.isKnown)) {
			const { error } = ending;
			this.event('failed', source, error.message);
			if (tellFirst && this.isStarting) tellFirst(error);
			else this.fail(error, ending.kind === 'failed' && ending.isCredential);
			return;
		}
		source.checkpoint.isOver = true;
		if (!source.wasOver) this.event(ending.kind === 'stopped' ? 'stopped' : 'finished', source);
		if (ending.kind === 'stopped') this.haltContainer(source);
		this.reportLost(source, true);
		this.giveUpWhenAlone();
	}

	/** Lines of runs that were broken off with n8n, and that nobody has any more. */
	reportLost({ log, cursor, checkpoint }: Source, isOver = false): void {
		const flights = cursor.takeLost(isOver);
		if (flights.length === 0) return;
		flights.forEach((flight) => checkpoint.done(flight));
		const lines = flights.reduce((sum, { from, to }) => sum + to.entries - from.entries, 0);
		this.outlet.report(
			apiError(this.functions.getNode(), {
				message: `The ${log.stream} log of container ${log.containerId} is gone, and ${lines} of its lines cannot be repeated`,
				description:
					'They were in runs that were broken off when n8n stopped, and may be delivered in part or not at all.',
			}),
		);
	}

	/** A log that cannot be followed before a person mends something; a credential is the same for all logs. */
	fail(error: NodeError, isCredential = false): void {
		this.failed.push(error);
		if (isCredential) return this.giveUp(error);
		this.outlet.report(error);
		this.giveUpWhenAlone();
	}

	/** The line to stop at ends both streams of its container. */
	private haltContainer({ log }: Source): void {
		this.sources
			.filter((other) => other.log.containerId === log.containerId)
			.forEach((other) => other.haltAfterFlights());
	}

	private giveUpWhenAlone(): void {
		if (this.loops.size === 0 && this.failed[0]) this.giveUp(this.failed[0]);
	}

	private giveUp(error: NodeError): void {
		if (this.signal.aborted) return;
		void this.close();
		this.outlet.giveUp(error);
	}

	/** An outage of the service breaks off all logs at once, and is one outage. */
	private reportOutage(source: Source, reason: string): void {
		const isReported = [...this.outages.values()].includes(reason);
		this.outages.set(source, reason);
		if (isReported) return;
		const { stream, containerId } = source.log;
		this.outlet.report(
			apiError(this.functions.getNode(), {
				message: `The ${stream} log of container ${containerId} cannot be reached: ${reason}`,
				description:
					'It is tried again for ever, and reading goes on where it stopped. This is reported once for each outage, also where other logs are out with it.',
			}),
		);
	}

	private event(event: string, { log }: Source, reason?: string): void {
		if (!this.settings.connectionEvents || this.signal.aborted) return;
		const { deploymentId, containerId, stream } = log;
		this.outlet.event({
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
 * Full pauses only after failures; where the last connection brought something, the next may come almost at once. What the
 * service asks for (`retry:` of the stream, `Retry-After` of a refusal) is the least; jitter comes on top.
 */
function pauseMs(tries: number, retryMs = 0, retryAfterMs?: number): number {
	// A service that says 0 again and again must not be asked without a pause
	const firstMs = Math.max(retryMs, tries === 0 ? SHORTEST_PAUSE_MS : FIRST_PAUSE_MS);
	const ownMs = Math.max(firstMs, Math.min(LONGEST_PAUSE_MS, firstMs * 2 ** (tries - 1)));
	const leastMs = retryAfterMs === undefined ? ownMs : Math.max(retryAfterMs, FIRST_PAUSE_MS);
	return Math.round(Math.min(LONGEST_ASKED_MS, leastMs) * (1 + Math.random() / 2));
}

export function asNodeError(functions: ITriggerFunctions, error: unknown): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(
		functions.getNode(),
		error instanceof Error ? error : String(error),
	);
}
