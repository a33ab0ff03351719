import type { IDataObject } from 'n8n-workflow';
import { listEntries, numberedPages } from '../shared/http/pagination';
import { objectOf, send, type RequestContext } from '../shared/http/request';
import type { RetryPolicy } from '../shared/http/retry';
import { now } from '../shared/time';
import { VMAAS } from './paths';
import { isFinal, stateOf, type State } from './state';
import { isRecord } from '../shared/guards';
import { numberOf } from '../shared/numbers';
import { contextError } from '../shared/operation/context';
import { asItem } from '../shared/operation/items';

/**
 * `GET …/deployments`: every deployment of the account, all pages. The first page is 0 in one place of the service and 1
 * in another (beyond-the-spec.md section 1).
 * @param base path prefix of VMaaS or CaaS
 */
export async function listDeployments(
	context: RequestContext,
	status?: string,
	base = VMAAS,
): Promise<IDataObject[]> {
	return await listEntries(context, {
		path: `${base}/deployments`,
		query: { status },
		paging: numberedPages(0),
		entries: ({ data }) => isRecord(data) && data.deployments,
		key: idOf,
	});
}

/** `GET …/deployment/{deployment_id}`: the details of one deployment without their envelope; undefined when it is unknown. */
export async function findDeployment(
	context: RequestContext,
	deploymentId: string,
	base = VMAAS,
	retry: RetryPolicy = 'idempotent',
): Promise<IDataObject | undefined> {
	const reply = await send(context, {
		method: 'GET',
		path: `${base}/deployment/{deployment_id}`,
		params: { deployment_id: deploymentId },
		retry,
	});
	if (reply.kind === 'answer' && reply.status === 404) return undefined;
	return unwrapped(objectOf(context, reply));
}

/** What a deployment is now, with the details that say so; of one that is never seen there are none. */
export type Present =
	{ state: State; details: IDataObject } | { state: 'never seen'; details: undefined };

/**
 * Reads what a deployment is now.
 * @param base path prefix of VMaaS or CaaS
 * @throws the service's error; a 404 is `never seen`
 */
export async function whatIs(
	context: RequestContext,
	deploymentId: string,
	base = VMAAS,
): Promise<Present> {
	const details = await findDeployment(context, deploymentId, base);
	return details
		? { state: stateOf(details.status), details }
		: { state: 'never seen', details: undefined };
}

/** As {@link findDeployment}, where an unknown deployment is an error. */
export async function getDeployment(
	context: RequestContext,
	deploymentId: string,
	base = VMAAS,
): Promise<IDataObject> {
	const details = await findDeployment(context, deploymentId, base);
	if (details) return details;
	throw contextError(
		context,
		{
			message: `There is no deployment ${deploymentId}`,
			description: 'Check the ID, and that the API key belongs to the account that deployed it.',
			status: 404,
		},
		{ deployment_id: deploymentId },
	);
}

/** The content of a `{data: {…}}` envelope, or the answer itself where it has none. */
export function unwrapped(answer: IDataObject): IDataObject {
	return isRecord(answer.data) ? (answer.data as IDataObject) : answer;
}

/** The ID in a list entry, in details, or in the answer to a deploy; an `id` beside an envelope may be that of the request. */
export function idOf(answer: unknown): string | undefined {
	if (!isRecord(answer)) return undefined;
	const data = isRecord(answer.data) ? answer.data : {};
	const ids = [answer.deployment_id, data.deployment_id, data.id, answer.id];
	const id = ids.find((one) => typeof one === 'number' || (typeof one === 'string' && one !== ''));
	return id === undefined ? undefined : String(id);
}

/** The cluster name, which the service calls `name` in some answers and `resource_private_name` in others. */
export function nameOf(entry: IDataObject): string | undefined {
	const name = entry.resource_private_name ?? entry.name;
	return typeof name === 'string' ? name : undefined;
}

/** Every deployment with exactly this cluster name, in any state; a name is not unique at the service. */
export async function findByName(context: RequestContext, name: string): Promise<IDataObject[]> {
	return (await listDeployments(context)).filter((entry) => nameOf(entry) === name);
}

/** A deployment for the output: as the service sent it, and under the same keys everywhere its id, its name and its end. */
export function described(entry: IDataObject): IDataObject {
	const name = nameOf(entry);
	const expiresAt = endOf(entry);
	return {
		...asItem(entry),
		deployment_id: idOf(entry) ?? null,
		...(name !== undefined && { resource_private_name: name }),
		...(expiresAt !== undefined && { expires_at: expiresAt }),
	};
}

/** When the paid time is over, computed from the remaining minutes; nothing for a deployment that has ended. */
function endOf(entry: IDataObject): string | undefined {
	const minutes = numberOf(entry.compute_minutes_remaining);
	if (minutes === undefined || isFinal(entry.status)) return undefined;
	return new Date(now() + minutes * 60_000).toISOString();
}
