import type { OperationContext } from '../shared/operation/context';
import { executionStore } from '../shared/operation/flow';
import { forgetBought } from './turns';

/** What this execution has done to a deployment, whatever node did it: the service may not show it yet. */
export interface OwnDeployment {
	/** The names under which it was bought: the one that was asked for and the one that the service gave it. */
	names?: string[];
	isDestroyed?: boolean;
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

export function noteBought(context: OperationContext, deploymentId: string, names: string[]): void {
	const stored = store(context);
	stored[deploymentId] = { ...stored[deploymentId], names };
}

export function noteDestroyed(context: OperationContext, deploymentId: string): void {
	const stored = store(context);
	stored[deploymentId] = { ...stored[deploymentId], isDestroyed: true };
	forgetBought(deploymentId);
}
