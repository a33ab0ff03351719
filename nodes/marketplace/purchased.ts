import type { IDataObject } from 'n8n-workflow';
import type { Reply } from '../shared/http/reply';
import { parseAnswer } from '../shared/json';
import { numberOf } from '../shared/numbers';
import type { Evidence } from '../shared/operation/sendOnce';
import { contentOf, described, findDeployment, idOf, nameOf, spelledIn } from './deployments';
import { named } from './deploymentName';
import { hasId, isSameId } from './ids';
import { CLOCK_SKEW_MS, differencesFrom, type OrderFacts } from './orderMatch';
import { isOfAnother, noteBought } from './ownDeployments';
import { billHint } from './priceLimits';
import type { ProductContext } from './product';
import { idsOf, idsWithNames } from './references';
import { stateOf } from './state';

/** What is noted before a deploy is sent, by the names of the output. */
export interface PurchaseNote extends IDataObject {
	product: string;
	account?: string;
	/** Which one it is among all others. */
	purchaseId: string;
	resource_private_name: string;
	isUnique: boolean;
	knownIds?: string[];
	order: OrderFacts;
	/** What the output says of the order besides what the service answers. */
	extras: IDataObject;
}

/** A deployment that may be the one that was ordered. */
interface New {
	entry: IDataObject;
	/** Whether it has exactly the name that was ordered. */
	hasName: boolean;
	/** What it shows that was not ordered. */
	differences: string[];
}

/**
 * The deployment of exactly this name that was not there before and shows what was ordered. A similar name proves nothing, since it
 * may be a colleague's; and what differs from the order may be ours all the same, since services write hardware, sizes and times in
 * their own ways: either leaves the outcome unknown.
 */
export async function lookFor(context: ProductContext, note: PurchaseNote): Promise<Evidence> {
	const evidence = await lookForNew(context, note);
	if (evidence.state === 'made' && !note.isRefused) noteOwn(context, note, evidence.item);
	return evidence;
}

async function lookForNew(context: ProductContext, note: PurchaseNote): Promise<Evidence> {
	const { resource_private_name: name, knownIds } = note;
	const found: New[] = [];
	for (const entry of await newOnes(context, note)) {
		const differences = await differencesIn(context, note, entry);
		found.push({ entry: described(entry), hasName: nameOf(entry) === name, differences });
	}
	const fitting = found.filter(({ differences }) => differences.length === 0);
	const [ours, ...others] = fitting.filter(({ hasName }) => hasName);
	if (ours && others.length === 0 && knownIds)
		return { state: 'made', item: outputOf(note, ours.entry) };
	const first = ours ?? found.find(({ hasName }) => hasName) ?? fitting[0] ?? found[0];
	return {
		state: found.length === 0 ? 'absent' : 'unknown',
		problem: problemOf(found),
		// Where it is not known what was there before, nothing shows as new
		...(knownIds && first && { item: outputOf(note, first.entry), mayBeIt: true }),
	};
}

/** Why what was found proves nothing. */
function problemOf(found: New[]): string {
	if (found.length === 0) return 'it is not in the list of deployments';
	const equal = found.filter(({ hasName }) => hasName);
	if (equal.some(({ differences }) => differences.length === 0))
		return `it cannot be told from others of its name (${idsOf(equal.map(({ entry }) => entry))})`;
	const similar = found.filter(({ hasName }) => !hasName).map(({ entry }) => entry);
	return [
		...equal.map(
			({ entry, differences }) => `${idsOf([entry])} has its name, but ${differences.join(', ')}`,
		),
		...(similar.length > 0 ? [`a similar name has ${idsWithNames(similar)}`] : []),
	].join(', and ');
}

/** What has the name, or one that the service may have made of it, was not there before and was not made by another purchase. */
async function newOnes(
	context: ProductContext,
	{ resource_private_name: name, knownIds = [], purchaseId }: PurchaseNote,
): Promise<IDataObject[]> {
	return (await named(context, name)).filter((entry) => {
		const id = idOf(entry) ?? '';
		return !hasId(knownIds, id) && !isOfAnother(context, id, purchaseId);
	});
}

/** What a new entry of the list shows that was not ordered. */
async function differencesIn(
	context: ProductContext,
	{ order }: PurchaseNote,
	entry: IDataObject,
): Promise<string[]> {
	const id = idOf(entry);
	if (id === undefined) return ['no ID'];
	// An entry of the list shows neither size nor creation time
	const details = await findDeployment(context, id);
	const shown = { ...entry, ...details };
	return differencesFrom(context.product, order, shown, context.account.clockAheadMs);
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
	const { product, account } = context;
	// Its ID tells that it is the one: seconds between two clocks do not make it another
	const differences = details
		? differencesFrom(product, note.order, details, account.clockAheadMs, CLOCK_SKEW_MS)
		: [];
	const added = await billingNew(context, note).catch(() => []);
	const isShown = details !== undefined || added.some((entry) => isSameId(idOf(entry), id));
	// A proxy on the way may have sent the request twice, or the ID in the answer is that of the order
	const others = added.filter((entry) => !isSameId(idOf(entry), id));
	const hints = [
		item.hint,
		differences.length > 0 &&
			`The service shows another deployment than ordered: ${differences.join(', ')}.`,
		billHint(numberOf(details?.amount_paid ?? item.amount_paid), note.extras),
		details && stateOf(details.status) === 'ended' && `It is "${String(details.status)}" already.`,
		others.length > 0 &&
			(isShown
				? `Not this one alone is new under this name, but ${idsOf(others)} as well. Check them: each may bill.`
				: `The service does not show ${id} yet, but ${idsWithNames(others)}. Check all of them: each may bill.`),
	].filter(Boolean);
	const { expires_at: end } = described(details ?? {}, context.account.clockAheadMs);
	return {
		...item,
		...(item.expires_at && end ? { expires_at: earliest(item.expires_at, end) } : {}),
		...namesOf(note, shown),
		...(hints.length > 0 && { hint: hints.join(' ') }),
	};
}

/** What was not there before under the name that was bought, whatever it shows, and has not ended. */
async function billingNew(context: ProductContext, note: PurchaseNote): Promise<IDataObject[]> {
	if (!note.knownIds) return [];
	const entries = await newOnes(context, note);
	return entries.filter(({ status }) => stateOf(status) !== 'ended');
}

function noteOwn(context: ProductContext, note: PurchaseNote, shown: IDataObject): void {
	const names = Object.values(namesOf(note, shown));
	noteBought(context, String(shown.deployment_id), { names, purchaseId: note.purchaseId });
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
	const isNew = id !== undefined && !hasId(olderIds, id);
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
