import { EVERY_OPERATION, without, type ComputeWorld } from '../computeWorld.mts';

/** The service keeps another name than the one that was asked for. Whose a deployment of a similar name is cannot be told: it is not passed on. */
export default [
	{
		name: 'names lower-cased',
		habits: { lowersNames: true },
		mustSucceed: without('find a lost deploy', 'destroy many', 'use the existing'),
	},
	{
		name: 'names cut at 20',
		habits: { longestName: 20 },
		mustSucceed: without('find a lost deploy', 'use the existing'),
	},
	{
		name: 'names under resource_private_name',
		habits: { nameField: 'resource_private_name' },
		mustSucceed: EVERY_OPERATION,
	},
] satisfies ComputeWorld[];
