import { DEPLOYS, EVERY_OPERATION, without, type ComputeWorld } from '../computeWorld.mts';

/** Where the id of a deployment stands in the answers. */
export default [
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
