import type { IDataObject } from 'n8n-workflow';
import { MARKETPLACE, RETRY, SSH, vmaas } from '../../engine/nodes.mts';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { DEPLOY, DESTROY } from '../../sandbox/worlds/computeWorld.mts';
import type { ComputeScenario } from '../computeRecord.mts';
import type { Step } from '../computeScene.mts';

const KEY = 'Nightly-Training';

function runJob(changes: IDataObject = {}, settings: Partial<NodeUnderTest> = {}): Step {
	const parameters = {
		jobKey: KEY,
		command: 'echo done',
		durationHours: 2,
		filters: {},
		gpusPerVm: 1,
		maxTries: 3,
		safety: { maxHourlyPrice: 3 },
		inputFields: '',
		resultFiles: '',
		options: {},
		...changes,
	};
	const credentials = { ...MARKETPLACE, ...SSH };
	return {
		operation: 'run job',
		node: vmaas('job', 'run', parameters, { ...settings, credentials }),
	};
}

const wish = (machines: number) => ({ name: `${KEY}-run-`, machines, maxHourlyPrice: 3 });

/** Whatever happens: after a Job > Run has ended, nothing of it runs, or its error or its hint names what does. */
export const jobs: readonly ComputeScenario[] = [
	{
		product: 'vmaas',
		name: 'run a job',
		tearsDown: true,
		async play(scene) {
			scene.wish(wish(1));
			await scene.run({ Run: runJob() });
		},
	},
	{
		product: 'vmaas',
		name: 'run a job that fails, retried',
		tearsDown: true,
		async play(scene) {
			scene.wish(wish(3));
			await scene.run({ Run: runJob({ command: 'exit 1' }, RETRY) }, { mayFail: ['Run'] });
		},
	},
	{
		product: 'vmaas',
		name: 'run a job, lost answers',
		tearsDown: true,
		faults: [
			{ match: DEPLOY, drop: 'after' },
			{ match: DESTROY, drop: 'before' },
		],
		async play(scene) {
			scene.wish(wish(2));
			await scene.run({ Run: runJob({}, RETRY) }, { mayFail: ['Run'] });
		},
	},
];
