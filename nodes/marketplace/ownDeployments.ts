import { ASSUME_ABSENT_AFTER_MS } from '../shared/operation/sendOnce';
import { elapsed, now } from '../shared/time';
import { hasId, idKey } from './ids';
import { ownerKey, productStore, type ProductContext } from './product';
import { forgetBought } from './turns';

/** What this execution has done to a deployment, whatever node did it: the service may not show it yet. */
export interface OwnDeployment {
	/** Its ID as the service spells it; undefined where it was not bought here. */
	deploymentId?: string;
	/** The names under which it was bought: the one that was asked for and the one that the service gave it. */
	names?: string[];
	/** The service has taken a request to destroy it. */
	isAccepted?: boolean;
	/** It was seen to have ended. */
	isDestroyed?: boolean;
	/** The purchase that has made it; undefined where it was not bought here. */
	purchaseId?: string;
}

/** A purchase that the service has confirmed without an ID, and that did not show. */
interface Confirmed {
	purchaseId: string;
	sentAt: number;
	/** The IDs that had the name already; undefined where they are not known. */
	knownIds?: string[];
}

/** By {@link idKey}. */
function store(context: ProductContext): Record<string, OwnDeployment> {
	return productStore<OwnDeployment>(context, 'deployments');
}

function note(context: ProductContext, deploymentId: string, more: OwnDeployment): void {
	const [stored, key] = [store(context), idKey(deploymentId)];
	stored[key] = { ...stored[key], ...more };
}

/** What this execution has done to the deployment with this ID; undefined where it has done nothing. */
export function ownDeployment(
	context: ProductContext,
	deploymentId: string,
): OwnDeployment | undefined {
	return store(context)[idKey(deploymentId)];
}

/** The IDs of the deployments that this execution has bought under a name, without those that it has destroyed. */
export function boughtHere(context: ProductContext, name: string): string[] {
	return ofName(context, name).flatMap(({ deploymentId, isDestroyed }) =>
		isDestroyed ? [] : deploymentId!,
	);
}

/** The IDs of the deployments that this execution has bought under a name and destroyed. */
export function destroyedHere(context: ProductContext, name: string): string[] {
	return ofName(context, name).flatMap(({ deploymentId, isDestroyed }) =>
		isDestroyed ? deploymentId! : [],
	);
}

function ofName(context: ProductContext, name: string): OwnDeployment[] {
	return Object.values(store(context)).filter(({ names }) => names?.includes(name));
}

/** The names under which this execution has bought something, whether or not its ID is known. */
export function namesBought(context: ProductContext): string[] {
	const named = Object.values(store(context)).flatMap(({ names = [] }) => names);
	return [...named, ...Object.keys(productStore<Confirmed[]>(context, 'confirmed'))];
}

/** Notes that this execution begins to deploy under a name: until it has got one, what has the name is none of its own. */
export function noteOrdered(context: ProductContext, name: string): void {
	ordered(context)[name] ??= false;
}

/** Notes that it has got what it has ordered under a name, were it one that was there. */
export function noteServed(context: ProductContext, name: string): void {
	ordered(context)[name] = true;
}

/** Whether it has tried to deploy under a name, and never got anything. */
export function hasOrderedInVain(context: ProductContext, name: string): boolean {
	return ordered(context)[name] === false;
}

function ordered(context: ProductContext): Record<string, boolean> {
	return productStore<boolean>(context, 'ordered');
}

/** Notes that the service has confirmed a purchase under a name, which it shows nowhere. */
export function noteConfirmed(context: ProductContext, name: string, purchase: Confirmed): void {
	const confirmed = productStore<Confirmed[]>(context, 'confirmed');
	confirmed[name] = [...(confirmed[name] ?? []), purchase];
}

/**
 * Whether this execution has a confirmed purchase under a name that still does not show.
 * @param listed the IDs that have the name now
 */
export function isConfirmedUnseen(
	context: ProductContext,
	name: string,
	listed: Array<string | undefined>,
): boolean {
	const confirmed = productStore<Confirmed[]>(context, 'confirmed')[name] ?? [];
	const own = Object.values(store(context));
	return confirmed.some(({ purchaseId, sentAt, knownIds }) => {
		// From then on its ID tells what became of it
		const wasFound = own.some((one) => one.purchaseId === purchaseId);
		const isShown = listed.some(
			(id) =>
				id !== undefined &&
				knownIds &&
				!hasId(knownIds, id) &&
				!ownDeployment(context, id)?.names?.includes(name),
		);
		return !wasFound && !isShown && now() < sentAt + ASSUME_ABSENT_AFTER_MS;
	});
}

/** How many purchases, and how many that were told to end, this process remembers. */
const MAX_PURCHASES = 10_000;
/** By account, product and ID, the purchase of this process that has made a deployment, in whatever execution. */
const purchases = new Map<string, string>();
/** As {@link purchases}, when the service took a request of this process to destroy a deployment, by {@link elapsed}. */
const endings = new Map<string, number>();

/** Notes what a purchase has made, and under which names. */
export function noteBought(
	context: ProductContext,
	deploymentId: string,
	{ names, purchaseId }: Required<Pick<OwnDeployment, 'names' | 'purchaseId'>>,
): void {
	note(context, deploymentId, { deploymentId, names, purchaseId });
	remember(purchases, processKey(context, deploymentId), purchaseId);
}

function remember<T>(all: Map<string, T>, key: string, value: T): void {
	all.set(key, value);
	const [oldest] = all.keys();
	if (all.size > MAX_PURCHASES) all.delete(oldest!);
}

/** Whether another purchase, of this execution or of this process, has made a deployment. */
export function isOfAnother(
	context: ProductContext,
	deploymentId: string,
	purchaseId: unknown,
): boolean {
	const own =
		purchases.get(processKey(context, deploymentId)) ??
		ownDeployment(context, deploymentId)?.purchaseId;
	return own !== undefined && own !== purchaseId;
}

function processKey(context: ProductContext, deploymentId: string): string {
	return JSON.stringify([ownerKey(context), idKey(deploymentId)]);
}

export function noteAccepted(context: ProductContext, deploymentId: string): void {
	note(context, deploymentId, { isAccepted: true });
	remember(endings, processKey(context, deploymentId), elapsed());
}

/**
 * Whether the service has taken a request to destroy a deployment, of this execution, or of this process a quarter of an hour ago at
 * most: reads may be behind, and show it as if it ran on.
 */
export function wasToldToEnd(context: ProductContext, deploymentId: string): boolean {
	const toldAt = endings.get(processKey(context, deploymentId)) ?? -Infinity;
	return (
		ownDeployment(context, deploymentId)?.isAccepted === true ||
		elapsed() < toldAt + ASSUME_ABSENT_AFTER_MS
	);
}

export function noteDestroyed(context: ProductContext, deploymentId: string): void {
	note(context, deploymentId, { isDestroyed: true });
	forgetBought(context, deploymentId);
}
