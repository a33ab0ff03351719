import { OWN_KEY } from '../engine/sshKey.mts';
import type { Sandbox } from '../sandbox/index.mts';

/** What the credentials of the examples are called, by type */
export const NAMES: Record<string, string> = {
	computeMarketplaceApi: 'Compute Marketplace',
	computeMarketplaceTokenApi: 'Compute Marketplace Token',
	computeMarketplaceOAuth2Api: 'Compute Marketplace OAuth2',
	computeIntelligenceApi: 'Compute Intelligence',
	computeIntelligenceOAuth2Api: 'Compute Intelligence OAuth2',
	computeSshApi: 'Compute SSH',
};

/** What a person would enter for the sandbox, for each credential type */
export function secretsFor({
	url,
	intelligenceUrl,
	keys,
}: Sandbox): Record<string, Record<string, string>> {
	const oAuth2 = {
		grantType: 'clientCredentials',
		accessTokenUrl: `${url}/oauth2/token`,
		clientId: 'client',
		clientSecret: 'secret',
	};
	return {
		computeMarketplaceApi: { baseUrl: url, service: 'svc', apiKey: keys.apiKey },
		computeMarketplaceTokenApi: { baseUrl: url, service: 'svc', accessToken: keys.accessToken },
		computeMarketplaceOAuth2Api: { ...oAuth2, baseUrl: url, service: 'svc' },
		computeIntelligenceApi: {
			baseUrl: intelligenceUrl,
			ragSegment: 'rag',
			apiKey: keys.intelligenceKey,
			header: 'bearer',
		},
		computeSshApi: { privateKey: OWN_KEY.privateKey, passphrase: '', username: '' },
		computeIntelligenceOAuth2Api: {
			...oAuth2,
			accessTokenUrl: `${intelligenceUrl}/oauth2/token`,
			baseUrl: intelligenceUrl,
			ragSegment: 'rag',
		},
	};
}
