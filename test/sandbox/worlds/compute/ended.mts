import { EVERY_OPERATION, residents, without, type ComputeWorld } from '../computeWorld.mts';

/** What a service says of a deployment that has ended. */
export default [
	...([409, 410] as const).map((endedStatus): ComputeWorld => ({
		name: `DELETE of an ended one: ${endedStatus}`,
		habits: { endedStatus },
		mustSucceed: EVERY_OPERATION,
	})),
	...[0, 60].map((others): ComputeWorld => ({
		name: `what has ended no longer shows, ${others} others`,
		habits: { hidesEnded: true, forgetsEnded: true },
		residents: residents(others),
		// An ID that the execution has never seen may be wrong
		mustSucceed: without('destroy what has ended', 'get'),
	})),
] satisfies ComputeWorld[];
