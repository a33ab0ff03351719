import type { ComputeHabits, HardwareOffer, Resident } from '../index.mts';
import type { Fault } from '../faults.mts';
import type { World } from './world.mts';

/** What a person wants done. Each world lists what must succeed in it: there, any refusal fails. */
export type ComputeOperation =
	| 'deploy'
	/** With GPUs per VM left empty. */
	| 'deploy without a size'
	/** With Deploy Anyway or Unique Name: no look at what there is already. */
	| 'deploy anyway'
	| 'deploy within a limit'
	| 'use the existing'
	/** After a lost answer. */
	| 'find a lost deploy'
	| 'find a lost extension'
	| 'find a lost update'
	| 'deploy cheapest'
	/** With its deployment destroyed at the end. */
	| 'run job'
	| 'wait for'
	| 'extend'
	| 'extend within a limit'
	/** CaaS. */
	| 'update'
	| 'destroy'
	| 'destroy by name'
	| 'destroy what has ended'
	| 'destroy many'
	| 'find old ones'
	| 'get many'
	| 'get';

/** In almost every world. */
export const EVERY_OPERATION: readonly ComputeOperation[] = [
	'deploy',
	'deploy without a size',
	'deploy anyway',
	'deploy within a limit',
	'use the existing',
	'find a lost deploy',
	'find a lost extension',
	'find a lost update',
	'deploy cheapest',
	'run job',
	'wait for',
	'extend',
	'extend within a limit',
	'update',
	'destroy',
	'destroy by name',
	'destroy what has ended',
	'destroy many',
	'find old ones',
	'get many',
	'get',
];

/** What buys a deployment. */
export const DEPLOYS = [
	'deploy',
	'deploy without a size',
	'deploy anyway',
	'deploy within a limit',
	'deploy cheapest',
	'run job',
	'use the existing',
	'find a lost deploy',
] as const;
export const EXTENDS = ['extend', 'extend within a limit', 'find a lost extension'] as const;
export const UPDATES = ['update', 'find a lost update'] as const;
export const DESTROYS = [
	'destroy',
	'destroy by name',
	'destroy what has ended',
	'destroy many',
] as const;

/** How the compute service behaves where the contract leaves it open (beyond-the-spec.md sections 1 and 2). */
export interface ComputeWorld extends World {
	habits?: Partial<ComputeHabits>;
	/** What goes wrong with requests, besides what a scenario does itself. */
	faults?: readonly Fault[];
	/** Further rows of the hardware list, like the first row of this hardware. */
	offers?: ReadonlyArray<Partial<HardwareOffer> & Pick<HardwareOffer, 'id' | 'deploy_id'>>;
	/** Whether they stand before all others. */
	offersFirst?: boolean;
	/** Deployments of the account that the scenarios know nothing of; they are of the scenario's product. */
	residents?: readonly Resident[];
	/** Somebody else deploys the same name at the same time: when the first deploy arrives. */
	rival?: Omit<Resident, 'name' | 'kind'>;
	mustSucceed: readonly ComputeOperation[];
}

/** All operations but these. */
export function without(...operations: ComputeOperation[]): ComputeOperation[] {
	return EVERY_OPERATION.filter((operation) => !operations.includes(operation));
}

/** Deployments of others, of all ages; every second one has ended. */
export function residents(count: number): Resident[] {
	return Array.from({ length: count }, (_, index) => ({
		name: `other-${index}`,
		hours: index % 2 === 0 ? 2_000 : 4,
		hoursAgo: count - index + 5,
		mayLeave: true,
	}));
}

/** The scenario that a schedule of `npm run test:money` is, for laws that are relaxed there. */
export const SCHEDULE = 'schedule';

export const DEPLOY = { method: 'POST', path: /\/deploy$/ };
export const EXTEND = { method: 'POST', path: /\/extend$/ };
export const DESTROY = { method: 'DELETE', path: /\/deployment\/[^/]+$/ };
export const UPDATE = { method: 'PATCH', path: /\/deployment\/[^/]+$/ };
