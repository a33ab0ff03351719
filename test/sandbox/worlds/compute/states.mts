import { DESTROYS, EVERY_OPERATION, without, type ComputeWorld } from '../computeWorld.mts';

/** Other words for the states of a deployment. */
export default [
	{
		name: 'states with capital letters',
		habits: {
			stateWords: {
				'deployment requested': 'Deployment Requested',
				running: 'Running',
				'termination requested': 'Termination Requested',
				destroyed: 'Destroyed',
			},
		},
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'states with underscores',
		habits: {
			stateWords: {
				'deployment requested': 'deployment_requested',
				'termination requested': 'termination_requested',
			},
		},
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'unknown states on the way',
		habits: {
			stateWords: { 'deployment requested': 'provisioning', 'termination requested': 'draining' },
		},
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'unknown states only',
		habits: {
			stateWords: {
				'deployment requested': 'queued',
				running: 'up',
				'termination requested': 'winding down',
				completed: 'archived',
				failed: 'archived',
				destroyed: 'archived',
			},
		},
		relaxed: ['destroy what is old', 'example: weekend-guard'].map((scenario) => ({
			law: 'what runs was told',
			scenario,
			why: 'The workflow asks for a status that this service has no word for',
		})),
		mustSucceed: without('deploy', 'use the existing', 'wait for', ...DESTROYS, 'find old ones'),
	},
] satisfies ComputeWorld[];
