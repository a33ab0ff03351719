import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription, ITriggerFunctions } from 'n8n-workflow';
import { logCredentialDescriptions } from '../marketplace/log/credentials';
import { loadContainers, searchDeployments } from '../marketplace/log/listSearch';
import { triggerFields } from './fields';
import { start } from './activation';

export class CaasLogsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute CaaS Logs Trigger',
		name: 'caasLogsTrigger',
		icon: { light: 'file:../../icons/logs.svg', dark: 'file:../../icons/logs.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{$parameter["streams"].join(" + ")}}',
		description: 'Starts the workflow with lines from container logs, in batches',
		defaults: { name: 'Compute CaaS Logs Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: logCredentialDescriptions,
		properties: triggerFields,
	};

	methods = { listSearch: { searchDeployments }, loadOptions: { loadContainers } };

	async trigger(this: ITriggerFunctions) {
		return await start(this);
	}
}
