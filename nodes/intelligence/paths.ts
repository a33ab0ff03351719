/** Path prefix of models, chat, embeddings and agents (intelligence-api.md "Versioning"). */
export const API = '/api/v1';

/** Milliseconds for a whole response: a reasoning model may take minutes to its first word. */
export const GENERATION_DEADLINE_MS = 600_000;

/** Milliseconds without data after which a stream is given up: reasoning models may be silent for minutes. */
export const IDLE_MS = 300_000;
