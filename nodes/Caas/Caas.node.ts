import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import {
	LOG_CREDENTIALS,
	logAuthenticationField,
	logCredentialDescriptions,
} from '../marketplace/log/credentials';
import { searchContainers, searchDeployments } from '../marketplace/log/listSearch';
import { execute } from '../shared/operation/execute';
import { SPENDING_SUBTITLE, spendingHints } from '../marketplace/priceLimits';
import { properties } from '../shared/operation/properties';
import { loadLocations, searchHardware } from './listSearch';
import { outputs } from './outputs';
import { container } from './resources/container';
import { deployment } from './resources/deployment';
import { hardware } from './resources/hardware';
import { log } from './resources/log';
import { price } from './resources/price';

const resources = [deployment, container, hardware, log, price];

export class Caas implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute CaaS',
		name: 'caas',
		icon: { light: 'file:../../icons/caas.svg', dark: 'file:../../icons/caas.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: SPENDING_SUBTITLE,
		description:
			'Deploy, update, extend and destroy containers on a compute marketplace, and read their logs',
		defaults: { name: 'Compute CaaS' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Containers on rented GPUs, such as inference servers. What deploys must be destroyed: connect Deployment > Destroy, and set a price limit. Live logs: Compute CaaS Logs Trigger.',
		},
		hints: spendingHints(['deploy', 'extend']),
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: logCredentialDescriptions,
		properties: [logAuthenticationField('apiKey'), ...properties(resources, outputs)],
	};

	methods = {
		listSearch: { searchContainers, searchDeployments, searchHardware },
		loadOptions: { loadLocations },
	};

	async execute(this: IExecuteFunctions) {
		return await execute(this, resources, LOG_CREDENTIALS, outputs);
	}
}
