import { EVERY_OPERATION, type ComputeWorld } from '../computeWorld.mts';

export default [
	{
		name: 'replaced VMs and containers stay in the list',
		habits: { listsOldWorkers: true },
		scenarios: ['whole life', 'example: nightly-training', 'example: deploy-extend-destroy'],
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'what has ended can be extended',
		habits: { extendsEnded: true },
		scenarios: ['two days later', 'whole life', 'extend, lost answer, retried'],
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'fees that the list does not show',
		habits: { surcharges: { '20__eu-west-1': 2 } },
		scenarios: ['deploy cheapest', 'example: nightly-training'],
		mustSucceed: EVERY_OPERATION,
	},
] satisfies ComputeWorld[];
