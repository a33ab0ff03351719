import type { IDataObject, INodeProperties, NodeApiError } from 'n8n-workflow';
import { collectionField } from '../../../shared/fields';
import { parseJson } from '../../../shared/json';
import type { Operation } from '../../../shared/operation/operation';
import { isConfirmed, isAccepted } from '../../../shared/operation/outcome';
import { replyError, send } from '../../../shared/http/request';
import { delay, now } from '../../../shared/time';
import { type Parameters } from '../../../shared/operation/parameters';
import { findDeployment, idOf, isFinal, listDeployments } from '../../../marketplace/deployments';
import { deploymentIdField } from '../../../marketplace/fields';
import { VMAAS } from '../../../marketplace/paths';
import { isRecord } from '../../../shared/guards';
import {
	type OperationContext,
	contextError,
	prerequisite,
	withKnown,
} from '../../../shared/operation/context';
import type { Reply } from '../../../shared/http/reply';

/** Pause between two looks while a machine is being taken down, in milliseconds. */
const VERIFY_INTERVAL_MS = 5_000;
const DEFAULT_VERIFY_SECONDS = 120;

export interface DestroyOptions {
	verify: boolean;
	/** How long to wait for the end, in seconds. */
	verifyTimeout: number;
}

export const verifyField: INodeProperties = collectionField('options', 'Options', 'Add Option', [
	{
		displayName: 'Verify',
		name: 'verify',
		type: 'boolean',
		default: true,
		description:
			'Whether to wait until the machine is really gone, and to stop with an error when it is not',
	},
	{
		displayName: 'Verify Timeout (Seconds)',
		name: 'verifyTimeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_VERIFY_SECONDS,
		description: 'How long to wait for the end when Verify is on',
	},
]);

export const destroyNotice: INodeProperties = {
	displayName:
		'The first hour of a machine is never refunded. After it, the exact time is charged and the rest is refunded.',
	name: 'refundNotice',
	type: 'notice',
	default: '',
};

export const destroy: Operation<{ deploymentIds: string[]; options: DestroyOptions }> = {
	value: 'destroy',
	name: 'Destroy',
	action: 'Destroy a deployment',
	description: 'Terminate a deployment early. One that is gone already counts as destroyed.',
	effect: 'write',
	runsAllItems: true,
	identifyingKeys: ['deployment_id'],
	describeUnsent: (inputs) => notDestroyed(inputs.flatMap(({ deploymentIds }) => deploymentIds)),
	fields: [deploymentIdField, destroyNotice, verifyField],
	input(parameters) {
		return {
			deploymentIds: parameters.pathIds('deploymentId'),
			options: readDestroyOptions(parameters),
		};
	},
	async run(context, { deploymentIds, options }) {
		return await destroyEach(context, deploymentIds, options);
	},
};

const MOST_NAMED = 20;

/** What follows the message of an error that came before anything was destroyed. */
export function notDestroyed(machines: string[]): string {
	return `. Nothing was destroyed now: ${listed(machines)} may still run and bill`;
}

export function listed(machines: string[]): string {
	const more = machines.length - MOST_NAMED;
	return `${machines.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function readDestroyOptions(parameters: Parameters): DestroyOptions {
	const options = parameters.group('options');
	return {
		verify: options.flag('verify'),
		verifyTimeout: options.optionalInteger('verifyTimeout', { min: 1 }) ?? DEFAULT_VERIFY_SECONDS,
	};
}

/**
 * Destroys several deployments, each tried even when another fails. When the node continues on failure a failed one
 * is an item of its own; else one error names what was destroyed and what was not.
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
			failed.push({ id, error: stillRunning(error as NodeApiError, id) });
		}
	}
	if (context.signal?.aborted)
		failed.forEach(({ id }) =>
			context.log('Cancelled before its end was seen: the machine may still run and bill.', {
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

/** Whatever went wrong, the error names the machine that may go on billing. */
function stillRunning(error: NodeApiError, deploymentId: string): NodeApiError {
	error.description = [`Deployment ${deploymentId} may still run and bill.`, error.description]
		.filter(Boolean)
		.join(' ');
	return withKnown(error, {
		deployment_id: deploymentId,
		...(error.context.known as IDataObject | undefined),
	});
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
	const isTold = alreadyGone
		? undefined
		: isAccepted(reply) && (await isEnding(context, deploymentId, reply));
	if (isTold === false) throw replyError(context, reply);
	const answer = reply.kind === 'answer' ? parseJson(reply.text) : undefined;
	const status =
		!alreadyGone && isRecord(answer) && typeof answer.status === 'string'
			? { status: answer.status }
			: {};
	const verified =
		options.verify && (await verify(context, deploymentId, options.verifyTimeout, isTold));
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

/** Of a 2xx that is no clear yes, such as a proxy's welcome page, the state has to tell; undefined when there is no such deployment. */
async function isEnding(
	context: OperationContext,
	deploymentId: string,
	reply: Reply,
): Promise<boolean | undefined> {
	if (isConfirmed(reply)) return true;
	const details = await findDeployment(context, deploymentId);
	return details && (details.status === 'termination requested' || isFinal(details.status));
}

/**
 * Throws while the machine may run. Where the service does not know it, its list has to tell: with a wrong service segment
 * in the credential every path is a 404.
 * @returns whether it is known to be gone; false where the service has no list either
 */
async function verify(
	context: OperationContext,
	deploymentId: string,
	timeoutSeconds: number,
	isTold = false,
): Promise<boolean> {
	if (isTold) return await waitUntilGone(context, deploymentId, timeoutSeconds);
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
		list.find((entry) => idOf(entry) === deploymentId && !isFinal(entry.status));
	let list = await context.once('deployments', read);
	// It may be older than this destroy; what is gone by it is gone, for the rest it is read anew
	if (find(list)) list = await read();
	const listed = find(list);
	if (!listed) return list !== undefined;
	if (listed.status === 'termination requested')
		return await waitUntilGone(context, deploymentId, timeoutSeconds);
	throw contextError(
		context,
		{
			message: `Deployment ${deploymentId} may still run: the service does not know it, but lists it as "${String(listed.status)}"`,
		},
		{},
	);
}

async function waitUntilGone(
	context: OperationContext,
	deploymentId: string,
	timeoutSeconds: number,
): Promise<true> {
	const until = now() + timeoutSeconds * 1000;
	for (;;) {
		const details = await findDeployment(context, deploymentId);
		if (!details || isFinal(details.status)) return true;
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
		if (now() >= until) {
			throw contextError(
				context,
				{
					message: `Deployment ${deploymentId} was told to end, but after ${timeoutSeconds} seconds it is still "${String(details.status)}"`,
					description:
						'It may still bill. Run Destroy again, or look at it in the console of the service.',
				},
				{ deployment_id: deploymentId, status: details.status ?? null },
			);
		}
		await delay(Math.min(VERIFY_INTERVAL_MS, until - now()), context.signal);
	}
}
