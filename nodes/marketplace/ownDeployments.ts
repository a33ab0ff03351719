import type { OperationContext } from '../shared/operation/context';
import { executionStore } from '../shared/operation/flow';
import { ASSUME_ABSENT_AFTER_MS } from '../shared/operation/sendOnce';
import { now } from '../shared/time';
import { forgetBought } from './turns';

/** What this execution has done to a deployment, whatever node did it: the service may not show it yet. */
export interface OwnDeployment {
	/** The names under which it was bought: the one that was asked for and the one that the service gave it. */
	names?: string[];
	/** The service has taken a request to destroy it. */
	isAccepted?: boolean;
	/** It was seen to have ended. */
	isDestroyed?: boolean;
}

/** A purchase that the service has confirmed without an ID, and that did not show. */
interface Confirmed {
	sentAt: number;
	/** The IDs that had the name already; undefined where they are not known. */
	knownIds?: string[];
}

function store({ functions }: OperationContext): Record<string, OwnDeployment> {
	return executionStore<OwnDeployment>(functions, 'deployments');
}

/** What this execution has done to the deployment with this ID; undefined where it has done nothing. */
export function ownDeployment(
	context: OperationContext,
	deploymentId: string,
): OwnDeployment | undefined {
	return store(context)[deploymentId];
}

/** The IDs of the deployments that this execution has bought under a name, without those that it has destroyed. */
export function boughtHere(context: OperationContext, name: string): string[] {
	return Object.entries(store(context)).flatMap(([id, { names, isDestroyed }]) =>
		names?.includes(name) && !isDestroyed ? [id] : [],
	);
}

/** The IDs of the deployments that this execution has bought under a name and destroyed. */
export function destroyedHere(context: OperationContext, name: string): string[] {
	return Object.entries(store(context)).flatMap(([id, { names, isDestroyed }]) =>
		names?.includes(name) && isDestroyed ? [id] : [],
	);
}

/** Notes the deployments of others because of whose name this execution has not deployed. */
export function noteTaken({ functions }: OperationContext, name: string, ids: string[]): void {
	executionStore<string[]>(functions, 'taken')[name] = ids;
}

/** The IDs that {@link noteTaken} has noted. */
export function takenBefore({ functions }: OperationContext, name: string): string[] {
	return executionStore<string[]>(functions, 'taken')[name] ?? [];
}

/** Notes that the service has confirmed a purchase under a name, which it shows nowhere. */
export function noteConfirmed(context: OperationContext, name: string, purchase: Confirmed): void {
	const { sentAt, knownIds } = purchase;
	const confirmed = executionStore<Confirmed[]>(context.functions, 'confirmed');
	confirmed[name] = [...(confirmed[name] ?? []), { sentAt, knownIds }];
}

/**
 * Whether this execution has a confirmed purchase under a name that still does not show.
 * @param listed the IDs that have the name now
 */
export function isConfirmedUnseen(
	context: OperationContext,
	name: string,
	listed: Array<string | undefined>,
): boolean {
	const confirmed = executionStore<Confirmed[]>(context.functions, 'confirmed')[name] ?? [];
	return confirmed.some(({ sentAt, knownIds }) => {
		const isShown = listed.some(
			(id) =>
				id !== undefined &&
				knownIds?.includes(id) === false &&
				!store(context)[id]?.names?.includes(name),
		);
		return !isShown && now() < sentAt + ASSUME_ABSENT_AFTER_MS;
	});
}

export function noteBought(context: OperationContext, deploymentId: string, names: string[]): void {
	const stored = store(context);
	stored[deploymentId] = { ...stored[deploymentId], names };
}

export function noteAccepted(context: OperationContext, deploymentId: string): void {
	const stored = store(context);
	stored[deploymentId] = { ...stored[deploymentId], isAccepted: true };
}

export function noteDestroyed(context: OperationContext, deploymentId: string): void {
	const stored = store(context);
	stored[deploymentId] = { ...stored[deploymentId], isDestroyed: true };
	forgetBought(deploymentId);
}
