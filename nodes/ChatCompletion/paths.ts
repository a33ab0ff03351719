/** Path prefix of models, chat, embeddings and agents (intelligence-api.md "Versioning"). */
export const API = '/api/v1';

/** Every request carries the key (intelligence-api.md "Authentication"); OAuth 2.0 is declared for the service as well. */
export const CREDENTIALS = [
	['apiKey', 'computeIntelligenceApi'],
	['oAuth2', 'computeIntelligenceOAuth2Api'],
] as const;

/** A model that thinks may take minutes before it says its first word. */
export const GENERATION_DEADLINE_MS = 600_000;
