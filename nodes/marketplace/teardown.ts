import type { IDataObject, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import type { Reply } from '../shared/http/reply';
import { replyError, send } from '../shared/http/request';
import { parseRetryAfter } from '../shared/http/retry';
import { parseJson } from '../shared/json';
import { describeCause, isAccepted } from '../shared/operation/cause';
import { contextError, pause } from '../shared/operation/context';
import { isConfirmed, LOOK_PAUSES_MS } from '../shared/operation/sendOnce';
import { deadline, elapsed, firstAbort } from '../shared/time';
import { noteAccepted, noteDestroyed, ownDeployment } from './ownDeployments';
import type { ProductContext } from './product';
import { VANISHED_MS, whatIs, type Presence } from './presence';
import { factsOf, notFoundError, type Reference } from './references';

/** Pause between two checks while a deployment is being taken down, in milliseconds. */
const VERIFY_INTERVAL_MS = 5_000;

/** What still shows as running for so long after a request is told again, in milliseconds: a copy without it may have answered. */
const TELL_AGAIN_MS = 20_000;

/** How long to look at a deployment before it is destroyed, in milliseconds. */
const LOOK_FIRST_MS = 10_000;

export interface DestroyOptions {
	verify: boolean;
	/** How long to wait for the end, in seconds. */
	verifyTimeout: number;
	/** What to do about a deployment that was never seen. */
	ifNotFound: 'error' | 'output';
}

/**
 * What an answer to the request to destroy says: that the service took it, that it does not know the deployment (any more, or yet), or
 * anything else, after which it is asked again.
 */
type Answered = 'accepted' | 'unknown' | 'refused';

/** The first request to destroy a deployment. */
export interface Told {
	/** What it was before, where that could be seen. */
	before?: Presence;
	reply: Reply;
	/** When the answer came, by {@link elapsed}. */
	toldAt: number;
}

/** Looks at a deployment, since what is gone at once must have been seen before, and sends the first request to destroy it. */
export async function tell(context: ProductContext, deploymentId: string): Promise<Told> {
	const before = await lookBriefly(context, deploymentId);
	const reply = await sendDelete(context, deploymentId, 'teardown');
	return { before, reply, toldAt: elapsed() };
}

/**
 * `DELETE …/deployment/{deployment_id}`, which is idempotent, until the end is seen. What the service answers is not what
 * has happened: a 404 may come from a deployment that is too young to show, a 2xx from a proxy. `whatIs` tells. Nor does a no
 * stay one: what is busy or down now bills on, and takes the request a moment later.
 * @param told the first request, where it was sent already
 */
export async function destroyById(
	context: ProductContext,
	deploymentId: string,
	options: DestroyOptions,
	told?: Told,
): Promise<IDataObject> {
	const timeoutMs = options.verifyTimeout * 1000;
	const mostLooksMore = Math.ceil((timeoutMs + VANISHED_MS) / VERIFY_INTERVAL_MS);
	const first = told ?? (await tell(context, deploymentId));
	const { before } = first;
	let { reply, toldAt } = first;
	// An earlier try whose answer was lost may have ended it
	const isOfRetry = 'isToRetry' in reply;
	let hadNothing = before?.state === 'ended' || (isClientError(reply) && !isOfRetry);
	let until = elapsed() + timeoutMs;
	// One that vanishes after each request, and shows again, would have no end
	let mostLooks = mostLooksMore;
	let isMissed = false;
	let looksForYoung = 0;
	for (let looks = 0; ; looks++) {
		const presence = await whatIs(context, deploymentId);
		const { state } = presence;
		const answered = answeredBy(reply);
		const isAccepted = answered === 'accepted';
		const isOver = () => elapsed() >= until || looks >= mostLooks;
		const output = { deployment_id: deploymentId, already_gone: false, ...statusIn(reply) };
		let isToTell = answered === 'refused' && !isOver() && elapsed() >= toldAt + opensInMs(reply);
		if (state === 'ended') {
			noteDestroyed(context, deploymentId);
			return { deleted: true, ...output, already_gone: hadNothing, verified: true };
		}
		if (state === 'vanished') {
			if (isAccepted && !options.verify) return acceptedUnseen(output);
			// Whether it has ended takes its time to tell, also at the end of a short one
			if (!isMissed) until = Math.max(until, elapsed() + VANISHED_MS);
			isMissed = true;
		} else if (state === 'ending') {
			if (!options.verify) return { deleted: true, ...output, verified: false };
			isToTell = false;
		} else if (answered === 'refused') {
			if (isOver() || isLasting(reply, toldAt, until)) throw refusal(context, reply);
		} else if (state === 'never seen') {
			isMissed = true;
			const isBare = !presence.hasList;
			const wasAccepted = ownDeployment(context, deploymentId)?.isAccepted === true;
			if (wasAccepted && (isBare || !options.verify)) return acceptedUnseen(output);
			if (!presence.isYoung || looksForYoung >= LOOK_PAUSES_MS.length)
				return await notFound(context, { id: deploymentId }, options, isAccepted);
			// What shows nothing is the bare contract, or a gateway while its routes change: only to ask again tells
			isToTell = isBare;
		} else if (state === 'unreadable') {
			if (isAccepted && !options.verify) return acceptedUnseen(output);
			if (isDenial(Number(presence.error.httpCode))) throw presence.error;
		} else if (isAccepted && !isMissed && elapsed() < toldAt + TELL_AGAIN_MS) {
			if (!options.verify) return acceptedUnseen(output);
		} else {
			// The service did not know it yet, or a copy without it has answered
			isToTell = true;
		}
		if (isToTell) {
			// Where it fails, it is sent again after the next look
			const again = await sendDelete(context, deploymentId, 'never');
			toldAt = elapsed();
			isMissed &&= state === 'vanished';
			if (answered === 'unknown' || (!isAccepted && isConfirmed(again))) {
				until = elapsed() + timeoutMs;
				mostLooks = looks + mostLooksMore;
			}
			hadNothing &&= isClientError(again);
			// What ends already may be refused now
			if (!isAccepted || isConfirmed(again)) reply = again;
		}
		// What is refused was not said to be unknown
		const isRefused = answered === 'refused';
		const isYoung = !isRefused && (state === 'never seen' || (!isAccepted && state !== 'vanished'));
		const pauseMs = isYoung
			? LOOK_PAUSES_MS[looksForYoung++]
			: Math.min(VERIFY_INTERVAL_MS, Math.max(0, until - elapsed()));
		// The last request may be the one that is taken: it is looked at once more
		const isLate = !isYoung && isOver() && !(isRefused && isToTell);
		if (pauseMs === undefined || isLate)
			throw notEnded(context, deploymentId, options, presence, answered);
		await pause(context, pauseMs);
	}
}

/** What it is before it is destroyed. An outage must not hold up the request that ends the bill. */
async function lookBriefly(
	context: ProductContext,
	deploymentId: string,
): Promise<Presence | undefined> {
	return await Promise.race([
		whatIs(context, deploymentId).catch(() => undefined),
		firstAbort([deadline(LOOK_FIRST_MS)]).then(() => undefined),
	]);
}

async function sendDelete(
	context: ProductContext,
	deploymentId: string,
	retry: 'teardown' | 'never',
): Promise<Reply> {
	const reply = await send(context, {
		method: 'DELETE',
		path: `${context.product.path}/deployment/{deployment_id}`,
		params: { deployment_id: deploymentId },
		retry,
	});
	if (isConfirmed(reply)) noteAccepted(context, deploymentId);
	return reply;
}

function answeredBy(reply: Reply): Answered {
	if (reply.kind === 'answer' && [404, 410].includes(reply.status)) return 'unknown';
	return isConfirmed(reply) ? 'accepted' : 'refused';
}

/** Whether a refusal is one that to ask again does not change before the time is over: of the account, say, or of a certificate. */
function isLasting(reply: Reply, toldAt: number, until: number): boolean {
	if (reply.kind === 'answer') return isDenial(reply.status) || toldAt + opensInMs(reply) > until;
	return reply.kind !== 'cancelled' && reply.permanent === true;
}

/** Whether a status is about the key, and not about what it asks for. */
function isDenial(status: number): boolean {
	return [401, 403].includes(status);
}

/** Milliseconds after which the service takes requests again, as it says. */
function opensInMs(reply: Reply): number {
	return (reply.kind === 'answer' && parseRetryAfter(reply.retryAfter)) || 0;
}

/** Of what has ended, the service had nothing to destroy: 404, 410, or 409 "already terminated". */
function isClientError(reply: Reply): boolean {
	return reply.kind === 'answer' && reply.status >= 400 && reply.status < 500;
}

/** The error for an answer that is no yes. */
function refusal(context: ProductContext, reply: Reply): NodeApiError | NodeOperationError {
	if (reply.kind !== 'answer' || !isAccepted(reply) || parseJson(reply.text) === undefined)
		return replyError(context, reply);
	return contextError(context, { message: describeCause(reply) });
}

function statusIn(reply: Reply): IDataObject {
	const answer = isConfirmed(reply) ? parseJson(reply.text) : undefined;
	return isRecord(answer) && typeof answer.status === 'string' ? { status: answer.status } : {};
}

/** The service took the request, and nothing could be seen of its effect. */
function acceptedUnseen(output: IDataObject): IDataObject {
	return {
		deleted: null,
		...output,
		verified: false,
		accepted: true,
		hint: 'The service accepted the request, but its end was not seen. Check it in the console of the service: it may still bill.',
	};
}

function notEnded(
	context: ProductContext,
	deploymentId: string,
	{ verifyTimeout }: DestroyOptions,
	presence: Presence,
	answered: Answered,
): NodeApiError {
	const status = 'error' in presence ? 'unreadable' : String(presence.details?.status ?? 'unknown');
	const problems: Partial<Record<Presence['state'], string>> = {
		unreadable: `its state could not be read: ${'error' in presence ? presence.error.message : ''}`,
		vanished:
			'it cannot be told whether it has ended: it was seen before, and nothing shows it now',
	};
	const orders: Record<Answered, string> = {
		accepted: `was told to end, but after ${verifyTimeout} seconds`,
		unknown: 'may still run: the service says that it does not know it, but',
		refused: `was asked to end, which the service did not accept, and after ${verifyTimeout} seconds`,
	};
	return contextError(
		context,
		{
			message: `Deployment ${deploymentId} ${orders[answered]} ${problems[presence.state] ?? `it is still "${status}"`}`,
			description:
				'It may still bill. Run Destroy again, or check it in the console of the service.',
		},
		{ deployment_id: deploymentId, status },
	);
}

/** What If Not Found says about a deployment that was never seen. */
export async function notFound(
	context: ProductContext,
	reference: Reference,
	{ ifNotFound }: DestroyOptions,
	accepted = false,
): Promise<IDataObject> {
	const told = accepted ? 'The service accepted the request, but never showed it.' : '';
	const error = await notFoundError(context, reference, told);
	if (ifNotFound === 'error') throw error;
	return {
		deleted: null,
		deployment_id: null,
		...factsOf(reference),
		already_gone: false,
		verified: false,
		accepted,
		reason: 'not found',
		hint: error.message,
	};
}
