import type { IntelligenceWorld } from '../sandbox/worlds/intelligenceWorld.mts';
import type { IntelligenceRecord, IntelligenceScenario } from './intelligenceRecord.mts';
import { IntelligenceScene } from './intelligenceScene.mts';
import { intelligenceLaws } from './laws/intelligence.mts';
import { outputsLaw } from './laws/outputs.mts';
import type { Kind, Stage } from './stage.mts';

async function playIntelligence(
	stage: Stage,
	world: IntelligenceWorld,
	scenario: IntelligenceScenario,
): Promise<IntelligenceRecord> {
	const scene = new IntelligenceScene(stage, world);
	await scenario.play(scene);
	return scene.record;
}

/** The worlds of chat, embeddings and agents. */
export const intelligence: Kind<IntelligenceWorld, IntelligenceScenario, IntelligenceRecord> = {
	laws: [...intelligenceLaws, outputsLaw],
	play: playIntelligence,
};
