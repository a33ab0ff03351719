import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import type { ComputeRecord, ComputeScenario } from './computeRecord.mts';
import { ComputeScene } from './computeScene.mts';
import { computeLaws } from './laws/compute.mts';
import { outputsLaw } from './laws/outputs.mts';
import type { Kind, Stage } from './stage.mts';

async function playCompute(
	stage: Stage,
	world: ComputeWorld,
	scenario: ComputeScenario,
): Promise<ComputeRecord> {
	const scene = new ComputeScene(stage, world, scenario);
	await scenario.play(scene);
	return await scene.close();
}

/** The worlds of VMaaS and CaaS. */
export const compute: Kind<ComputeWorld, ComputeScenario, ComputeRecord> = {
	laws: [...computeLaws, outputsLaw],
	play: playCompute,
};
