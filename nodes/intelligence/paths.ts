/** Path prefix of models, chat, embeddings and agents (intelligence-api.md "Versioning"). */
export const API = '/api/v1';

/** A model that thinks may take minutes before it says its first word. */
export const GENERATION_DEADLINE_MS = 600_000;
