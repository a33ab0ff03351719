import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { execute } from '../shared/operation/execute';
import { KEY_CREDENTIALS } from '../marketplace/credentials';
import { outputs } from './outputs';
import { deployment } from './resources/deployment';
import { hardware } from './resources/hardware';
import { searchDeployments, searchHardware, searchLocations, searchVms } from './listSearch';
import { job } from './resources/job';
import { price } from './resources/price';
import { SSH_OPERATIONS, SSH_RESOURCES, testSshKey } from './sshCredential';
import { vm } from './resources/vm';
import { SPENDING_SUBTITLE, spendingHints } from '../marketplace/priceLimits';
import { properties } from '../shared/operation/properties';

const resources = [hardware, deployment, price, vm, job];

export class Vmaas implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Compute VMaaS',
		name: 'vmaas',
		icon: { light: 'file:../../icons/vmaas.svg', dark: 'file:../../icons/vmaas.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: SPENDING_SUBTITLE,
		description: 'Find, price, deploy, extend and destroy GPU deployments on a compute marketplace',
		defaults: { name: 'Compute VMaaS' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'GPU virtual machines by the hour. For one command that rents, runs and destroys by itself use Job > Run. What deploys must be destroyed: connect Deployment > Destroy on the success and the error output, and set a price limit.',
		},
		hints: spendingHints(['deploy', 'deployCheapest', 'extend']),
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'computeMarketplaceApi', required: true },
			{
				name: 'computeSshApi',
				testedBy: 'testSshKey',
				displayOptions: { show: { resource: SSH_RESOURCES, operation: SSH_OPERATIONS } },
			},
		],
		properties: properties(resources, outputs),
	};

	methods = {
		listSearch: { searchDeployments, searchHardware, searchLocations, searchVms },
		credentialTest: { testSshKey },
	};

	async execute(this: IExecuteFunctions) {
		return await execute(this, resources, KEY_CREDENTIALS, outputs);
	}
}
