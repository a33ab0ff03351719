import type { CredentialChoices } from '../shared/http/credentials';

/** Every request carries the key (intelligence-api.md "Authentication"); OAuth 2.0 is declared for the service as well. */
export const INTELLIGENCE_CREDENTIALS: CredentialChoices = [
	['apiKey', 'computeIntelligenceApi'],
	['oAuth2', 'computeIntelligenceOAuth2Api'],
];
