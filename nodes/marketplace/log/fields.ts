import type { INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import { locatorField } from '../../shared/fields';
import { deploymentIdField as vmaasDeploymentIdField } from '../fields';

/**
 * The credentials of a node that reads logs, each shown where it is used. With `hide` instead of `show` n8n's editor leaves
 * Authentication among the fields: with `show` it takes the credentials for alternatives, and the second cannot be reached.
 */
export const logCredentials: INodeCredentialDescription[] = [
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

export function logAuthenticationField(standard: 'accessToken' | 'apiKey'): INodeProperties {
	return {
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		options: [
			{ name: 'API Key', value: 'apiKey', description: 'Send the API key alone' },
			{
				name: 'API Key and Access Token',
				value: 'accessToken',
				description: 'Send both, as the service describes it for logs',
			},
			{
				name: 'API Key and OAuth2',
				value: 'oAuth2',
				description: 'Send both; the token is renewed by itself',
			},
		],
		default: standard,
	};
}

export const deploymentIdField: INodeProperties = {
	...vmaasDeploymentIdField,
	description: 'The container deployment to use',
};

export const containerIdField = locatorField({
	displayName: 'Container',
	name: 'containerId',
	description: 'The container of the deployment to use',
	placeholder: 'Select a container...',
	searchListMethod: 'searchContainers',
	idPlaceholder: 'e.g. 9d2f7c1a-66b1-4a5e-8f0a-1c3b5d7e9f02',
	dependsOn: ['deploymentId.value'],
});

/** Which lines of a log are wanted. */
export const patternFields: INodeProperties[] = [
	{
		displayName: 'Exclude',
		name: 'exclude',
		type: 'string',
		default: '',
		placeholder: 'e.g. GET /health',
		description: 'Regular expression; lines that match are left out',
	},
	{
		displayName: 'Include',
		name: 'include',
		type: 'string',
		default: '',
		placeholder: 'e.g. (?i)error|out of memory',
		description: 'Regular expression; only lines that match are kept',
	},
];
