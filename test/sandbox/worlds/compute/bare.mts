import type { ComputeOperation, ComputeWorld } from '../computeWorld.mts';

/** What needs neither a list nor details. */
const POSSIBLE: ComputeOperation[] = ['deploy anyway', 'extend', 'update', 'destroy'];

/** The contract names neither a list of deployments nor their details. */
export default ([404, 405] as const).map((status): ComputeWorld => ({
	name: `bare contract: ${status}`,
	habits: { withoutList: status, withoutDetails: status },
	mustSucceed: POSSIBLE,
}));
