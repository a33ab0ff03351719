import type {
	IAuthenticate,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	INodeProperties,
} from 'n8n-workflow';
import { intelligenceBaseUrlField, ragSegmentField } from './shared/fields';
import { credentialTest } from './shared/probe';

export class ComputeIntelligenceApi implements ICredentialType {
	name = 'computeIntelligenceApi';

	displayName = 'Compute Intelligence API';

	icon: Icon = { light: 'file:../icons/compute.svg', dark: 'file:../icons/compute.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-compute-marketplace/n8n-nodes-compute-marketplace#credentials';

	properties: INodeProperties[] = [
		intelligenceBaseUrlField,
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: "Created on your account's API key page",
			hint: 'The key is a secret: keep it in this credential and never put it into client-side code',
		},
		{
			displayName: 'Send Key As',
			name: 'header',
			type: 'options',
			options: [
				{
					name: 'Authorization: Bearer',
					value: 'bearer',
					description: 'The usual form',
				},
				{
					name: 'Token',
					value: 'token',
					description: 'For a JWT from your account, in the header token',
				},
				{
					name: 'X-API-Key',
					value: 'xApiKey',
					description: 'For an SDK client key, in the header x-api-key',
				},
			],
			default: 'bearer',
			description: 'Which header carries the key. Exactly one is sent.',
		},
		ragSegmentField,
	];

	// A function, since an expression can empty a header but not leave it out, and two at once are refused
	authenticate: IAuthenticate = async (credentials, requestOptions) => {
		const key = String(credentials.apiKey ?? '').trim();
		const headers = Object.fromEntries(
			Object.entries(requestOptions.headers ?? {}).filter(
				([name]) => !['authorization', 'x-api-key', 'token'].includes(name.toLowerCase()),
			),
		);
		switch (credentials.header) {
			case 'xApiKey':
				return { ...requestOptions, headers: { ...headers, 'x-api-key': key } };
			case 'token':
				return { ...requestOptions, headers: { ...headers, token: key } };
			default:
				return { ...requestOptions, headers: { ...headers, Authorization: `Bearer ${key}` } };
		}
	};

	test: ICredentialTestRequest = credentialTest('/api/v1/models', {
		secret: 'API key',
		notFound: 'Check the base URL: the intelligence API has one of its own, without a path.',
	});
}
