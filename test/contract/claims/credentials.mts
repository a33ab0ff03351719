import type { Page } from './page.mts';

const UNIT = 'unit/credentials.test.mts';
const E2E = 'e2e/credentials.test.mts';
const SERVICE = 'contract/service.test.mts';
const EXPRESSION =
	'integration/bad-credentials.test.mts > an expression that gives the second item %s';
const FIELDS = `${UNIT} > are those of the design`;
const EXPLAINED = `${UNIT} > follows no redirect and explains the usual refusals`;
const OAUTH2 = 'integration/oauth2.test.mts > a valid token is sent as Authorization: Bearer';

const claims: Page['claims'] = {
	'An expression in a credential must give all items of a node the same values.': [EXPRESSION],
	'Otherwise an operation that writes is refused.': [EXPRESSION],
	'Others use the values of the first item.': [EXPRESSION],
	'Compute Marketplace API | VMaaS, CaaS, both triggers | Base URL, service segment, API key': [
		FIELDS,
		`${SERVICE} > [auth.api_key]`,
		'contract/caas.test.mts > [caas.auth]',
		'integration/logs-activation.test.mts > sends the API key alone',
		'integration/compute-trigger.test.mts > tells what begins, changes and ends',
	],
	'Compute Marketplace Token API | Explorer, Compute Trigger (Device Down), logs if wanted | Base URL, service segment, access token':
		[
			FIELDS,
			`${SERVICE} > [auth.access_token]`,
			'integration/compute-trigger-devices.test.mts > tells each step of the downtime',
			'contract/log.test.mts > [log.headers] Authorization',
		],
	'Compute Marketplace OAuth2 API | In place of the token, where your provider offers OAuth2 | The same, with OAuth2 settings in place of the token':
		[FIELDS, OAUTH2, 'contract/log.test.mts > [log.headers.oauth2]'],
	'Compute Intelligence API | Chat Completion, Chat Model, Embeddings, Retriever, Memory, RAG | Base URL, retrieval segment, API key, how to send it':
		[
			FIELDS,
			'contract/chat.test.mts > [chat.auth]',
			'integration/chat-model.test.mts > answers, with token usage',
			'integration/sub-nodes.test.mts > embeddings for vector stores',
			'integration/sub-nodes.test.mts > a retriever for chains',
			'integration/chat-model-memory.test.mts > keeps the turns of a session',
			'contract/rag-service.test.mts > [rag.auth]',
		],
	'Compute Intelligence OAuth2 API | In place of the API key, where your provider offers OAuth2 | Base URL, retrieval segment, OAuth2 settings':
		[
			FIELDS,
			'contract/rag-service.test.mts > [rag.oauth2]',
			'contract/chat-lists.test.mts > [intelligence.auth.oAuth2]',
		],
	'Compute SSH API | Commands, files and jobs on VMs, beside Compute Marketplace API | Private key, its passphrase, perhaps a user name':
		[
			'integration/ssh-errors.test.mts > without the credential, before anything is asked',
			'integration/ssh-errors.test.mts > a user of its own',
			'sshd/keys.test.mts > without its passphrase, or with a wrong one',
		],
	'Base URL | Address of the compute API, without a path | `https://api.io.solutions`': [
		`${SERVICE} > [service.base_url]`,
		`${E2E} > says that a base URL with a path has nothing there`,
	],
	'Base URL | Address of the intelligence API (chat, embeddings, RAG), without a path | `https://api.intelligence.io.solutions`':
		[`${SERVICE} > [service.two_addresses]`],
	"Service Segment | The provider's word in the paths: `svc` in `/enterprise/v1/svc-cloud/…` | `io`":
		['integration/http.test.mts > the service segment of the credential is in every path'],
	"Retrieval Segment | The provider's word for retrieval: `rag` in `/api/rag/v3/…` | `r2r`": [
		'contract/rag-service.test.mts > [rag.version]',
	],
	"API Key | From your account's page of API keys. It can spend money": [
		'contract/deploy.test.mts > [deploy.headers]',
	],
	'Access Token | A token of your account, without the word Bearer. It expires': [
		`${UNIT} > sends the access token as a bearer token`,
	],
	'A key or token is sent in one header, to the base URL and nowhere else.': [
		`${UNIT} > sends the intelligence key in exactly one header`,
		'integration/http.test.mts > asks for JSON, with one key header',
		'integration/http.test.mts > to another host is not followed and carries no key',
	],
	'Redirects are not followed.': [
		'integration/http.test.mts > to another host is not followed',
		`${E2E} > does not follow a redirect`,
	],
	'Leave Send Key As of the intelligence credential at Authorization: Bearer unless your provider names another header.':
		[
			`${UNIT} > have the defaults of the design`,
			`${E2E} > sends the key as %s and in no other header`,
		],
	'Two credentials in one node must have the same base URL and service segment.': [
		'unit/auth.test.mts > of two services are an error',
		'integration/logs-activation.test.mts > Base URL and Service Segment',
	],
	'n8n tests a key or a token when you save it, with one request that costs nothing.': [
		`${UNIT} > requests the right address, with or without a trailing slash`,
		`${E2E} > accepts the right key`,
	],
	'OAuth2 credentials have no such test: the sign-in shows whether they work, and with client credentials, which need none, the first execution.':
		[
			'e2e/oauth2.test.mts > connects an account by its button',
			'e2e/oauth2.test.mts > asks for a token with its scope',
		],
	'The test of the SSH credential reads the key and asks no VM.': [
		'integration/ssh-errors.test.mts > is told, and not shown',
	],
	'`The service did not accept the … (401)` | Copy the key again. It may be expired, cut off, or from another provider':
		[EXPLAINED, `${E2E} > says that a wrong key is not accepted`],
	'`The service knows the … but does not allow this (403)` | Your plan or the permissions of the key':
		[EXPLAINED],
	'`The service has nothing at this path (404)` | Compute: the service segment, then the base URL. Intelligence: the base URL':
		[
			`${E2E} > says that a base URL with a path has nothing there`,
			`${E2E} > has a wrong service segment`,
		],
	'`The base URL answers with a web page` | It is that of a website or console. Take the address of the API':
		[`${E2E} > says that a base URL is that of a website`],
	'`The base URL answers with a redirect` | Enter the address that it redirects to': [
		`${E2E} > does not follow a redirect`,
	],
	'`The service has a problem, which says nothing about the credential` | Try again later': [
		`${E2E} > says that an outage is not the fault of the credential`,
	],
	'The test of the intelligence credential does not use the retrieval segment: a wrong one shows as a 404 in Compute RAG.':
		[
			`${UNIT} > requests the right address`,
			'integration/request.test.mts > that finds nothing names the segment of its credential',
		],
	'A wrong service segment in a token credential is noticed only where the service answers an unknown path as JSON.':
		[
			`${UNIT} > accepts a 404 as an accepted token, and no other error`,
			`${E2E} > has a wrong service segment`,
		],
};

const instructions = [
	"Your provider's API reference has all of it. io.net, for example, documents what is in the last column.",
	'It was read in its public pages and not tried live.',
	'SECURITY says what a key can do and what the package does with it.',
	'The key pair of the SSH credential is explained in Commands and files.',
	'More details shows what it says.',
	'ERR_INVALID_URL | The base URL must begin with `https://`',
	'ENOTFOUND, ECONNREFUSED | There is no server at the base URL: look for a typing error',
	'What the specification of the service leaves open is listed with its source in What fills the gaps.',
];

export const credentials: Page = { file: 'docs/credentials.md', claims, instructions };
