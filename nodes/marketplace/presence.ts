import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { prerequisite, type OperationContext } from '../shared/operation/context';
import { executionStore } from '../shared/operation/flow';
import { replyError } from '../shared/http/request';
import { now } from '../shared/time';
import { findDeployment, findListed, isAbsent } from './deployments';
import { ownDeployment } from './ownDeployments';
import { VMAAS } from './paths';
import { stateOf, type State } from './state';
import { YOUNG_MS } from './turns';

/** Pauses in milliseconds between looks for what does not show: two minutes in all. */
export const LOOK_PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];

/** What a deployment is now, with the details or the list entry that say so. */
export type Presence =
	| { state: State; details: IDataObject }
	/** It was seen in this execution, and neither details nor list have it any more. */
	| { state: 'ended'; details?: undefined }
	/** Neither details nor list have it, and this execution has not seen it. */
	| {
			state: 'never seen';
			details?: undefined;
			/** Whether the service has a list at all: the bare contract has neither list nor details. */
			hasList: boolean;
			/** Whether it may be too young to show. */
			mayShow: boolean;
	  }
	| { state: 'unreadable'; details?: undefined; error: NodeApiError };

/**
 * What a deployment is now: the only place that answers whether one is gone. Its details say so, and where they do not,
 * the list: a 404 alone proves nothing, since an ID may be wrong, too young to show, or a name. So only a deployment that
 * this execution has seen before can be gone from both.
 * @param base path prefix of VMaaS or CaaS
 * @throws only when the execution is cancelled
 */
export async function whatIs(
	context: OperationContext,
	deploymentId: string,
	base = VMAAS,
): Promise<Presence> {
	const seen = executionStore<boolean>(context.functions, 'seen');
	const details = await attempt(
		context,
		async () => await findDeployment(context, deploymentId, base),
	);
	if (details.value) return present(details.value);
	const listed = await attempt(
		context,
		async () => await readList(context, async () => await findListed(context, deploymentId, base)),
	);
	if (listed.value) return present(listed.value);
	// A list that has worked before is there: without it nothing can be told
	const works = executionStore<boolean>(context.functions, 'list');
	if (!listed.error) noteList(context, base);
	const hasList = !listed.error || works[base] === true || !isAbsent(listed.error);
	const error = details.error ?? (hasList ? listed.error : undefined);
	if (error) return { state: 'unreadable', error };
	if (seen[deploymentId] || ownDeployment(context, deploymentId)?.isDestroyed)
		return { state: 'ended' };
	const isYoung = await mayBeYoung(context, deploymentId);
	return { state: 'never seen', hasList, mayShow: hasList && isYoung };

	function present(entry: IDataObject): Presence {
		seen[deploymentId] = true;
		return { state: stateOf(entry.status), details: entry };
	}
}

/** Notes that the service has a list, by whoever read it. */
export function noteList({ functions }: OperationContext, base = VMAAS): void {
	executionStore<boolean>(functions, 'list')[base] = true;
}

/** Notes that a deployment was seen, by whoever read the list. */
export function noteSeen({ functions }: OperationContext, deploymentId: string): void {
	executionStore<boolean>(functions, 'seen')[deploymentId] = true;
}

/**
 * Whether what does not show may be too young to show. What this execution has in hand for two minutes is not; neither a
 * retry nor a loop begins to wait again.
 * @param what an ID, or a name with a prefix of its own
 */
export async function mayBeYoung(context: OperationContext, what: string): Promise<boolean> {
	const missed = executionStore<number>(context.functions, 'missed');
	const inHandSince = await context.once('in hand', async () => await Promise.resolve(now()));
	missed[what] ??= inHandSince;
	return now() < Math.min(missed[what], inHandSince) + YOUNG_MS;
}

/** Reads the list of deployments; an error says that it is the list. */
export async function readList<T>(context: OperationContext, read: () => Promise<T>): Promise<T> {
	return await prerequisite(context, 'The list of deployments', '', read);
}

interface Attempt<T> {
	value?: T;
	error?: NodeApiError;
}

async function attempt<T>(context: OperationContext, read: () => Promise<T>): Promise<Attempt<T>> {
	try {
		return { value: await read() };
	} catch (error) {
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
		return { error: error as NodeApiError };
	}
}
