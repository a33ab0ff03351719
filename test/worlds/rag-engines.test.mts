import type { RetrievalWorld } from '../sandbox/worlds/retrievalWorld.mts';
import { describeWorlds, loadWorlds } from './describeWorlds.mts';
import { retrieval } from './playRetrieval.mts';
import { retrievalScenarios } from './scenarios/retrieval.mts';

describeWorlds(retrieval, await loadWorlds<RetrievalWorld>('retrieval'), ...retrievalScenarios);
