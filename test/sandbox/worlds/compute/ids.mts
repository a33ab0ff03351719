import { DEPLOYS, EVERY_OPERATION, without, type ComputeWorld } from '../computeWorld.mts';

/** Where the id of a deployment stands in the answers. */
/** What has to do with both products, or is done often. */
const BOTH = [
	'VM and containers, whole lives',
	'VM and containers, those of vmaas destroyed by name',
	'VM and containers, those of caas destroyed by name',
	'destroy by name what the other product has',
	'containers of a name that a VM has: error',
	'containers of a name that a VM has: useExisting',
	'containers not made, a VM of the name is',
	'a VM whose answer is lost, containers of the name',
	'whole life',
	'destroy',
];

export default [
	{
		name: 'VMs and containers have the same IDs',
		habits: { idsPerProduct: true },
		scenarios: BOTH,
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'id in data',
		habits: { deployAnswer: 'data' },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'request id beside the id',
		habits: { deployAnswer: 'request' },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'ids under uuid',
		habits: { idKey: 'uuid' },
		mustSucceed: without(
			...DEPLOYS,
			'destroy by name',
			'destroy many',
			'find old ones',
			'get many',
		),
	},
] satisfies ComputeWorld[];
