import { EVERY_OPERATION, type ComputeWorld } from '../computeWorld.mts';

export default {
	name: 'numbers as text',
	habits: { numbersAsText: true },
	mustSucceed: EVERY_OPERATION,
} satisfies ComputeWorld;
