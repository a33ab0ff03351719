import { EVERY_OPERATION, type ComputeWorld } from '../computeWorld.mts';

/** The service keeps another name than the one that was asked for. */
export default [
	{
		name: 'names lower-cased',
		habits: { lowersNames: true },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'names cut at 20',
		habits: { longestName: 20 },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'names under resource_private_name',
		habits: { nameField: 'resource_private_name' },
		mustSucceed: EVERY_OPERATION,
	},
] satisfies ComputeWorld[];
