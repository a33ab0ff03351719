import type { INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import type { CredentialChoices } from '../../shared/http/credentials';

/**
 * What a node that reads logs authenticates with: the specification wants the API key and an access token together (compute-api.md
 * "Container log stream"); some services accept the key alone (beyond-the-spec.md section 2).
 */
export const LOG_CREDENTIALS: CredentialChoices = [
	['accessToken', 'computeMarketplaceApi', 'computeMarketplaceTokenApi'],
	['oAuth2', 'computeMarketplaceOAuth2Api', 'computeMarketplaceApi'],
	['apiKey', 'computeMarketplaceApi'],
];

/**
 * The same for the node's description. With `hide` instead of `show`, n8n's editor keeps Authentication among the
 * parameters: with `show` it treats the credentials as alternatives, and the second one cannot be selected.
 */
export const logCredentialDescriptions: INodeCredentialDescription[] = [
	{ name: 'computeMarketplaceApi', displayName: 'API Key', required: true },
	{
		name: 'computeMarketplaceTokenApi',
		displayName: 'Access Token',
		required: true,
		displayOptions: { hide: { authentication: ['apiKey', 'oAuth2'] } },
	},
	{
		name: 'computeMarketplaceOAuth2Api',
		displayName: 'OAuth2',
		required: true,
		displayOptions: { hide: { authentication: ['apiKey', 'accessToken'] } },
	},
];

/** The parameter that chooses one of {@link LOG_CREDENTIALS}. */
export function logAuthenticationField(defaultValue: 'accessToken' | 'apiKey'): INodeProperties {
	return {
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		options: [
			{ name: 'API Key', value: 'apiKey', description: 'Send only the API key' },
			{
				name: 'API Key and Access Token',
				value: 'accessToken',
				description: 'Send both, as the service documents it for logs',
			},
			{
				name: 'API Key and OAuth2',
				value: 'oAuth2',
				description: 'Send both. The token is refreshed automatically.',
			},
		],
		default: defaultValue,
	};
}
