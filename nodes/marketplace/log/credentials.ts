import type { CredentialChoices } from '../../shared/http/credentials';

/** Path prefix of all CaaS endpoints (compute-api.md "Endpoints"; beyond-the-spec.md section 2). */
export const CAAS = '/enterprise/v1/{service}-cloud/caas';

/**
 * Who may ask for a log: the specification wants the API key and an access token together (compute-api.md "Container log
 * stream"); services are known that take the key alone (beyond-the-spec.md section 2).
 */
export const LOG_CREDENTIALS: CredentialChoices = [
	['accessToken', 'computeMarketplaceApi', 'computeMarketplaceTokenApi'],
	['oAuth2', 'computeMarketplaceOAuth2Api', 'computeMarketplaceApi'],
	['apiKey', 'computeMarketplaceApi'],
];
