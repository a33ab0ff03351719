import type { RetrievalWorld } from '../sandbox/worlds/retrievalWorld.mts';
import { loadWorlds } from './loadWorlds.mts';
import { describeMixes } from './mix.mts';
import { retrieval } from './playRetrieval.mts';
import { documentScenarios } from './scenarios/retrievalDocuments.mts';
import { questionScenarios } from './scenarios/retrievalQuestions.mts';

describeMixes(
	retrieval,
	await loadWorlds<RetrievalWorld>('retrieval'),
	[...documentScenarios, ...questionScenarios],
	40,
	// What the engine gave an ID of its own is looked for in the list
	(mix) =>
		mix.habits?.pageLimit && mix.habits.ownIds
			? { ...mix, mustSucceed: mix.mustSucceed.filter((one) => one !== 'find a lost create') }
			: mix,
);
