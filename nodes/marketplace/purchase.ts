import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import type { Reply } from '../shared/http/reply';
import { send } from '../shared/http/request';
import type { Problem } from '../shared/http/errors';
import { againIfUnsent } from '../shared/operation/againIfUnsent';
import { contextError, isTool, prerequisite } from '../shared/operation/context';
import {
	isConfirmed,
	NOT_SENT_AGAIN,
	reconcileOthers,
	reconcileOwn,
	sendOnce,
	type Intent,
} from '../shared/operation/sendOnce';
import { elapsed, now } from '../shared/time';
import { isClearNo, mayBeDone } from './clearNo';
import { checkName, uniqueNameOf, type NameRules } from './deploymentName';
import { hasId } from './ids';
import type { Ordered, OrderFacts } from './orderMatch';
import { noteConfirmed, noteOrdered, noteServed } from './ownDeployments';
import type { PriceLimits, Quote } from './priceLimits';
import { isOwn, ownerOf, type ProductContext } from './product';
import { checked, lookFor, outputOf, saidOf, type PurchaseNote } from './purchased';
import { reserve } from './runningCost';
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

/** What an item remembers of the purchase under a name that it has made for itself, for whoever ends what it has made. */
export interface Trail {
	/** All IDs that were there before its first try, as far as they are known. */
	olderIds: string[];
	/** When the service has last refused a deploy, by {@link elapsed}. */
	refusedAt?: number;
}

/** An order that is ready to be sent. */
export interface Order {
	/** Of `POST …/deploy` (compute-api.md "Deploy VMs"; beyond-the-spec.md section 2). */
	body: IDataObject;
	/** What it asks for, by which the deployment is known again. */
	ordered: Ordered;
	/** What the output says of it besides what the service answers and the prices. */
	extras: IDataObject;
	priceLimits: PriceLimits;
	quote: Quote;
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
		if (!rules.dryRun) noteOrdered(context, name);
		const item = await buyInTurn(recent);
		if (!rules.dryRun) noteServed(context, name);
		// A dry run shows nothing of a purchase before it, and neither does one that is confirmed without an ID
		if (typeof item.deployment_id === 'string') delete recent.unknown;
		// Before the next one begins: an agent's call with equal arguments shares the journal
		context.journal.done([item]);
		return item;
	});

	async function buyInTurn(recent: Recent): Promise<IDataObject> {
		const earlier = await reconcilePurchase(context);
		if (earlier) return earlier;
		const [other] = await reconcileOthers(context, (note) =>
			isOwn(context, note) && note.resource_private_name === name
				? deployIntent(context, note as PurchaseNote)
				: undefined,
		);
		// A model that repeats a call means the same deployment, also with Deploy Anyway
		if (other && isTool(context.functions)) return other.item;
		const known = await checkName(context, name, rules, recent.bought);
		if ('done' in known) return known.done;
		if (isOpen(recent, known.knownIds) && !rules.uniqueName && rules.ifNameExists !== 'deploy')
			throw contextError(context, {
				message: `Another execution has sent a deploy of "${name}", and its outcome is unknown`,
				description:
					'Nothing was deployed now. It is sent again 15 minutes after that, if it still does not show.',
			});
		const { olderIds } = known;
		if (rules.hasSuffix) context.kept.set(trailKey(name), trailOf(context, name) ?? { olderIds });
		return await order({ ...known, name, isUnique: rules.uniqueName, recent });
	}
}

/** Undefined where this process has not come to send a deploy under the name. */
export function trailOf(context: ProductContext, name: string): Trail | undefined {
	return context.kept.get(trailKey(name)) as Trail | undefined;
}

export function forgetTrail(context: ProductContext, name: string): void {
	context.kept.delete(trailKey(name));
}

const trailKey = (name: string) => `purchase of ${name}`;

/**
 * What an earlier try of this item has bought, or one that was cut short.
 * @returns undefined where nothing was sent, or it was certainly never made
 * @throws while its outcome is unknown
 */
export async function reconcilePurchase(context: ProductContext): Promise<IDataObject | undefined> {
	const noted = context.journal.intent() as PurchaseNote | undefined;
	return noted && (await reconcileOwn(context, deployIntent(context, noted)));
}

/**
 * Sends one deploy, at most once for this item of this execution. Before each try, Maximum Running Cost and then the price are
 * checked, and its name and the known IDs are noted; when the answer is lost, it is looked for by its name among the IDs that are new.
 * @returns the deployment for the output, or the service's rejection or the problem with its price for the caller to judge
 * @throws when the outcome stays unknown
 */
export async function buy(
	context: ProductContext,
	begun: Purchase,
	order: Order,
): Promise<Result | { rejected: Reply }> {
	return await againIfUnsent(context, async () => await buyOnce(context, begun, order));
}

type Result = { bought: IDataObject } | { problem: Problem };

async function buyOnce(
	context: ProductContext,
	{ name, isUnique, knownIds, olderIds, recent }: Purchase,
	{ body, ordered, extras, priceLimits, quote }: Order,
): Promise<Result | { rejected: Reply }> {
	const reserved = await reserve(context, priceLimits, quote);
	if ('problem' in reserved) return reserved;
	const { reservation, prices } = reserved;
	const order: OrderFacts = { ...ordered, sentAt: now() };
	const note: PurchaseNote = {
		...ownerOf(context),
		purchaseId: randomUUID(),
		resource_private_name: name,
		isUnique,
		knownIds,
		order,
		extras: { ...extras, ...prices },
	};
	const outcome = await sendOnce(
		context,
		deployIntent(context, note, olderIds),
		async () =>
			await send(context, {
				method: 'POST',
				path: `${context.product.path}/deploy`,
				body,
				retry: 'never',
				deadlineMs: DEADLINE_MS,
			}),
	).catch((error: Error) => {
		recent.unknown = { since: elapsed(), knownIds };
		reservation.keep();
		throw error;
	});
	if (outcome.state === 'rejected') {
		reservation.release();
		const trail = trailOf(context, name);
		if (trail && outcome.reply.kind === 'answer') trail.refusedAt = elapsed();
		return { rejected: outcome.reply };
	}
	const said = saidOf(outcome.reply, olderIds);
	if (outcome.state === 'confirmed') {
		reservation.keep();
		const { purchaseId } = note;
		noteConfirmed(context, name, { purchaseId, sentAt: order.sentAt, knownIds });
		recent.unknown = { since: elapsed(), knownIds };
		return {
			bought: {
				...outputOf(note, said),
				hint: `The service confirmed the deployment without an ID of its own, and ${outcome.problem}. Find it by its name.`,
			},
		};
	}
	const item = { ...said, ...(await checked(context, note, outcome.item)) };
	recent.bought.set(String(item.deployment_id), elapsed());
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

/** Whether a purchase under the name is not known to have been made or not: one that is new under it is taken for it. */
function isOpen({ unknown }: Recent, ids: string[] = []): boolean {
	if (!unknown) return false;
	const { knownIds } = unknown;
	return !knownIds || ids.every((id) => hasId(knownIds, id));
}

function nameToSend(context: ProductContext, { name, uniqueName, hasSuffix }: NameRules): string {
	return uniqueName && !hasSuffix ? uniqueNameOf(context, name) : name;
}

function deployIntent(context: ProductContext, note: PurchaseNote, olderIds?: string[]): Intent {
	const { resource_private_name: name } = note;
	return {
		what: `Deploy of "${name}"`,
		note,
		facts: { resource_private_name: name, deployment_id: null },
		proof: (reply) => {
			const said = isConfirmed(reply) ? saidOf(reply, olderIds) : {};
			return said.deployment_id ? outputOf(note, said) : undefined;
		},
		isNo: isClearNo,
		mayBeDone,
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
