import type { RetrievalWorld } from '../sandbox/worlds/retrievalWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { retrieval } from './playRetrieval.mts';
import { documentScenarios } from './scenarios/retrievalDocuments.mts';
import { questionScenarios } from './scenarios/retrievalQuestions.mts';

describeWorlds(
	retrieval,
	await loadWorlds<RetrievalWorld>('retrieval'),
	...documentScenarios,
	...questionScenarios,
);
