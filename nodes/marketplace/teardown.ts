import type { IDataObject, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import type { Reply } from '../shared/http/reply';
import { isTransient, replyError, send } from '../shared/http/request';
import { parseJson } from '../shared/json';
import { contextError, pause } from '../shared/operation/context';
import type { OperationContext } from '../shared/operation/context';
import { executionStore } from '../shared/operation/flow';
import { describeCause, isAccepted, isConfirmed } from '../shared/operation/sendOnce';
import { deadline, firstAbort, now } from '../shared/time';
import { noteDestroyed } from './ownDeployments';
import { VMAAS } from './paths';
import { LOOK_PAUSES_MS, whatIs, type Presence } from './presence';
import { factsOf, notFoundError, type Reference } from './references';

/** Pause between two checks while a deployment is being taken down, in milliseconds. */
const VERIFY_INTERVAL_MS = 5_000;

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
 * `DELETE …/deployment/{deployment_id}`, which is idempotent, until the end is seen. What the service answers is not what
 * has happened: a 404 may come from a deployment that is too young to show, a 2xx from a proxy. `whatIs` tells.
 */
export async function destroyById(
	context: OperationContext,
	deploymentId: string,
	options: DestroyOptions,
): Promise<IDataObject> {
	const accepted = executionStore<boolean>(context.functions, 'accepted');
	// What is gone at once must have been seen before
	const before = await lookBriefly(context, deploymentId);
	let reply = await sendDelete(context, deploymentId);
	let until = now() + options.verifyTimeout * 1000;
	let mostLooks = Math.ceil((options.verifyTimeout * 1000) / VERIFY_INTERVAL_MS);
	for (let looks = 0; ; looks++) {
		const presence = await whatIs(context, deploymentId);
		const { state } = presence;
		const isAccepted = isConfirmed(reply);
		const output = { deployment_id: deploymentId, already_gone: false, ...statusIn(reply) };
		if (isAccepted) accepted[deploymentId] = true;
		if (state === 'ended') {
			noteDestroyed(context, deploymentId);
			const isOld = before?.state === 'ended' || isClientError(reply);
			return { deleted: true, ...output, already_gone: isOld, verified: true };
		}
		if (state === 'ending') {
			if (!options.verify) return { deleted: true, ...output, verified: false };
		} else if (!isAccepted && !isUnknown(reply)) {
			throw refusal(context, reply);
		} else if (state === 'never seen') {
			const isBare = !presence.hasList;
			if (accepted[deploymentId] && (isBare || !options.verify)) return acceptedUnseen(output);
			if (!presence.mayShow || looks >= LOOK_PAUSES_MS.length)
				return await notFound(context, { id: deploymentId }, options, isAccepted);
		} else if (state === 'unreadable') {
			if (isAccepted && !options.verify) return acceptedUnseen(output);
			if (!isTransient(presence.error)) throw presence.error;
		} else if (isAccepted) {
			if (!options.verify) return acceptedUnseen(output);
		} else {
			// It was too young for the service to know it
			reply = await sendDelete(context, deploymentId);
			until = now() + options.verifyTimeout * 1000;
			mostLooks += looks;
		}
		const lookMs = LOOK_PAUSES_MS[looks];
		if (state === 'never seen' || !isAccepted) {
			if (lookMs === undefined)
				throw notEnded(context, deploymentId, options, presence, isAccepted);
			await pause(context, lookMs);
		} else {
			if (now() >= until || looks >= mostLooks)
				throw notEnded(context, deploymentId, options, presence, isAccepted);
			await pause(context, Math.min(VERIFY_INTERVAL_MS, until - now()));
		}
	}
}

/** What it is before it is destroyed. An outage must not hold up the request that ends the bill. */
async function lookBriefly(
	context: OperationContext,
	deploymentId: string,
): Promise<Presence | undefined> {
	return await Promise.race([
		whatIs(context, deploymentId).catch(() => undefined),
		firstAbort([deadline(LOOK_FIRST_MS)]).then(() => undefined),
	]);
}

async function sendDelete(context: OperationContext, deploymentId: string): Promise<Reply> {
	return await send(context, {
		method: 'DELETE',
		path: `${VMAAS}/deployment/{deployment_id}`,
		params: { deployment_id: deploymentId },
		retry: 'teardown',
	});
}

/** Whether the service does not know the deployment (any more, or yet). */
function isUnknown(reply: Reply): boolean {
	return reply.kind === 'answer' && [404, 410].includes(reply.status);
}

/** Of what has ended, the service had nothing to destroy: 404, 410, or 409 "already terminated". */
function isClientError(reply: Reply): boolean {
	return reply.kind === 'answer' && reply.status >= 400 && reply.status < 500;
}

/** The error for an answer that is no yes. */
function refusal(context: OperationContext, reply: Reply): NodeApiError | NodeOperationError {
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
	context: OperationContext,
	deploymentId: string,
	{ verifyTimeout }: DestroyOptions,
	presence: Presence,
	isAccepted: boolean,
): NodeApiError {
	const isUnreadable = presence.state === 'unreadable';
	const status = isUnreadable ? 'unreadable' : String(presence.details?.status ?? 'unknown');
	const order = isAccepted
		? `was told to end, but after ${verifyTimeout} seconds`
		: 'may still run: the service says that it does not know it, but';
	return contextError(
		context,
		{
			message: isUnreadable
				? `Deployment ${deploymentId} ${order} its state could not be read: ${presence.error.message}`
				: `Deployment ${deploymentId} ${order} it is still "${status}"`,
			description:
				'It may still bill. Run Destroy again, or check it in the console of the service.',
		},
		{ deployment_id: deploymentId, status },
	);
}

/** What If Not Found says about a deployment that was never seen. */
export async function notFound(
	context: OperationContext,
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
