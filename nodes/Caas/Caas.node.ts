import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import {
	LOG_CREDENTIALS,
	logAuthenticationField,
	logCredentialDescriptions,
} from '../marketplace/log/credentials';
import { searchContainers, searchDeployments } from '../marketplace/log/listSearch';
import { execute } from '../shared/operation/execute';
import { properties } from '../shared/operation/properties';
import { container } from './resources/container';
import { deployment } from './resources/deployment';
import { log } from './resources/log';

const resources = [deployment, container, log];

export class Caas implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute CaaS',
		name: 'caas',
		icon: { light: 'file:../../icons/caas.svg', dark: 'file:../../icons/caas.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description:
			'Get container deployments of a compute marketplace, their containers and their logs',
		defaults: { name: 'Compute CaaS' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: logCredentialDescriptions,
		properties: [logAuthenticationField('apiKey'), ...properties(resources)],
	};

	methods = { listSearch: { searchContainers, searchDeployments } };

	async execute(this: IExecuteFunctions) {
		return await execute(this, resources, LOG_CREDENTIALS);
	}
}
