import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { timeOf } from '../shared/dates';
import { replyError, send } from '../shared/http/request';
import { pause, prerequisite } from '../shared/operation/context';
import { LOOK_PAUSES_MS } from '../shared/operation/sendOnce';
import { elapsed, now } from '../shared/time';
import { isUnknownToService } from './clearNo';
import { findDeployment, findListed, isAbsent } from './deployments';
import { idKey } from './ids';
import { ownDeployment } from './ownDeployments';
import { productStore, type ProductContext } from './product';
import { stateOf, type State } from './state';
import { YOUNG_MS } from './turns';

/**
 * What no longer shows has ended if so many looks in a row have missed it, at so many milliseconds from each other, and for so
 * long in all: a service that fails over may show nothing for some seconds.
 */
const MISSED_LOOKS = 3;
const MISSED_LOOKS_APART_MS = 20_000;
/** After a request to destroy that the service took, so many are enough: one may see a moment in which nothing is shown. */
const MISSED_LOOKS_IF_TOLD = 2;
const MISSED_MS = 60_000;
/** The longest time until that is told of what has vanished. */
export const VANISHED_MS = Math.max(MISSED_MS, YOUNG_MS);

/** What a deployment is now, with the details or the list entry that say so. */
export type Presence =
	| { state: State; details: IDataObject }
	/**
	 * It was seen in this execution, and neither details nor list have it any more. As long as another copy of the service may
	 * have answered, it has only vanished.
	 */
	| { state: 'ended' | 'vanished'; details?: undefined }
	/** Neither details nor list have it, and this execution has not seen it. */
	| {
			state: 'never seen';
			details?: undefined;
			/** Whether the service has a list at all: the bare contract has neither list nor details. */
			hasList: boolean;
			/** Whether it may be too young to show, if the service shows anything. */
			isYoung: boolean;
	  }
	| { state: 'unreadable'; details?: undefined; error: NodeApiError };

/** What this execution has seen of a deployment, by {@link elapsed}. */
interface Sighting {
	/** Since when it exists at the latest. */
	since: number;
	/** The looks in a row that have missed it; absent while it shows. */
	missed?: { first: number; last: number; looks: number };
}

/**
 * What a deployment is now: the only place that answers whether one is gone. Its details say so, and where they do not,
 * the list: a 404 alone proves nothing, since an ID may be wrong, too young to show, or a name. So only a deployment that
 * this execution has seen before can be gone from both; see {@link isGone}.
 * @throws only when the execution is cancelled
 */
export async function whatIs(context: ProductContext, deploymentId: string): Promise<Presence> {
	const details = await attempt(context, async () => await findDeployment(context, deploymentId));
	if (details.value) return present(details.value);
	const listed = await attempt(
		context,
		async () => await readList(context, async () => await findListed(context, deploymentId)),
	);
	if (listed.value?.entry) return present(listed.value.entry);
	// A list that has worked before is there: without it nothing can be told
	if (!listed.error) noteList(context);
	const hasList = !listed.error || !lacksList(context, listed.error);
	const error = details.error ?? (hasList ? listed.error : undefined);
	if (error) return { state: 'unreadable', error };
	const own = ownDeployment(context, deploymentId);
	if (own?.isDestroyed) return { state: 'ended' };
	const sighting = sightings(context)[idKey(deploymentId)];
	if (sighting) {
		// A 404 to everything is a gateway's, unless the service says in its own words what it does not know
		if (!listed.error || (await isUnknown(context, deploymentId))) noteMissed(sighting);
		const isTold = own?.isAccepted === true;
		const hasOthers = listed.value?.isEmpty === false;
		return { state: isGone(sighting, isTold, hasOthers) ? 'ended' : 'vanished' };
	}
	const isYoung = await mayBeYoung(context, deploymentId);
	return { state: 'never seen', hasList, isYoung };

	function present(entry: IDataObject): Presence {
		const since = sightings(context)[idKey(deploymentId)]?.since ?? elapsed();
		// The younger one by the two clocks
		const at = now() + Math.min(0, context.account.clockAheadMs ?? 0);
		const ageMs = at - (timeOf(entry.created_at) ?? at);
		sightings(context)[idKey(deploymentId)] = { since: Math.min(since, elapsed() - ageMs) };
		return { state: stateOf(entry.status), details: entry };
	}
}

/**
 * As {@link whatIs}, which is asked again while it has vanished: for those to whom it must either be there or be gone. This takes
 * two minutes at most, unless it shows and vanishes again.
 * @throws only when the execution is cancelled
 */
export async function whatIsForCertain(
	context: ProductContext,
	deploymentId: string,
): Promise<Presence> {
	for (const pauseMs of LOOK_PAUSES_MS) {
		const presence = await whatIs(context, deploymentId);
		if (presence.state !== 'vanished') return presence;
		await pause(context, pauseMs);
	}
	return await whatIs(context, deploymentId);
}

/** Whether the service itself does not know a deployment: where it has no list, the words of a 404 are all that tells. */
async function isUnknown(context: ProductContext, deploymentId: string): Promise<boolean> {
	const reply = await send(context, {
		method: 'GET',
		path: `${context.product.path}/deployment/{deployment_id}`,
		params: { deployment_id: deploymentId },
		retry: 'never',
	});
	return isUnknownToService(reply);
}

function sightings(context: ProductContext): Record<string, Sighting> {
	return productStore<Sighting>(context, 'sightings');
}

function noteMissed(sighting: Sighting): void {
	const { first, last, looks } = sighting.missed ?? { first: elapsed(), last: -Infinity, looks: 0 };
	// Several looks at one moment see one moment
	if (elapsed() < last + MISSED_LOOKS_APART_MS) return;
	sighting.missed = { first, last: elapsed(), looks: looks + 1 };
}

/**
 * Whether what no longer shows has ended. A copy that is behind does not know what is young: that has ended only where it was told to.
 * @param isTold whether the service has taken a request to destroy it
 * @param hasOthers whether its list has other deployments: then less is enough for what was told, and is in every copy
 */
function isGone({ since, missed }: Sighting, isTold: boolean, hasOthers: boolean): boolean {
	if (missed === undefined) return false;
	const isYoung = elapsed() < since + YOUNG_MS;
	if (isYoung && !isTold) return false;
	if (!isYoung && isTold && hasOthers && missed.looks >= MISSED_LOOKS_IF_TOLD) return true;
	return missed.looks >= MISSED_LOOKS && elapsed() >= missed.first + MISSED_MS;
}

/** Notes that the service has a list, by whoever read it. */
export function noteList(context: ProductContext): void {
	lists(context).works = true;
}

/** Whether a read of the list failed because the service has none: one that has worked before is only away. */
export function lacksList(context: ProductContext, error: NodeApiError): boolean {
	return isAbsent(error) && lists(context).works !== true;
}

function lists(context: ProductContext): Record<string, boolean> {
	return productStore<boolean>(context, 'list');
}

/** Notes that a deployment was seen, by whoever read the list. */
export function noteSeen(context: ProductContext, deploymentId: string): void {
	sightings(context)[idKey(deploymentId)] ??= { since: elapsed() };
}

/**
 * Whether what does not show may be too young to show. What this execution has in hand for two minutes is not; neither a
 * retry nor a loop begins to wait again.
 * @param what an ID, or a name with a prefix of its own
 */
export async function mayBeYoung(context: ProductContext, what: string): Promise<boolean> {
	const missed = productStore<number>(context, 'missed');
	const inHandSince = await context.once('in hand', async () => await Promise.resolve(elapsed()));
	missed[what] ??= inHandSince;
	return elapsed() < Math.min(missed[what], inHandSince) + YOUNG_MS;
}

/** Notes that what did not show shows now. */
export function noteShown(context: ProductContext, what: string): void {
	delete productStore<number>(context, 'missed')[what];
}

/** Reads the list of deployments; an error says that it is the list. */
export async function readList<T>(context: ProductContext, read: () => Promise<T>): Promise<T> {
	return await prerequisite(context, 'The list of deployments', '', read);
}

interface Attempt<T> {
	value?: T;
	error?: NodeApiError;
}

async function attempt<T>(context: ProductContext, read: () => Promise<T>): Promise<Attempt<T>> {
	try {
		return { value: await read() };
	} catch (error) {
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
		return { error: error as NodeApiError };
	}
}
