import { errorForms, type Fault } from '../../faults.mts';
import {
	DEPLOY,
	DEPLOYS,
	DESTROY,
	EVERY_OPERATION,
	EXTEND,
	EXTENDS,
	UPDATE,
	UPDATES,
	without,
	type ComputeWorld,
} from '../computeWorld.mts';

const ANSWERS: Array<[name: string, fault: Fault]> = [
	['200 empty', { emptyBody: true }],
	['202 empty', { afterWork: true, keepsRefusals: true, ...errorForms.empty(202) }],
	[
		'303',
		{
			afterWork: true,
			keepsRefusals: true,
			...errorForms.empty(303),
			headers: { location: '/enterprise/v1/jobs/1' },
		},
	],
	['connection cut', { drop: 'after' }],
	['504', { afterWork: true, ...errorForms.html(504, 'Gateway Timeout') }],
];

/** Every write is done, and its answer does not say so, or is lost. */
const every = ANSWERS.map(([name, fault]): ComputeWorld => ({
	name: `done, answered with ${name}`,
	faults: [DEPLOY, EXTEND, UPDATE, DESTROY].map((match) => ({ match, times: Infinity, ...fault })),
	mustSucceed: EVERY_OPERATION,
}));

export default [
	...every,
	{
		name: 'done, connection cut, list and details behind',
		habits: { listLagMs: 20_000, detailsLagMs: 20_000 },
		faults: [DEPLOY, EXTEND, UPDATE].map((match) => ({
			match,
			times: Infinity,
			drop: 'after' as const,
		})),
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'done, 200 empty, list and details behind',
		habits: { listLagMs: 20_000, detailsLagMs: 20_000, deployAnswer: 'empty' },
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'not done, connection cut',
		faults: [DEPLOY, EXTEND, UPDATE].map((match) => ({
			match,
			times: 1,
			drop: 'before' as const,
		})),
		mustSucceed: without(...DEPLOYS, ...EXTENDS, ...UPDATES),
	},
] satisfies ComputeWorld[];
