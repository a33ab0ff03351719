import type { INodeProperties } from 'n8n-workflow';

/** One address a credential: a service has no well-known host, so nothing is filled in. The example is in beyond-the-spec.md section 8. */
const baseUrlField = (api: string, placeholder: string, example: string): INodeProperties => ({
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	default: '',
	required: true,
	placeholder,
	description: `Address of your provider's ${api} API: https:// and the host, without a path. http:// is for a service on your own machine.`,
	hint: `From your provider's API reference. io.net, for example, documents ${example}`,
});

export const computeBaseUrlField = baseUrlField(
	'compute',
	'e.g. https://api.example.com',
	'https://api.io.solutions',
);

export const intelligenceBaseUrlField = baseUrlField(
	'intelligence',
	'e.g. https://api.intelligence.example.com',
	'https://api.intelligence.io.solutions',
);

export const serviceField: INodeProperties = {
	displayName: 'Service Segment',
	name: 'service',
	type: 'string',
	default: 'svc',
	required: true,
	placeholder: 'e.g. svc',
	description:
		"Your provider's own word in the paths of its API, in front of -cloud and -explorer: svc in /enterprise/v1/svc-cloud/vmaas/deploy",
	hint: "From your provider's API reference. io.net, for example, documents paths with io-cloud: enter io",
};

export const ragSegmentField: INodeProperties = {
	displayName: 'Retrieval Segment',
	name: 'ragSegment',
	type: 'string',
	default: 'rag',
	required: true,
	placeholder: 'e.g. rag',
	description:
		"Your provider's own word for retrieval in the paths of its API: rag in /api/rag/v3/documents",
	hint: 'For Compute RAG, Retriever and Memory alone. io.net, for example, documents r2r',
};

/** n8n fills these in for a known service; here the specification shows none, so the user does */
export const oAuth2Fields: INodeProperties[] = [
	{
		displayName: 'Grant Type',
		name: 'grantType',
		type: 'options',
		options: [
			{
				name: 'Authorization Code',
				value: 'authorizationCode',
			},
			{
				name: 'Client Credentials',
				value: 'clientCredentials',
			},
			{
				name: 'PKCE',
				value: 'pkce',
			},
		],
		default: 'authorizationCode',
		description: 'How the access token is obtained, as your provider registered your client',
	},
	{
		displayName: 'Authorization URL',
		name: 'authUrl',
		type: 'string',
		displayOptions: { show: { grantType: ['authorizationCode', 'pkce'] } },
		default: '',
		required: true,
		placeholder: 'e.g. https://login.example.com/oauth2/authorize',
		description: 'Where you sign in and allow access',
	},
	{
		displayName: 'Access Token URL',
		name: 'accessTokenUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://login.example.com/oauth2/token',
		description: 'Where the access token is issued and refreshed',
	},
	{
		displayName: 'Scope',
		name: 'scope',
		type: 'string',
		default: '',
		placeholder: 'e.g. devices:read logs:read',
		description:
			'What the token may do, separated by spaces. Leave empty if your provider needs none.',
	},
];
