import type { ICredentialTestRequest, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { computeBaseUrlField, serviceField } from './shared/fields';
import { CHECK_SEGMENT, credentialTest } from './shared/probe';
import { signedBy } from './shared/sign';

export class ComputeMarketplaceTokenApi implements ICredentialType {
	name = 'computeMarketplaceTokenApi';

	displayName = 'Compute Marketplace Token API';

	icon: Icon = { light: 'file:../icons/compute.svg', dark: 'file:../icons/compute.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-compute-marketplace/n8n-nodes-compute-marketplace#credentials';

	properties: INodeProperties[] = [
		computeBaseUrlField,
		serviceField,
		{
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Sent as Authorization: Bearer. Enter the token alone, without the word Bearer.',
			hint: 'Tokens expire. Where your provider offers OAuth2, that credential renews them by itself',
		},
	];

	authenticate = signedBy(({ accessToken }) => ({
		Authorization: `Bearer ${String(accessToken ?? '').trim()}`,
	}));

	// No list can be read with a token alone, so a device is asked for that does not exist: "not found" as text is only
	// said to a caller who may ask (compute-api.md). Written as a UUID in case a service refuses other forms with a 422.
	test: ICredentialTestRequest = credentialTest(
		'=/v1/{{ encodeURIComponent($credentials.service.trim()) }}-explorer/devices/00000000-0000-4000-8000-000000000000/details',
		{ secret: 'access token', notFound: CHECK_SEGMENT, unknownIsFine: true },
	);
}
