import type { RetrievalWorld } from '../sandbox/worlds/retrievalWorld.mts';
import { retrievalLaws } from './laws/retrieval.mts';
import { outputsLaw } from './laws/outputs.mts';
import type { RetrievalRecord, RetrievalScenario } from './retrievalRecord.mts';
import { RetrievalScene } from './retrievalScene.mts';
import type { Kind, Stage } from './stage.mts';

async function playRetrieval(
	stage: Stage,
	world: RetrievalWorld,
	scenario: RetrievalScenario,
): Promise<RetrievalRecord> {
	const scene = await RetrievalScene.open(stage, world);
	try {
		await scenario.play(scene);
	} finally {
		await scene.close();
	}
	return scene.record;
}

/** The worlds of the retrieval engine. */
export const retrieval: Kind<RetrievalWorld, RetrievalScenario, RetrievalRecord> = {
	laws: [...retrievalLaws, outputsLaw],
	play: playRetrieval,
};
