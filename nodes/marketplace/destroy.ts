import type { IDataObject, INodeProperties, NodeApiError } from 'n8n-workflow';
import { collectionField } from '../shared/fields';
import { isRecord } from '../shared/guards';
import type { Reply } from '../shared/http/reply';
import { replyError, send } from '../shared/http/request';
import { parseJson } from '../shared/json';
import { contextError, prerequisite, withKnown } from '../shared/operation/context';
import type { OperationContext } from '../shared/operation/context';
import type { Parameters } from '../shared/operation/parameters';
import { isAccepted, isConfirmed } from '../shared/operation/sendOnce';
import { delay, now } from '../shared/time';
import { idOf, listDeployments, whatIs } from './deployments';
import { VMAAS } from './paths';
import { stateOf } from './state';

/** Pause between two checks while a deployment is being taken down, in milliseconds. */
const VERIFY_INTERVAL_MS = 5_000;
const DEFAULT_VERIFY_SECONDS = 120;

/** IDs that an error names at most. */
const MOST_NAMED = 20;

export interface DestroyOptions {
	verify: boolean;
	/** How long to wait for the end, in seconds. */
	verifyTimeout: number;
}

export const destroyOptionsField: INodeProperties = collectionField(
	'options',
	'Options',
	'Add Option',
	[
		{
			displayName: 'Verify',
			name: 'verify',
			type: 'boolean',
			default: true,
			description:
				'Whether to wait until the deployment has ended, and to stop with an error if it has not',
		},
		{
			displayName: 'Verify Timeout (Seconds)',
			name: 'verifyTimeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_VERIFY_SECONDS,
			description: 'How long to wait for the end if Verify is on',
		},
	],
);

export const refundNotice: INodeProperties = {
	displayName:
		'The first hour is never refunded. After that you pay for the exact time and the rest is refunded.',
	name: 'refundNotice',
	type: 'notice',
	default: '',
};

export function readDestroyOptions(parameters: Parameters): DestroyOptions {
	const options = parameters.group('options');
	return {
		verify: options.flag('verify'),
		verifyTimeout:
			options.integer('verifyTimeout', { optional: true, min: 1 }) ?? DEFAULT_VERIFY_SECONDS,
	};
}

/** What follows the message of an error that came before anything was destroyed. */
export function notDestroyed(deployments: string[]): string {
	return `. Nothing was destroyed now: ${listed(deployments)} may still run and bill`;
}

/** The first of many IDs, and how many more there are. */
export function listed(deployments: string[]): string {
	const more = deployments.length - MOST_NAMED;
	return `${deployments.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * Destroys several deployments; each is tried even if another fails.
 * @returns an item each; where the node continues on failure, those that failed first
 * @throws one error that names what was destroyed and what may still run
 */
export async function destroyEach(
	context: OperationContext,
	deploymentIds: string[],
	options: DestroyOptions,
): Promise<IDataObject[]> {
	const done: IDataObject[] = [];
	const failed: Array<{ id: string; error: NodeApiError }> = [];
	for (const id of deploymentIds) {
		try {
			if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
			done.push(await destroyOne(context, id, options));
		} catch (error) {
			failed.push({ id, error: mayStillRun(error as NodeApiError, id) });
		}
	}
	if (context.signal?.aborted)
		failed.forEach(({ id }) =>
			context.log('Cancelled before the end was seen: the deployment may still run and bill.', {
				deployment_id: id,
			}),
		);
	const [first] = failed;
	if (!first) return done;
	if (deploymentIds.length === 1) throw first.error;
	if (context.functions.continueOnFail() && !context.signal?.aborted) {
		// First, since n8n's Retry On Fail looks at the first item alone
		return [
			...failed.map(({ id, error }) => ({ error: error.message, details: { deployment_id: id } })),
			...done,
		];
	}
	throw contextError(
		context,
		{
			message: `${failed.length} of ${deploymentIds.length} deployments may still run: ${failed.map(({ id }) => id).join(', ')}`,
			description: [
				...failed.map(({ id, error }) => `${id}: ${error.message}`),
				...done.map((result) => `${String(result.deployment_id)} was destroyed`),
			].join('\n'),
		},
		{ failed: failed.map(({ id }) => id), done },
	);
}

/** Whatever went wrong, the error names the deployment that may go on billing. */
function mayStillRun(error: NodeApiError, deploymentId: string): NodeApiError {
	error.description = [`Deployment ${deploymentId} may still run and bill.`, error.description]
		.filter(Boolean)
		.join(' ');
	return withKnown(error, { deployment_id: deploymentId });
}

/** `DELETE …/deployment/{deployment_id}`, idempotent: a 404 means that it is gone (beyond-the-spec.md section 1 "Destroy"). */
async function destroyOne(
	context: OperationContext,
	deploymentId: string,
	options: DestroyOptions,
): Promise<IDataObject> {
	const reply = await send(context, {
		method: 'DELETE',
		path: `${VMAAS}/deployment/{deployment_id}`,
		params: { deployment_id: deploymentId },
		retry: 'teardown',
	});
	const alreadyGone = reply.kind === 'answer' && reply.status === 404;
	const isEnding = alreadyGone
		? undefined
		: isAccepted(reply) && (await saysEnding(context, deploymentId, reply));
	if (isEnding === false) throw replyError(context, reply);
	const answer = reply.kind === 'answer' ? parseJson(reply.text) : undefined;
	const status =
		!alreadyGone && isRecord(answer) && typeof answer.status === 'string'
			? { status: answer.status }
			: {};
	const verified =
		options.verify && (await verify(context, deploymentId, options.verifyTimeout, isEnding));
	const hint =
		options.verify && !verified
			? {
					hint: 'The service has no list of deployments either. Check the service segment in the credential.',
				}
			: {};
	return {
		deleted: true,
		deployment_id: deploymentId,
		already_gone: alreadyGone,
		verified,
		...status,
		...hint,
	};
}

/** Of a 2xx that is no clear yes, such as the page of a proxy, the state has to tell; undefined when there is no such deployment. */
async function saysEnding(
	context: OperationContext,
	deploymentId: string,
	reply: Reply,
): Promise<boolean | undefined> {
	if (isConfirmed(reply)) return true;
	const { state } = await whatIs(context, deploymentId);
	return state === 'never seen' ? undefined : state === 'ending' || state === 'ended';
}

/**
 * Checks that a deployment has ended. Where the service does not know it, its list has to tell: with a wrong service
 * segment in the credential every path is a 404.
 * @returns whether it is known to be gone; false where the service has no list either
 * @throws while it may run
 */
async function verify(
	context: OperationContext,
	deploymentId: string,
	timeoutSeconds: number,
	isEnding = false,
): Promise<boolean> {
	if (isEnding) return await waitUntilGone(context, deploymentId, timeoutSeconds);
	const read = async () =>
		await prerequisite(
			context,
			'The list of deployments',
			'',
			async () => await listDeployments(context),
		).catch((error: NodeApiError) => {
			if (error.httpCode !== '404') throw error;
			return undefined;
		});
	const find = (list: IDataObject[] = []) =>
		list.find((entry) => idOf(entry) === deploymentId && stateOf(entry.status) !== 'ended');
	let list = await context.once('deployments', read);
	// It may be older than this destroy; what is gone by it is gone, for the rest it is read again
	if (find(list)) list = await read();
	const entry = find(list);
	if (!entry) return list !== undefined;
	if (stateOf(entry.status) === 'ending')
		return await waitUntilGone(context, deploymentId, timeoutSeconds);
	throw contextError(context, {
		message: `Deployment ${deploymentId} may still run: the service does not know it, but lists it as "${String(entry.status)}"`,
	});
}

async function waitUntilGone(
	context: OperationContext,
	deploymentId: string,
	timeoutSeconds: number,
): Promise<true> {
	const until = now() + timeoutSeconds * 1000;
	for (;;) {
		const { state, details } = await whatIs(context, deploymentId);
		if (state === 'never seen' || state === 'ended') return true;
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
		if (now() >= until) {
			throw contextError(
				context,
				{
					message: `Deployment ${deploymentId} was told to end, but after ${timeoutSeconds} seconds it is still "${String(details.status)}"`,
					description:
						'It may still bill. Run Destroy again, or check it in the console of the service.',
				},
				{ deployment_id: deploymentId, status: details.status ?? null },
			);
		}
		await delay(Math.min(VERIFY_INTERVAL_MS, until - now()), context.signal);
	}
}
