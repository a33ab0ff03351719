import type { IDataObject } from 'n8n-workflow';
import type { Reply } from '../shared/http/reply';
import { send } from '../shared/http/request';
import { parseJson } from '../shared/json';
import { numberOf } from '../shared/numbers';
import { contextError, isTool, prerequisite } from '../shared/operation/context';
import {
	isConfirmed,
	NOT_SENT_AGAIN,
	reconcileOthers,
	reconcileOwn,
	sendOnce,
	type Evidence,
	type Intent,
} from '../shared/operation/sendOnce';
import { now } from '../shared/time';
import { contentOf, described, findDeployment, idOf, nameOf } from './deployments';
import { checkName, named, uniqueNameOf, type NameRules } from './deploymentName';
import { differencesFrom, type Ordered, type OrderFacts } from './orderMatch';
import { noteBought, noteConfirmed } from './ownDeployments';
import type { PriceLimits } from './priceLimits';
import type { ProductContext } from './product';
import { reserve } from './runningCost';
import { stateOf } from './state';
import { inTurn, type Recent } from './turns';

/** A purchase whose name is free: it may be sent. */
export interface Purchase {
	/** The name that is sent. */
	name: string;
	/** The IDs that have this name already; undefined where they are not known. */
	knownIds?: string[];
	/** Whether nothing else can have the name. */
	isUnique: boolean;
	/** All IDs that are there already, as far as they are known. */
	olderIds: string[];
	/** What this process has bought under the name just before, to which this purchase is added. */
	recent: Recent;
}

/** What is noted before a deploy is sent, by the names of the output. */
interface Note extends IDataObject {
	product: string;
	resource_private_name: string;
	isUnique: boolean;
	knownIds?: string[];
	order: OrderFacts;
	/** What the output says of the order besides what the service answers. */
	extras: IDataObject;
}

/** Deploys can take long: the service looks for a free node first. */
const DEADLINE_MS = 120_000;

/**
 * Buys under a name, one purchase of it at a time: first what an earlier try or another call has bought is looked up, then the
 * deployments that have the name already.
 * @param order decides what to buy and sends it with {@link buy}
 * @returns the deployment for the output
 * @throws where an earlier outcome is unknown, or the name is taken
 */
export async function purchase(
	context: ProductContext,
	rules: NameRules,
	order: (purchase: Purchase) => Promise<IDataObject>,
): Promise<IDataObject> {
	const notedName = context.journal.intent()?.resource_private_name as string | undefined;
	const name = notedName ?? nameToSend(context, rules);
	context.known.resource_private_name = name;
	return await inTurn(context, { name }, async (recent) => {
		const item = await buyInTurn(recent);
		delete recent.unknownSince;
		// Before the next one begins: an agent's call with equal arguments shares the journal
		context.journal.done([item]);
		return item;
	});

	async function buyInTurn(recent: Recent): Promise<IDataObject> {
		const earlier = await reconcilePurchase(context);
		if (earlier) return earlier;
		const [other] = await reconcileOthers(context, (note) =>
			note.product === context.product.key && note.resource_private_name === name
				? deployIntent(context, note as Note)
				: undefined,
		);
		// A model that repeats a call means the same deployment, also with Deploy Anyway
		if (other && isTool(context.functions)) return other.item;
		const known = await checkName(context, name, rules, [...recent.bought.keys()]);
		if ('done' in known) return known.done;
		if (recent.unknownSince !== undefined && !rules.uniqueName && rules.ifNameExists !== 'deploy')
			throw contextError(context, {
				message: `Another execution has sent a deploy of "${name}", and its outcome is unknown`,
				description: 'Nothing was deployed now. Try again in two minutes: it may show by then.',
			});
		return await order({ ...known, name, isUnique: rules.uniqueName, recent });
	}
}

/**
 * What an earlier try of this item has bought, or one that was cut short.
 * @returns undefined where nothing was sent, or it was certainly never made
 * @throws while its outcome is unknown
 */
export async function reconcilePurchase(context: ProductContext): Promise<IDataObject | undefined> {
	const noted = context.journal.intent() as Note | undefined;
	return noted && (await reconcileOwn(context, deployIntent(context, noted)));
}

/**
 * Sends one deploy, at most once for this item of this execution. Before it is sent, its name and the known IDs are
 * noted, and Maximum Running Cost is checked; when the answer is lost, it is looked for by its name among the IDs that are new.
 * @param body of `POST …/deploy` (compute-api.md "Deploy VMs"; beyond-the-spec.md section 2)
 * @param ordered what it asks for, by which the deployment is known again
 * @param extras what the output says of the order besides what the service answers, with its prices
 * @returns the deployment for the output, or the service's rejection for the caller to judge
 * @throws when the outcome stays unknown
 */
export async function buy(
	context: ProductContext,
	{ name, isUnique, knownIds, olderIds, recent }: Purchase,
	body: IDataObject,
	ordered: Ordered,
	extras: IDataObject,
	priceLimits: PriceLimits,
): Promise<{ bought: IDataObject } | { rejected: Reply }> {
	const reservation = await reserve(context, priceLimits, extras);
	const order: OrderFacts = { ...ordered, sentAt: now() };
	const product = context.product.key;
	const note: Note = { product, resource_private_name: name, isUnique, knownIds, order, extras };
	const outcome = await sendOnce(
		context,
		deployIntent(context, note, olderIds),
		async () =>
			await send(context, {
				method: 'POST',
				path: `${context.product.path}/deploy`,
				body,
				retry: 'ifUnsent',
				deadlineMs: DEADLINE_MS,
			}),
	).catch((error: Error) => {
		recent.unknownSince = now();
		reservation.keep();
		throw error;
	});
	if (outcome.state === 'rejected') {
		reservation.release();
		return { rejected: outcome.reply };
	}
	const said = saidOf(outcome.reply, olderIds);
	if (outcome.state === 'confirmed') {
		reservation.keep();
		noteConfirmed(context, name, { sentAt: order.sentAt, knownIds });
		return {
			bought: {
				...outputOf(note, said),
				hint: `The service confirmed the deployment without an ID of its own, and ${outcome.problem}. Find it by its name.`,
			},
		};
	}
	const item = { ...said, ...(await checked(context, note, outcome.item)) };
	recent.bought.set(String(item.deployment_id), now());
	reservation.keep(String(item.deployment_id));
	return { bought: item };
}

/** Reads something that a deploy needs; where that fails, nothing was deployed. */
export async function beforeDeploy<T>(
	context: ProductContext,
	what: string,
	read: () => Promise<T>,
): Promise<T> {
	return await prerequisite(context, what, 'Nothing was deployed.', read);
}

function nameToSend(context: ProductContext, { name, uniqueName, hasSuffix }: NameRules): string {
	return uniqueName && !hasSuffix ? uniqueNameOf(context, name) : name;
}

function deployIntent(context: ProductContext, note: Note, olderIds?: string[]): Intent {
	const { resource_private_name: name } = note;
	return {
		what: `Deploy of "${name}"`,
		note,
		facts: { resource_private_name: name, deployment_id: null },
		proof: (reply) => {
			const said = isConfirmed(reply) ? saidOf(reply, olderIds) : {};
			return said.deployment_id ? outputOf(note, said) : undefined;
		},
		evidence: {
			source: 'the list of deployments',
			look: async () => await lookFor(context, note),
		},
		warning: 'Do not deploy it again before you have looked for it (Deployment > Get Many)',
		advice: `The deployment may exist and bill. Look for "${name}" in the deployments (Deployment > Get Many) or in the service's own console before you deploy again. ${NOT_SENT_AGAIN}`,
		cancelled:
			'Cancelled while a deploy was under way: the deployment may exist and bill. Look for it by its name.',
	};
}

/** The deployment with the name that was not there before and shows what was ordered. */
async function lookFor(context: ProductContext, note: Note): Promise<Evidence> {
	const evidence = await lookForNew(context, note);
	if (evidence.state === 'made' && !note.isRefused) noteOwn(context, note, evidence.item);
	return evidence;
}

async function lookForNew(context: ProductContext, note: Note): Promise<Evidence> {
	const { resource_private_name: name, knownIds, order } = note;
	const unknown = (await named(context, name))
		.map(described)
		.filter(({ deployment_id: id }) => !knownIds?.includes(String(id)));
	const candidates: IDataObject[] = [];
	let mayBeOlder = false;
	for (const entry of unknown) {
		// An entry of the list shows neither size nor creation time
		const details = await findDeployment(context, String(entry.deployment_id));
		const differences = differencesFrom(context.product, order, { ...entry, ...details });
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
async function checked(
	context: ProductContext,
	note: Note,
	item: IDataObject,
): Promise<IDataObject> {
	const id = String(item.deployment_id);
	const details = await findDeployment(context, id, 'never').catch(() => undefined);
	const shown = { ...item, ...(details && { resource_private_name: nameOf(details) }) };
	noteOwn(context, note, shown);
	const differences = details ? differencesFrom(context.product, note.order, details) : [];
	const paid = numberOf(details?.amount_paid) ?? 0;
	const total = numberOf(note.extras.total_price);
	// The ID in the answer may be that of the order
	const listed = details ? undefined : await lookForNew(context, note).catch(() => undefined);
	const listedId = String(listed?.item?.deployment_id ?? id);
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
	].filter(Boolean);
	return {
		...item,
		...namesOf(note, shown),
		...(hints.length > 0 && { hint: hints.join(' ') }),
	};
}

function noteOwn(context: ProductContext, note: Note, shown: IDataObject): void {
	const names = Object.values(namesOf(note, shown));
	noteBought(context, String(shown.deployment_id), names);
}

/** The name that the service has given, and the one that was asked for where it is another. */
function namesOf(
	{ resource_private_name: name }: Note,
	shown: IDataObject,
): Record<string, string> {
	const stored = nameOf(shown) ?? name;
	return {
		resource_private_name: stored,
		...(stored !== name && { requested_name: name }),
	};
}

/** What the answer to a deploy says of the deployment, with `deployment_id: null` where it says none, or that of an older one. */
function saidOf(reply: Reply | undefined, olderIds: string[] = []): IDataObject {
	const answer = reply?.kind === 'answer' ? parseJson(reply.text) : undefined;
	const id = idOf(answer);
	const isNew = id !== undefined && !olderIds.includes(id);
	return { ...described(contentOf(reply)), deployment_id: isNew ? id : null };
}

function outputOf(note: Note, found: IDataObject): IDataObject {
	const endsAt = note.order.sentAt + note.order.duration_hours * 3_600_000;
	const isKnown = found.deployment_id !== null && stateOf(found.status) !== 'ended';
	return {
		...(isKnown && { expires_at: new Date(endsAt).toISOString() }),
		...found,
		...namesOf(note, found),
		...note.extras,
	};
}
