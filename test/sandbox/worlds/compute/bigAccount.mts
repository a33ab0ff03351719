import { EVERY_OPERATION, residents, type ComputeWorld } from '../computeWorld.mts';

/** Reading everything takes long; a few scenarios show it. */
const scenarios = ['whole life', 'lost answer, retried', 'nightly'];

export default [
	{
		name: 'account of 5,000',
		residents: residents(5_000),
		scenarios: [...scenarios, 'get many'],
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'account of 5,000, pages of 20',
		habits: { largestPage: 20 },
		residents: residents(5_000),
		scenarios,
		mustSucceed: EVERY_OPERATION,
	},
] satisfies ComputeWorld[];
