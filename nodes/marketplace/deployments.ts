import type { IDataObject } from 'n8n-workflow';
import { isRecord, show } from '../shared/guards';
import { ownWords } from '../shared/http/errors';
import { refusalIn, saysError } from '../shared/http/refusal';
import { completeEntries, numberedPages, type CompleteList } from '../shared/http/pagination';
import type { Reply } from '../shared/http/reply';
import { objectOf, send } from '../shared/http/request';
import type { RetryPolicy } from '../shared/http/retry';
import { parseAnswer } from '../shared/json';
import { contextError } from '../shared/operation/context';
import { asItem } from '../shared/operation/items';
import { now } from '../shared/time';
import { isSameId } from './ids';
import { remainingMinutes } from './paidTime';
import type { ProductRequest } from './product';
import { withoutSecrets } from './secrets';
import { isFinal, isSameStatus, stateOf } from './state';

/** Statuses of a service that has no such deployment, or no such endpoint: the bare contract has neither list nor details. */
const ABSENT = [404, 405, 410, 501];

/** Whether a read failed because the service has nothing there. */
export function isAbsent(error: { httpCode?: string | null }): boolean {
	return ABSENT.includes(Number(error.httpCode));
}

/**
 * `GET …/deployments`: every deployment of the account, all pages. The first page is 0 in one place of the service and 1
 * in another (beyond-the-spec.md section 1).
 * @param status only those in this state; where the service finds none, its own spelling may be another one
 * @throws where the list is incomplete
 */
export async function listDeployments(
	context: ProductRequest,
	status?: string,
): Promise<IDataObject[]> {
	if (status === undefined) return await allEntries(context);
	const inState = (entries: IDataObject[]) =>
		entries.filter((entry) => isSameStatus(entry.status, status));
	const found = inState(await completeEntries(context, deploymentList(context, status)));
	return found.length > 0 ? found : inState(await listDeployments(context));
}

/**
 * The entry of one deployment in the list, which is read no further than to it; undefined where it is not in the whole list.
 * @returns also whether the list has any entries: an empty one may be that of a copy which has none
 */
export async function findListed(
	context: ProductRequest,
	deploymentId: string,
): Promise<{ entry?: IDataObject; isEmpty: boolean }> {
	const isIt = (entry: IDataObject) => isSameId(idOf(entry), deploymentId);
	const entries = await allEntries(context, isIt);
	return { entry: entries.find(isIt), isEmpty: entries.length === 0 };
}

/** An empty list is read once more: a copy of the service that has none of the entries may have answered. */
async function allEntries(
	context: ProductRequest,
	isEnough?: (entry: IDataObject) => boolean,
): Promise<IDataObject[]> {
	const list = deploymentList(context);
	const entries = await completeEntries(context, list, isEnough);
	return entries.length > 0 ? entries : await completeEntries(context, list, isEnough);
}

function deploymentList({ product }: ProductRequest, status?: string): CompleteList {
	return {
		path: `${product.path}/deployments`,
		query: { status },
		paging: numberedPages(0),
		entries: ({ data }) => isRecord(data) && data.deployments,
		key: idOf,
		total: ({ data }) => isRecord(data) && data.total,
	};
}

/**
 * `GET …/deployment/{deployment_id}`: the details of one deployment without their envelope; undefined when it is unknown.
 * @throws also where a 2xx says no instead
 */
export async function findDeployment(
	context: ProductRequest,
	deploymentId: string,
	retry: RetryPolicy = 'idempotent',
): Promise<IDataObject | undefined> {
	const reply = await send(context, {
		method: 'GET',
		path: `${context.product.path}/deployment/{deployment_id}`,
		params: { deployment_id: deploymentId },
		retry,
	});
	if (reply.kind === 'answer' && ABSENT.includes(reply.status)) return undefined;
	const answer = objectOf(context, reply);
	const details = unwrapped(answer);
	const ids = idsIn(details);
	// The status of an envelope without content is that of the request, and not that of a deployment
	const isEmptyEnvelope = details === answer && 'data' in answer && ids.length === 0;
	const isRefusal = isEmptyEnvelope && refusalIn(answer) !== undefined;
	if (details === answer && (answer.success === false || saysError(answer.error) || isRefusal)) {
		throw contextError(context, {
			message: `The service answered with an error: ${ownWords('', JSON.stringify(answer))}`,
		});
	}
	if (isEmptyEnvelope) return undefined;
	if (ids.length > 0 && spelledIn(details, deploymentId) === undefined) {
		throw contextError(context, {
			message: `The service answered with the details of ${ids.join(', ')} instead of ${deploymentId}`,
		});
	}
	if (ids.length > 0) return details;
	if (details.status === undefined) return undefined;
	// Without an envelope it may be that of a gateway, or of a service that fails
	const isEnveloped = details !== answer;
	if (isEnveloped || DETAILS.some((key) => details[key] !== undefined)) return details;
	throw contextError(context, {
		message: `The service answered with a status of no deployment: ${ownWords('', JSON.stringify(answer)) || show(details.status)}`,
	});
}

/** Fields by which details without an ID are those of a deployment (beyond-the-spec.md section 1 "Deployment details"). */
const DETAILS = [
	...['name', 'resource_private_name', 'created_at', 'started_at', 'finished_at', 'amount_paid'],
	...['completed_percent', 'hardware_id', 'hardware_name', 'brand_name'],
	...['compute_minutes_served', 'compute_minutes_remaining'],
];

/**
 * The entries of a list that have not ended. A list may be behind, so the details of those that it shows as alive are asked for;
 * where they cannot be read, the list is what is known.
 */
export async function stillAlive(
	context: ProductRequest,
	entries: IDataObject[],
): Promise<IDataObject[]> {
	const alive: IDataObject[] = [];
	for (const entry of entries.filter(({ status }) => !isFinal(status))) {
		const id = idOf(entry) ?? '';
		const details =
			id === '' ? {} : await findDeployment(context, id, 'never').catch(() => undefined);
		if (!isFinal(details?.status)) alive.push(entry);
	}
	return alive;
}

/** As {@link findDeployment}, where an unknown deployment is an error. */
export async function getDeployment(
	context: ProductRequest,
	deploymentId: string,
): Promise<IDataObject> {
	const details = await findDeployment(context, deploymentId);
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

/** What an answer says of a deployment; empty where it is no JSON object. */
export function contentOf(reply: Reply | undefined): IDataObject {
	const answer = reply?.kind === 'answer' ? parseAnswer(reply.text) : undefined;
	return isRecord(answer) ? unwrapped(answer as IDataObject) : {};
}

/** The content of a `{data: {…}}` envelope, or the answer itself where it has none. */
export function unwrapped(answer: IDataObject): IDataObject {
	return isRecord(answer.data) ? (answer.data as IDataObject) : answer;
}

/** The keys under which services show an ID, those of the contract first. */
const ID_KEYS = ['deployment_id', 'id', 'deploymentId', 'uuid'];

/** The ID in a list entry, in details, or in the answer to a deploy. Beside an envelope an `id` is that of the request. */
export function idOf(answer: unknown): string | undefined {
	if (!isRecord(answer)) return undefined;
	const isEnveloped = isRecord(answer.data);
	const [id] = idsIn(isEnveloped ? { deployment_id: answer.deployment_id } : answer);
	return id ?? (isEnveloped ? idOf(answer.data) : undefined);
}

/** An ID as details spell it: some services show one in another case than that of their answer; undefined where it is not in them. */
export function spelledIn(details: IDataObject, deploymentId: string): string | undefined {
	return idsIn(details).find((id) => isSameId(id, deploymentId));
}

function idsIn(answer: Record<string, unknown>): string[] {
	const ids = ID_KEYS.map((key) => answer[key]).flatMap((one) =>
		// A larger number was rounded when it was read, and may be another's
		Number.isSafeInteger(one) || (typeof one === 'string' && one !== '') ? [String(one)] : [],
	);
	// Beside another one, 0 is a field that is not set
	const set = ids.filter((id) => id !== '0');
	return set.length > 0 ? set : ids;
}

/** The cluster name, which the service calls `name` in some answers and `resource_private_name` in others. */
export function nameOf(entry: IDataObject): string | undefined {
	// A name such as 2026 may come as a number, and a field that is not set as an empty text
	return [entry.resource_private_name, entry.name]
		.map((name) => (typeof name === 'number' ? String(name) : name))
		.find((name): name is string => typeof name === 'string' && name !== '');
}

/** Every deployment with exactly this cluster name, in any state; a name is not unique at the service. */
export async function findByName(context: ProductRequest, name: string): Promise<IDataObject[]> {
	return (await listNamed(context)).filter((entry) => nameOf(entry) === name);
}

/** Whether a name begins with the prefix, in which case and whitespace count. */
export function hasPrefix(entry: IDataObject, prefix = ''): boolean {
	return prefix === '' || nameOf(entry)?.startsWith(prefix) === true;
}

/** The deployments whose name begins with the prefix, in this state or in any, as {@link listNamed} lists them. */
export async function listPrefixed(
	context: ProductRequest,
	prefix = '',
	status?: string,
): Promise<IDataObject[]> {
	const entries = await (prefix === '' ? listDeployments : listNamed)(context, status);
	return entries.filter((entry) => hasPrefix(entry, prefix));
}

/**
 * All deployments, for a search by name.
 * @param status only those in this state
 * @throws where none of them shows a name: that nothing has this name could not be told
 */
export async function listNamed(context: ProductRequest, status?: string): Promise<IDataObject[]> {
	const entries = await listDeployments(context, status);
	if (entries.length === 0 || entries.some((entry) => nameOf(entry) !== undefined)) return entries;
	throw contextError(context, {
		message: 'No entry of the list shows a name that is known',
		description: 'Without names, a deployment can only be found by its ID.',
	});
}

/**
 * A deployment for the output: as the service sent it, and under the same keys everywhere its id, its name and its end.
 * @param clockAheadMs how far the clock is ahead that its times are of
 */
export function described(entry: IDataObject, clockAheadMs?: number): IDataObject {
	const name = nameOf(entry);
	const expiresAt = endOf(entry, clockAheadMs);
	return {
		...asItem(withoutSecrets(entry)),
		deployment_id: idOf(entry) ?? null,
		...(name !== undefined && { resource_private_name: name }),
		...(expiresAt !== undefined && { expires_at: expiresAt }),
	};
}

/**
 * When the paid time is over, computed from the remaining minutes; nothing for a deployment that has ended, or that waits for its
 * start and shows no minutes yet.
 */
function endOf(entry: IDataObject, clockAheadMs?: number): string | undefined {
	const minutes = remainingMinutes(entry, clockAheadMs);
	const state = stateOf(entry.status);
	if (minutes === undefined || state === 'ended' || (minutes <= 0 && state === 'starting'))
		return undefined;
	return new Date(now() + minutes * 60_000).toISOString();
}
