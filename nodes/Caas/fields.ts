import type { INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import { deploymentIdField as vmaasDeploymentIdField } from '../Vmaas/fields';

/** The credentials of a node that reads logs, each shown where it is used. */
export const logCredentials: INodeCredentialDescription[] = [
	{ name: 'computeMarketplaceApi', required: true },
	{ name: 'computeMarketplaceTokenApi', required: true, displayOptions: { show: { authentication: ['accessToken'] } } },
	{ name: 'computeMarketplaceOAuth2Api', required: true, displayOptions: { show: { authentication: ['oAuth2'] } } },
];

export function authenticationField(standard: 'accessToken' | 'apiKey'): INodeProperties {
	return {
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		options: [
			{ name: 'API Key', value: 'apiKey', description: 'Send the API key alone' },
			{ name: 'API Key and Access Token', value: 'accessToken', description: 'Send both, as the service describes it for logs' },
			{ name: 'API Key and OAuth2', value: 'oAuth2', description: 'Send both; the token is renewed by itself' },
		],
		default: standard,
	};
}

export const deploymentIdField: INodeProperties = { ...vmaasDeploymentIdField, description: 'The container deployment to use' };

export const containerIdField: INodeProperties = {
	displayName: 'Container',
	name: 'containerId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	typeOptions: { loadOptionsDependsOn: ['deploymentId.value'] },
	description: 'The container of the deployment to use',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a container...',
			typeOptions: { searchListMethod: 'searchContainers', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 9d2f7c1a-66b1-4a5e-8f0a-1c3b5d7e9f02' },
	],
};
