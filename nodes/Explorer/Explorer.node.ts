import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { execute } from '../shared/execute';
import { properties } from '../shared/operation';
import { device } from './device';

const resources = [device];

/** Device details take the OAuth 2.0 access token (compute-api.md "Authentication"). */
const CREDENTIALS = [
	['accessToken', 'computeMarketplaceTokenApi'],
	['oAuth2', 'computeMarketplaceOAuth2Api'],
] as const;

export class Explorer implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute Explorer',
		name: 'explorer',
		icon: { light: 'file:../../icons/explorer.svg', dark: 'file:../../icons/explorer.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description: 'Look at the devices of a compute marketplace: hardware, network speed, downtime, jobs and earnings',
		defaults: { name: 'Compute Explorer' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: CREDENTIALS.map(([authentication, name]) => ({
			name,
			required: true,
			displayOptions: { show: { authentication: [authentication] } },
		})),
		properties: [
			{
				displayName: 'Authentication',
				name: 'authentication',
				type: 'options',
				options: [
					{ name: 'Access Token', value: 'accessToken' },
					{ name: 'OAuth2', value: 'oAuth2' },
				],
				default: 'accessToken',
			},
			...properties(resources),
		],
	};

	async execute(this: IExecuteFunctions) {
		return await execute(this, resources, [...CREDENTIALS]);
	}
}
