import { NodeConnectionTypes } from 'n8n-workflow';
import type { INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { triggerCredentials, triggerFields } from './fields';
import { poll } from './poll';

export class ComputeTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute Trigger',
		name: 'computeTrigger',
		icon: { light: 'file:../../icons/trigger.svg', dark: 'file:../../icons/trigger.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{$parameter["event"]}}',
		description:
			'Starts the workflow when a deployment changes or is about to expire, an offer matches, or a device is down',
		defaults: { name: 'Compute Trigger' },
		activationMessage: 'What is there now was noted. Changes from now on start the workflow.',
		builderHint: {
			searchHint:
				'Polls a compute marketplace, and starts the workflow when a GPU deployment changes or expires soon, when a hardware offer matches a price, or when a device is down.',
		},
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: triggerCredentials,
		properties: triggerFields,
	};

	async poll(this: IPollFunctions) {
		return await poll(this);
	}
}
