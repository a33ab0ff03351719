import { MARKETPLACE } from '../marketplace/service';
import type { CredentialChoices } from '../shared/http/credentials';

/** Device details take the OAuth 2.0 access token (compute-api.md "Authentication"). */
export const TOKEN_CREDENTIALS: CredentialChoices = {
	service: MARKETPLACE,
	choices: [
		['accessToken', 'computeMarketplaceTokenApi'],
		['oAuth2', 'computeMarketplaceOAuth2Api'],
	],
};
