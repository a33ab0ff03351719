import type { INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import type { CredentialChoices, SecondCredential } from '../../shared/http/credentials';
import { MARKETPLACE } from '../service';

/** It decides the host wherever it is one of two. */
const API_KEY: SecondCredential = {
	credentialType: 'computeMarketplaceApi',
	field: 'apiKey',
	label: 'API Key',
	headers: (key) => ({ 'x-api-key': key }),
	decidesHost: true,
};
const ACCESS_TOKEN: SecondCredential = {
	credentialType: 'computeMarketplaceTokenApi',
	field: 'accessToken',
	label: 'Access Token',
	headers: (token) => ({ Authorization: `Bearer ${token}` }),
};

/**
 * What a node that reads logs authenticates with: the specification wants the API key and an access token together (compute-api.md
 * "Container log stream"); some services accept the key alone (beyond-the-spec.md section 2).
 */
export const LOG_CREDENTIALS: CredentialChoices = {
	service: MARKETPLACE,
	choices: [
		['accessToken', 'computeMarketplaceApi', ACCESS_TOKEN],
		['oAuth2', 'computeMarketplaceOAuth2Api', API_KEY],
		['apiKey', 'computeMarketplaceApi'],
	],
};

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
