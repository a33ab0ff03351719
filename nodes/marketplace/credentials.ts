import type { CredentialChoices } from '../shared/http/credentials';
import { MARKETPLACE } from './service';

/** Hardware, prices and deployments take the API key (compute-api.md "Authentication"). */
export const KEY_CREDENTIALS: CredentialChoices = {
	service: MARKETPLACE,
	choices: [['apiKey', 'computeMarketplaceApi']],
};

/** Device details take the OAuth 2.0 access token (compute-api.md "Authentication"). */
export const TOKEN_CREDENTIALS: CredentialChoices = {
	service: MARKETPLACE,
	choices: [
		['accessToken', 'computeMarketplaceTokenApi'],
		['oAuth2', 'computeMarketplaceOAuth2Api'],
	],
};

/** What reads deployments with the one and devices with the others. */
export const ANY_CREDENTIALS: CredentialChoices = {
	service: MARKETPLACE,
	choices: [...KEY_CREDENTIALS.choices, ...TOKEN_CREDENTIALS.choices],
};
