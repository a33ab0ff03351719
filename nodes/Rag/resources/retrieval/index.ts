import type { Resource } from '../../../shared/operation/operation';
import { agent } from './agent';
import { ask } from './ask';
import { rag } from './rag';
import { generate } from './generate';
import { search } from './search';

/** Retrieval (intelligence-api.md "Retrieval search" and "RAG generate", beyond-the-spec.md section 6). */
export const retrieval: Resource = {
	value: 'retrieval',
	name: 'Retrieval',
	operations: [search, ask, generate, rag, agent],
};
