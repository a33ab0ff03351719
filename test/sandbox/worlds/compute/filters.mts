import { EVERY_OPERATION, without, type ComputeWorld } from '../computeWorld.mts';

/** The query names of the hardware filters are not in the contract. */
export default [
	{
		name: 'filters ignored',
		habits: { filters: 'ignored' },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'filters have other query names: 422',
		habits: { filters: 'refused' },
		mustSucceed: without('deploy cheapest'),
	},
] satisfies ComputeWorld[];
