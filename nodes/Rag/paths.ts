/** Path prefix of all retrieval endpoints (intelligence-api.md "Versioning"); the segment is a setting of the credential. */
export const RAG = '/api/{rag}/v3';

/** Time for an answer: the model writes it word by word. */
export const GENERATION_DEADLINE_MS = 300_000;
