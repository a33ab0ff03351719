import type { Deployment } from '../../sandbox/index.mts';
import type { ComputeRecord } from '../computeRecord.mts';
import type { Law } from '../stage.mts';

export type ComputeLaw = Law<ComputeRecord>;

/** The name that was asked for. */
export const askedName = ({ order }: Deployment) => String(order.request.resource_private_name);

/** Whether a text names a deployment: by its ID, or by the name that it has or was to have. */
export function names(text: string, deployment: Deployment): boolean {
	return [deployment.id, deployment.resource_private_name, askedName(deployment)].some((word) =>
		text.includes(word),
	);
}

export const describe = ({ id, state, resource_private_name: name }: Deployment) =>
	`${name} (${id}, ${state})`;

/** Hours that nodes have added to a deployment. */
export function ownHours({ othersHours }: ComputeRecord, deployment: Deployment): number {
	const all = deployment.extensions.reduce((sum, hours) => sum + hours, 0);
	return all - (othersHours.get(deployment) ?? 0);
}
