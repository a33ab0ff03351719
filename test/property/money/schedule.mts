import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { deployParameters, locator } from '../../engine/nodes.mts';
import { FAULTS, type FaultName } from './faults.mts';

export type Operation = 'deploy' | 'deployCheapest' | 'extend' | 'destroy';

/** What a user wants, and everything that goes wrong meanwhile. */
export interface Schedule {
	operation: Operation;
	/** Input items, each an intent of its own. */
	items: number;
	/** All items are about the same name or deployment. */
	sharesTarget: boolean;
	ifNameExists: 'error' | 'useExisting' | 'deploy';
	uniqueName: boolean;
	/** The maximum hourly price; some offers are above it. */
	maxHourlyPrice?: number;
	verify: boolean;
	onError: 'stopWorkflow' | 'continueRegularOutput';
	maxTries: number;
	/** Executes the workflow again afterwards, as a schedule or a person does. */
	runsAgain: boolean;
	/** One for each request, in order; after the last, nothing goes wrong any more. */
	faults: FaultName[];
}

const faultName = fc.oneof(
	{ weight: 2, arbitrary: fc.constant<FaultName>('none') },
	{ weight: 3, arbitrary: fc.constantFrom(...(Object.keys(FAULTS) as FaultName[])) },
);

/** Schedules of one operation. */
export const schedules = (operation: Operation): fc.Arbitrary<Schedule> =>
	fc.record({
		operation: fc.constant(operation),
		items: fc.integer({ min: 1, max: 2 }),
		sharesTarget: fc.boolean(),
		ifNameExists: fc.constantFrom('error' as const, 'useExisting' as const, 'deploy' as const),
		uniqueName: fc.boolean(),
		maxHourlyPrice: fc.option(fc.constantFrom(0.1, 0.34, 0.5, 5), { nil: undefined }),
		verify: fc.boolean(),
		onError: fc.constantFrom('stopWorkflow' as const, 'continueRegularOutput' as const),
		maxTries: fc.integer({ min: 2, max: 3 }),
		runsAgain: fc.boolean(),
		faults: fc.array(faultName, { maxLength: 14 }),
	});

/** The parameters of the node for a schedule; items differ by `$json.id`, the deployment that they work on or a part of the name. */
export function parametersOf({
	operation,
	ifNameExists,
	uniqueName,
	maxHourlyPrice,
	verify,
}: Schedule): IDataObject {
	const limit = maxHourlyPrice === undefined ? {} : { maxHourlyPrice };
	const deploymentId = locator('={{ $json.id }}');
	if (operation === 'destroy') return { deploymentId, options: { verify } };
	if (operation === 'extend') return { deploymentId, durationHours: 2, safety: limit };
	const common = deployParameters({
		resourcePrivateName: '=job-{{ $json.id }}',
		safety: { ...limit, ifNameExists, uniqueName },
	});
	if (operation === 'deploy') return common;
	const { resourcePrivateName, durationHours, sshKeys, safety, additionalFields } = common;
	return {
		resourcePrivateName,
		durationHours,
		sshKeys,
		safety,
		additionalFields,
		filters: { gpuMemoryMin: 24 },
		gpusPerVm: 1,
		maxTries: 3,
	};
}
