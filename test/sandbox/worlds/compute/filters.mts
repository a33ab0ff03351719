import { EVERY_OPERATION, without, type ComputeWorld } from '../computeWorld.mts';

/** Where hardware is looked for. */
const FILTERED = [
	'deploy cheapest',
	'size left empty',
	'example: nightly-training',
	'example: nightly-training, nothing within the limit',
	'example: deploy-extend-destroy',
];

/** The query names of the hardware filters are not in the contract. */
export default [
	{
		name: 'filters ignored',
		habits: { filters: 'ignored' },
		scenarios: FILTERED,
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'filters have other query names: 422',
		habits: { filters: 'refused' },
		scenarios: FILTERED,
		mustSucceed: without('deploy cheapest'),
	},
] satisfies ComputeWorld[];
