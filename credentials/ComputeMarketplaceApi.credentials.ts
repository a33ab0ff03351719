import type { ICredentialTestRequest, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { computeBaseUrlField, serviceField } from './shared/fields';
import { CHECK_SEGMENT, credentialTest } from './shared/probe';
import { signedBy } from './shared/sign';

export class ComputeMarketplaceApi implements ICredentialType {
	name = 'computeMarketplaceApi';

	displayName = 'Compute Marketplace API';

	icon: Icon = { light: 'file:../icons/compute.svg', dark: 'file:../icons/compute.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-compute-marketplace/n8n-nodes-compute-marketplace#credentials';

	properties: INodeProperties[] = [
		computeBaseUrlField,
		serviceField,
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Issued by the service. Sent in the header x-api-key.',
			hint: 'It can spend money: whoever holds it can deploy on your account',
		},
	];

	authenticate = signedBy(({ apiKey }) => ({
		'x-api-key': String(apiKey ?? '').trim(),
	}));

	test: ICredentialTestRequest = credentialTest(
		'=/enterprise/v1/{{ encodeURIComponent($credentials.service.trim()) }}-cloud/vmaas/hardware',
		{ secret: 'API key', notFound: CHECK_SEGMENT },
	);
}
