import { EVERY_OPERATION, type ComputeWorld } from '../computeWorld.mts';

/** The service repeats secrets that it was sent. */
export default (['flat', 'data'] as const).map((deployAnswer): ComputeWorld => ({
	name: `secrets repeated, deploy answers ${deployAnswer}`,
	habits: { echoesSecrets: true, deployAnswer },
	scenarios: [
		'whole life',
		'deployed, reachable, updated, extended, destroyed by name',
		'dry run',
		'refused with its secrets',
		'what has secrets is read',
		'update of secrets alone, lost answer, retried',
		'lost answer, retried',
		'exists: use it',
	],
	mustSucceed: EVERY_OPERATION,
}));
