import type { ComputeHabits } from '../../index.mts';
import { EVERY_OPERATION, SCHEDULE, type ComputeWorld } from '../computeWorld.mts';

const LAG_MS = 60_000;
const REPLICAS: Array<[name: string, habits: Partial<ComputeHabits>]> = [
	['list', { listLagMs: LAG_MS }],
	['details', { detailsLagMs: LAG_MS }],
	['list and details', { listLagMs: LAG_MS, detailsLagMs: LAG_MS }],
	['list, details and DELETE', { listLagMs: LAG_MS, detailsLagMs: LAG_MS, writeLagMs: LAG_MS }],
];

/** What looks at one that runs, and then goes on with it. */
const EMPTY_COPY_SCENARIOS = [
	'whole life',
	'extend while it starts, not made, retried',
	'nightly, torn down',
	'two nodes, one name, waited for in between',
	'destroy',
	'destroy by name',
	'destroy many by prefix',
	'destroy many above the limit',
	'tonight by name, last night has ended',
	'wait for the end of what runs',
	'example: nightly-training',
];

/** Answers come from a replica that is a minute behind the purchases, or longer than any node looks, or for a while from one that has none. */
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
	...([404, 200] as const).map((emptyCopyStatus): ComputeWorld => ({
		name: `fails over to an empty copy for 20 s, DELETE: ${emptyCopyStatus}`,
		habits: { emptyCopyMs: 20_000, emptyCopyStatus },
		scenarios: EMPTY_COPY_SCENARIOS,
		relaxed: [
			{
				law: 'no wish is bought twice',
				scenario: SCHEDULE,
				why: 'An execution whose first look meets the empty copy cannot know of a purchase before it',
			},
		],
		mustSucceed: EVERY_OPERATION,
	})),
	{
		name: 'list and details behind by 150 s, an empty answer to a deploy',
		habits: { listLagMs: 150_000, detailsLagMs: 150_000, deployAnswer: 'empty' },
		scenarios: [
			'two nodes, one name',
			'two items, one name',
			'deployed, destroyed by name, last night has ended',
		],
		mustSucceed: ['deploy'],
	},
] satisfies ComputeWorld[];
