import { EVERY_OPERATION, without, type ComputeWorld } from '../computeWorld.mts';

/** The service keeps another name than the one that was asked for. */
export default [
	{
		name: 'names lower-cased',
		habits: { lowersNames: true },
		mustSucceed: without('find a lost deploy', 'destroy many'),
	},
	{
		name: 'names cut at 20',
		habits: { longestName: 20 },
		mustSucceed: without('find a lost deploy'),
	},
	{
		name: 'names under resource_private_name',
		habits: { nameField: 'resource_private_name' },
		mustSucceed: EVERY_OPERATION,
	},
] satisfies ComputeWorld[];
