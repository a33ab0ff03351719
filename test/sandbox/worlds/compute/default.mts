import { EVERY_OPERATION, type ComputeWorld } from '../computeWorld.mts';

/** The documented service. */
export default {
	name: 'documented (default)',
	mustSucceed: EVERY_OPERATION,
} satisfies ComputeWorld;
