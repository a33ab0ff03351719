import type { ComputeHabits } from '../../index.mts';
import { EVERY_OPERATION, type ComputeWorld } from '../computeWorld.mts';

const LAG_MS = 60_000;
const REPLICAS: Array<[name: string, habits: Partial<ComputeHabits>]> = [
	['list', { listLagMs: LAG_MS }],
	['details', { detailsLagMs: LAG_MS }],
	['list and details', { listLagMs: LAG_MS, detailsLagMs: LAG_MS }],
	['list, details and DELETE', { listLagMs: LAG_MS, detailsLagMs: LAG_MS, writeLagMs: LAG_MS }],
];

/** Answers come from a replica that is a minute behind the purchases, or longer than any node looks. */
export default [
	...REPLICAS.map(([name, habits]): ComputeWorld => ({
		name: `${name} behind by 60 s`,
		habits,
		mustSucceed: EVERY_OPERATION,
	})),
	{
		name: 'list and details behind by 5 min',
		habits: { listLagMs: 300_000, detailsLagMs: 300_000 },
		scenarios: [
			'lost answer, retried',
			'lost answer, then a fallback node',
			'two items, one name',
			'two equal calls of an agent, the first is lost',
			'three calls of an agent',
		],
		mustSucceed: [],
	},
] satisfies ComputeWorld[];
