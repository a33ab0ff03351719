import type { INodeProperties } from 'n8n-workflow';

/** One address a credential: a service has no well-known host, so nothing is filled in */
export const baseUrlField = (placeholder: string): INodeProperties => ({
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	default: '',
	required: true,
	placeholder,
	description: "Address of your provider's API, with or without a trailing slash",
	hint: 'Starts with https:// and has no path of an endpoint in it. http:// is for a service on your own machine',
});

export const serviceField: INodeProperties = {
	displayName: 'Service Segment',
	name: 'service',
	type: 'string',
	default: 'svc',
	required: true,
	placeholder: 'e.g. svc',
	description: "The service's own name in the paths of its API, as in /enterprise/v1/svc-cloud",
	hint: "Your provider's documentation shows it in front of -cloud and -explorer",
};

export const ragSegmentField: INodeProperties = {
	displayName: 'Retrieval Segment',
	name: 'ragSegment',
	type: 'string',
	default: 'rag',
	required: true,
	placeholder: 'e.g. rag',
	description: 'The word for retrieval in the paths of the API, as in /api/rag/v3',
	hint: 'Only the Compute RAG node uses it',
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
