import { MARKETPLACE } from '../marketplace/service';
import type { CredentialChoices } from '../shared/http/credentials';

/** Hardware, prices and deployments take the API key (compute-api.md "Authentication"). */
export const KEY_CREDENTIALS: CredentialChoices = {
	service: MARKETPLACE,
	choices: [['apiKey', 'computeMarketplaceApi']],
};
