import type { IDataObject } from 'n8n-workflow';
import type { Reply } from '../shared/http/reply';
import { parseAnswer } from '../shared/json';
import { numberOf } from '../shared/numbers';
import type { Evidence } from '../shared/operation/sendOnce';
import { contentOf, described, findDeployment, idOf, nameOf, spelledIn } from './deployments';
import { named } from './deploymentName';
import { differencesFrom, type OrderFacts } from './orderMatch';
import { noteBought } from './ownDeployments';
import type { ProductContext } from './product';
import { stateOf } from './state';

/** What is noted before a deploy is sent, by the names of the output. */
export interface PurchaseNote extends IDataObject {
	product: string;
	resource_private_name: string;
	isUnique: boolean;
	knownIds?: string[];
	order: OrderFacts;
	/** What the output says of the order besides what the service answers. */
	extras: IDataObject;
}

/** The deployment with the name that was not there before and shows what was ordered. */
export async function lookFor(context: ProductContext, note: PurchaseNote): Promise<Evidence> {
	const evidence = await lookForNew(context, note);
	if (evidence.state === 'made' && !note.isRefused) noteOwn(context, note, evidence.item);
	return evidence;
}

async function lookForNew(context: ProductContext, note: PurchaseNote): Promise<Evidence> {
	const { resource_private_name: name, knownIds, order } = note;
	const unknown = (await named(context, name))
		.map(described)
		.filter(({ deployment_id: id }) => !knownIds?.includes(String(id)));
	const candidates: IDataObject[] = [];
	let mayBeOlder = false;
	for (const entry of unknown) {
		// An entry of the list shows neither size nor creation time
		const details = await findDeployment(context, String(entry.deployment_id));
		const differences = differencesFrom(
			context.product,
			order,
			{ ...entry, ...details },
			context.account.clockAheadMs,
		);
		if (differences.length === 0) candidates.push(entry);
		// The clock of the service may be wrong
		mayBeOlder ||= differences.length === 1 && differences[0]!.startsWith('created_at');
	}
	const [first, ...others] = candidates;
	const ids = unknown.map(({ deployment_id: id }) => String(id)).join(', ');
	if (!first)
		return {
			state: mayBeOlder ? 'unknown' : 'absent',
			problem:
				unknown.length === 0
					? 'it is not in the list of deployments'
					: `what is listed under this name is not what was ordered (${ids})`,
		};
	if (others.length > 0 || !knownIds)
		return { state: 'unknown', problem: `it cannot be told from others of its name (${ids})` };
	return { state: 'made', item: outputOf(note, first) };
}

/**
 * One look at what was bought: whether the service keeps it under the ID of its answer, and under the name and in the size that were
 * ordered. What is not shown yet changes nothing.
 */
export async function checked(
	context: ProductContext,
	note: PurchaseNote,
	bought: IDataObject,
): Promise<IDataObject> {
	const saidId = String(bought.deployment_id);
	const details = await findDeployment(context, saidId, 'never').catch(() => undefined);
	const id = (details && spelledIn(details, saidId)) ?? saidId;
	const item: IDataObject = { ...bought, deployment_id: id };
	const shown = { ...item, ...(details && { resource_private_name: nameOf(details) }) };
	noteOwn(context, note, shown);
	const differences = details
		? differencesFrom(context.product, note.order, details, context.account.clockAheadMs)
		: [];
	const paid = numberOf(details?.amount_paid) ?? 0;
	const total = numberOf(note.extras.total_price);
	// The ID in the answer may be that of the order
	const listed = details ? undefined : await lookForNew(context, note).catch(() => undefined);
	const listedId = String(listed?.item?.deployment_id ?? id);
	// A proxy on the way may have sent the request twice; what had to be looked up is known to be the only one
	const isToldById = details !== undefined && item.recovered !== true;
	const others = isToldById ? await othersNew(context, note, id).catch(() => []) : [];
	const hints = [
		item.hint,
		differences.length > 0 &&
			`The service shows another deployment than ordered: ${differences.join(', ')}.`,
		total !== undefined &&
			paid > total * 1.01 &&
			`The service shows ${paid} paid instead of the price of ${total}.`,
		details && stateOf(details.status) === 'ended' && `It is "${String(details.status)}" already.`,
		listedId !== id &&
			`The service does not show ${id} yet, but ${listedId} under this name. Check both: each may bill.`,
		others.length > 0 &&
			`Not this one alone is new under this name, but ${others.join(', ')} as well. Check them: each may bill.`,
	].filter(Boolean);
	const { expires_at: end } = described(details ?? {}, context.account.clockAheadMs);
	return {
		...item,
		...(item.expires_at && end ? { expires_at: earliest(item.expires_at, end) } : {}),
		...namesOf(note, shown),
		...(hints.length > 0 && { hint: hints.join(' ') }),
	};
}

/** The IDs of others than the one that was bought which were not there before, under its name. */
async function othersNew(
	context: ProductContext,
	note: PurchaseNote,
	id: string,
): Promise<string[]> {
	const { resource_private_name: name, knownIds } = note;
	if (!knownIds) return [];
	const entries = await named(context, name);
	const ids = entries
		.filter(({ status }) => stateOf(status) !== 'ended')
		.flatMap((entry) => idOf(entry) ?? []);
	return ids.filter((other) => other !== id && !knownIds.includes(other));
}

function noteOwn(context: ProductContext, note: PurchaseNote, shown: IDataObject): void {
	const names = Object.values(namesOf(note, shown));
	noteBought(context, String(shown.deployment_id), names);
}

/** The name that the service has given, and the one that was asked for where it is another. */
function namesOf(
	{ resource_private_name: name }: PurchaseNote,
	shown: IDataObject,
): Record<string, string> {
	const stored = nameOf(shown) ?? name;
	return {
		resource_private_name: stored,
		...(stored !== name && { requested_name: name }),
	};
}

/** What the answer to a deploy says of the deployment, with `deployment_id: null` where it says none, or that of an older one. */
export function saidOf(reply: Reply | undefined, olderIds: string[] = []): IDataObject {
	const answer = reply?.kind === 'answer' ? parseAnswer(reply.text) : undefined;
	const id = idOf(answer);
	const isNew = id !== undefined && !olderIds.includes(id);
	return { ...described(contentOf(reply)), deployment_id: isNew ? id : null };
}

export function outputOf(note: PurchaseNote, found: IDataObject): IDataObject {
	const { sentAt, duration_hours: hours } = note.order;
	const endsAt = new Date(sentAt + hours * 3_600_000).toISOString();
	const isKnown = found.deployment_id !== null && stateOf(found.status) !== 'ended';
	return {
		...found,
		...(isKnown && { expires_at: earliest(found.expires_at, endsAt) }),
		...namesOf(note, found),
		...note.extras,
	};
}

/** The first of some ends: minutes that are summed over GPUs tell a later one, and less time than ordered an earlier one. */
function earliest(...ends: unknown[]): string | undefined {
	return ends.filter((end) => typeof end === 'string').sort()[0];
}
