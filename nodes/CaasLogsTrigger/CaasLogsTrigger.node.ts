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
		eventTriggerDescription: 'Waiting for the container to write a line',
		activationMessage: 'The logs of your containers are followed from now on.',
		triggerPanel: {
			header: 'Follow container logs',
			executionsHelp: {
				inactive:
					'<b>While building</b>, click "Execute step": the next lines of the log come as one batch. <br /><br /><b>Once you are happy with the workflow</b>, publish it: then the log is followed without a break, and each batch starts an execution, which the <a data-key="executions">executions list</a> shows.',
				active:
					'<b>While building</b>, click "Execute step": the next lines of the log come as one batch. <br /><br /><b>The published workflow follows the log</b> all the time; its executions are in the <a data-key="executions">executions list</a>.',
			},
			activationHint:
				'Publish the workflow to follow the log all the time. A restart of n8n goes on where reading stopped.',
		},
		builderHint: {
			searchHint:
				'Follows the logs of containers on a compute marketplace live, and starts the workflow with batches of lines. To read a log once, use Compute CaaS > Log > Get Many.',
		},
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
