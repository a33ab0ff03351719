import { EVERY_RETRIEVAL, type RetrievalWorld } from '../retrievalWorld.mts';

/** R2R 3.6 as its source has it, for a superuser. */
export default { name: 'R2R 3.6', mustSucceed: EVERY_RETRIEVAL } satisfies RetrievalWorld;
