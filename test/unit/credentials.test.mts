import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IHttpRequestOptions,
	type INodeTypes,
} from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { ComputeIntelligenceApi } from '../../credentials/ComputeIntelligenceApi.credentials.ts';
import { ComputeIntelligenceOAuth2Api } from '../../credentials/ComputeIntelligenceOAuth2Api.credentials.ts';
import { ComputeMarketplaceApi } from '../../credentials/ComputeMarketplaceApi.credentials.ts';
import { ComputeMarketplaceOAuth2Api } from '../../credentials/ComputeMarketplaceOAuth2Api.credentials.ts';
import { ComputeMarketplaceTokenApi } from '../../credentials/ComputeMarketplaceTokenApi.credentials.ts';
import { ComputeSshApi } from '../../credentials/ComputeSshApi.credentials.ts';
import { boundExpressions } from '../engine/expressions.mts';
import { projectFolder } from '../pack.mts';

const classes = [
	ComputeMarketplaceApi,
	ComputeMarketplaceTokenApi,
	ComputeMarketplaceOAuth2Api,
	ComputeIntelligenceApi,
	ComputeIntelligenceOAuth2Api,
];
const types: Array<[string, ICredentialType]> = classes.map((Type) => [Type.name, new Type()]);
const manifest = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
	n8n: { credentials: string[] };
};

/** Values as n8n itself would work them out */
boundExpressions();

const workflow = new Workflow({
	nodes: [],
	connections: {},
	active: false,
	nodeTypes: { getByNameAndVersion: () => undefined } as unknown as INodeTypes,
});
const node = {
	id: '',
	name: '',
	type: '',
	typeVersion: 1,
	position: [0, 0] as [number, number],
	parameters: {},
};
async function resolve(value: unknown, credentials: ICredentialDataDecryptedObject) {
	return await workflow.expression.withIsolate(async () =>
		workflow.expression.getSimpleParameterValue(node, value as string, 'internal', {
			$credentials: credentials,
		}),
	);
}

async function headersOf(
	{ authenticate }: ICredentialType,
	credentials: ICredentialDataDecryptedObject,
): Promise<unknown> {
	// n8n evaluates an expression only while a trigger is activated or an execution runs
	if (typeof authenticate !== 'function') throw new Error('signs with an expression');
	return (await authenticate(credentials, { url: '', headers: {} })).headers;
}

it.each([...classes, ComputeSshApi])('$name explains every field', (Type) => {
	for (const { name, description } of new Type().properties) expect(description, name).toBeTruthy();
});

describe.each(types)('%s', (className, type) => {
	it('is registered under its file name', () => {
		expect(manifest.n8n.credentials).toContain(`dist/credentials/${className}.credentials.js`);
		expect(type.name).toBe(className.charAt(0).toLowerCase() + className.slice(1));
	});

	it('has no address by default', () => {
		const baseUrl = type.properties.find((property) => property.name === 'baseUrl');
		expect(baseUrl).toMatchObject({ required: true, default: '' });
		for (const property of type.properties) expect(String(property.default)).not.toMatch(/https?:/);
	});

	it('has examples that say so', () => {
		for (const property of type.properties) {
			if (property.placeholder !== undefined) expect(property.placeholder).toMatch(/^e\.g\. /);
		}
	});

	it('hides secrets', () => {
		for (const property of type.properties.filter(({ name }) => /apiKey|accessToken$/.test(name))) {
			expect(property.typeOptions?.password, property.name).toBe(true);
		}
	});

	it('has a documentation page and themed icons', () => {
		expect(type.documentationUrl).toMatch(/^https:\/\/.+#credentials$/);
		const icon = type.icon;
		if (typeof icon !== 'object') throw new Error('no themed icon');
		const [light, dark] = [icon.light, icon.dark].map((file) =>
			readFileSync(join(projectFolder, 'credentials', file.replace(/^file:/, '')), 'utf8'),
		);
		expect(light).toMatch(/^<svg /);
		expect(dark).toMatch(/^<svg /);
		expect(dark).not.toBe(light);
	});
});

describe('properties', () => {
	const names = (type: ICredentialType) => type.properties.map((property) => property.name);
	const oAuth2 = ['grantType', 'authUrl', 'accessTokenUrl', 'scope'];

	it('are those of the design', () => {
		expect(names(new ComputeMarketplaceApi())).toEqual(['baseUrl', 'service', 'apiKey']);
		expect(names(new ComputeMarketplaceTokenApi())).toEqual(['baseUrl', 'service', 'accessToken']);
		expect(names(new ComputeMarketplaceOAuth2Api())).toEqual([...oAuth2, 'baseUrl', 'service']);
		expect(names(new ComputeIntelligenceApi())).toEqual([
			'baseUrl',
			'apiKey',
			'header',
			'ragSegment',
		]);
		expect(names(new ComputeIntelligenceOAuth2Api())).toEqual([...oAuth2, 'baseUrl', 'ragSegment']);
	});

	it('have the defaults of the design', () => {
		const defaults = new Map(
			types.flatMap(([, type]) => type.properties).map((p) => [p.name, p.default]),
		);
		expect(defaults.get('service')).toBe('svc');
		expect(defaults.get('ragSegment')).toBe('rag');
		expect(defaults.get('header')).toBe('bearer');
	});

	it('leave every OAuth2 setting to the user', () => {
		for (const type of [new ComputeMarketplaceOAuth2Api(), new ComputeIntelligenceOAuth2Api()]) {
			expect(type.extends).toEqual(['oAuth2Api']);
			expect(type.properties.filter((property) => property.type === 'hidden')).toEqual([]);
			// n8n throws away a scope that is set by hand when the field is hidden
			expect(type.properties.find(({ name }) => name === 'scope')?.type).toBe('string');
			const grants = type.properties.find(({ name }) => name === 'grantType')?.options;
			expect(grants?.map((grant) => 'value' in grant && grant.value)).toEqual([
				'authorizationCode',
				'clientCredentials',
				'pkce',
			]);
		}
	});
});

describe('authentication', () => {
	it('sends the API key of the compute API as x-api-key, without the blanks of a paste', async () => {
		expect(await headersOf(new ComputeMarketplaceApi(), { apiKey: ' key\n' })).toEqual({
			'x-api-key': 'key',
		});
	});

	it('sends the access token as a bearer token', async () => {
		expect(await headersOf(new ComputeMarketplaceTokenApi(), { accessToken: 'token\n' })).toEqual({
			Authorization: 'Bearer token',
		});
	});

	it.each([
		['bearer', { Authorization: 'Bearer key' }],
		['xApiKey', { 'x-api-key': 'key' }],
		['token', { token: 'key' }],
		[undefined, { Authorization: 'Bearer key' }],
	])('sends the intelligence key in exactly one header: %s', async (header, expected) => {
		const request: IHttpRequestOptions = {
			url: '/api/v1/models',
			headers: {
				accept: 'application/json',
				authorization: 'old',
				'X-Api-Key': 'old',
				Token: 'old',
			},
		};
		const { authenticate } = new ComputeIntelligenceApi();
		if (typeof authenticate !== 'function') throw new Error('not a function');
		const sent = await authenticate(
			{ apiKey: ' key ', ...(header !== undefined && { header }) },
			request,
		);
		expect(sent).toEqual({
			url: '/api/v1/models',
			headers: { accept: 'application/json', ...expected },
		});
		expect(request.headers?.authorization).toBe('old');
	});
});

describe('tests', () => {
	const tested: Array<[ICredentialType, string]> = [
		[new ComputeMarketplaceApi(), '/enterprise/v1/a%2Fb-cloud/vmaas/hardware'],
		[
			new ComputeMarketplaceTokenApi(),
			'/v1/a%2Fb-explorer/devices/00000000-0000-4000-8000-000000000000/details',
		],
		[new ComputeIntelligenceApi(), '/api/v1/models'],
	];

	it.each(tested)(
		'$name requests the right address, with or without a trailing slash',
		async (type, path) => {
			for (const baseUrl of [
				'https://api.example.com',
				'https://api.example.com/',
				' https://api.example.com// ',
			]) {
				expect(await resolve(type.test?.request.baseURL, { baseUrl })).toBe(
					'https://api.example.com',
				);
			}
			expect(await resolve(type.test?.request.url, { service: ' a/b ' })).toBe(path);
		},
	);

	it('an expression is evaluated only while n8n has an evaluator ready', () => {
		const evaluate = () =>
			workflow.expression.getSimpleParameterValue(node, '={{ 1 }}', 'internal', {});
		expect(evaluate).toThrow('A real n8n does not evaluate');
	});

	it.each(tested)('$name follows no redirect and explains the usual refusals', (type) => {
		expect(type.test?.request).toMatchObject({
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
		});
		const explained = type.test?.rules?.map((rule) => rule.properties.value);
		expect(explained).toEqual(expect.arrayContaining([302, 401, 403, 404, 429]));
	});

	it('accepts a 404 as an accepted token, and no other error', () => {
		const ignored = new ComputeMarketplaceTokenApi().test.request.ignoreHttpStatusErrors;
		if (typeof ignored !== 'object') throw new Error('no list');
		const fails = new Set(ignored.except);
		expect([200, 204, 404].filter((status) => fails.has(status))).toEqual([]);
		expect(
			[301, 302, 400, 401, 402, 403, 422, 429, 500, 503, 599].filter(
				(status) => !fails.has(status),
			),
		).toEqual([]);
	});
});

describe('icons', () => {
	const names = ['explorer', 'vmaas', 'caas', 'logs', 'chat', 'rag', 'model', 'compute'];

	it.each(names.flatMap((name) => [`${name}.svg`, `${name}.dark.svg`]))(
		'%s is small and self-contained',
		(file) => {
			const path = join(projectFolder, 'icons', file);
			expect(statSync(path).size).toBeLessThan(1200);
			const svg = readFileSync(path, 'utf8');
			expect(svg).toContain('viewBox="0 0 60 60"');
			expect(svg).not.toMatch(/<text|<image|<script|href=/);
		},
	);
});
