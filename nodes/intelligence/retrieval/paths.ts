/** Path prefix of all retrieval endpoints (intelligence-api.md "Versioning"); the segment is a setting of the credential. */
export const RAG = '/api/{rag}/v3';

/** Deadline of a generated answer: a model writes it token by token. */
export const GENERATION_DEADLINE_MS = 300_000;
