import type { R2rHabits } from './retrieval/r2r/store.mts';
import type { World } from './world.mts';

/** What a person wants done. Each world lists what must succeed in it: there, any refusal fails. */
export const EVERY_RETRIEVAL = [
	'create',
	'create among namesakes',
	'create with a title',
	'create in a collection',
	'create with small chunks',
	'find a lost create',
	'skip',
	'replace',
	'replace if changed',
	'search',
	'search by hundreds',
	'retrieve for a chain',
	'delete by a filter',
	'ask for a streamed answer',
	'read a conversation',
	'remember a turn',
	'list documents',
	'list prompts',
	'get an index',
] as const;

export type RetrievalOperation = (typeof EVERY_RETRIEVAL)[number];

/** How a retrieval engine behaves where versions and deployments of it differ (beyond-the-spec.md sections 6 and 9). */
export interface RetrievalWorld extends World {
	habits?: Partial<R2rHabits>;
	/** What an error of this world says, in its message or description. */
	says?: RegExp;
	mustSucceed: readonly RetrievalOperation[];
}

/** All operations but these. */
export function withoutRetrieval(...operations: RetrievalOperation[]): RetrievalOperation[] {
	return EVERY_RETRIEVAL.filter((operation) => !operations.includes(operation));
}
