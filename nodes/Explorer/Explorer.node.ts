import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { execute } from '../shared/operation/execute';
import { authenticationField, chosenCredentials } from '../shared/fields';
import { TOKEN_CREDENTIALS } from '../marketplace/credentials';
import { outputs } from './outputs';
import { device } from './resources/device';
import { properties } from '../shared/operation/properties';

const resources = [device];

export class Explorer implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute Explorer',
		name: 'explorer',
		icon: { light: 'file:../../icons/explorer.svg', dark: 'file:../../icons/explorer.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description:
			'Retrieve devices of a compute marketplace: hardware, network speed, downtime, jobs, and earnings',
		defaults: { name: 'Compute Explorer' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: chosenCredentials(TOKEN_CREDENTIALS),
		properties: [authenticationField(TOKEN_CREDENTIALS), ...properties(resources, outputs)],
	};

	async execute(this: IExecuteFunctions) {
		return await execute(this, resources, TOKEN_CREDENTIALS, outputs);
	}
}
