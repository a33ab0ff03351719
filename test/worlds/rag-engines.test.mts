import type { RetrievalWorld } from '../sandbox/worlds/retrievalWorld.mts';
import { findAiNodeSdk, hasAiNodeSdk } from '../engine/supply.mts';
import { describeWorlds } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';
import { retrieval } from './playRetrieval.mts';
import { documentScenarios } from './scenarios/retrievalDocuments.mts';
import { memoryScenarios } from './scenarios/retrievalMemory.mts';
import { questionScenarios } from './scenarios/retrievalQuestions.mts';

// The memory needs the SDK for AI nodes, which is that of the real n8n of the end-to-end tests
if (hasAiNodeSdk) findAiNodeSdk();

describeWorlds(
	retrieval,
	await loadWorlds<RetrievalWorld>('retrieval'),
	...documentScenarios,
	...questionScenarios,
	...(hasAiNodeSdk ? memoryScenarios : []),
);
