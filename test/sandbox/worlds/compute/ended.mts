import { EVERY_OPERATION, type ComputeWorld } from '../computeWorld.mts';

/** What a DELETE of an ended deployment answers. */
export default ([409, 410] as const).map((endedStatus): ComputeWorld => ({
	name: `DELETE of an ended one: ${endedStatus}`,
	habits: { endedStatus },
	mustSucceed: EVERY_OPERATION,
}));
