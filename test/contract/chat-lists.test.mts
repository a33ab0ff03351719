import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { chat } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { Client } from '../sandbox/testing/client.mts';

/** intelligence-api.md: Model, Permission, Model list envelope, Agent list, List models, List embedding models, List agents, Authentication. */
const fixture = useFixture();
const ALL = { returnAll: true };
const lists = [
	['model', '/intelligence/api/v1/models'],
	['embeddingModel', '/intelligence/api/v1/embedding-models'],
	['agent', '/intelligence/api/v1/agents'],
] as const;

const items = async (resource: string) => jsonOf(await fixture.run(chat(resource, 'getAll', ALL)));

async function answerOf(
	path: string,
	headers: Record<string, string> = {
		authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}`,
	},
) {
	const client = new Client(fixture.sandbox.url, headers);
	try {
		return await client.get(path);
	} finally {
		await client.close();
	}
}

describe('lists: the endpoints', () => {
	it.each(lists)(
		'[%s.list.path] GET %s without a query and without a body',
		async (resource, path) => {
			await items(resource);
			expect(fixture.sandbox.requests).toMatchObject([
				{ method: 'GET', path, query: {}, body: undefined, status: 200 },
			]);
		},
	);

	it.each(lists)(
		'[%s.list.auth] %s with Authorization: Bearer and no other key header',
		async (resource, path) => {
			await items(resource);
			const { headers } = fixture.sandbox.requests[0] ?? {};
			expect([headers?.authorization, headers?.['x-api-key'], headers?.token]).toEqual([
				`Bearer ${fixture.sandbox.keys.intelligenceKey}`,
				undefined,
				undefined,
			]);
			expect((await answerOf(path, {})).status).toBe(401);
		},
	);

	it.each(lists.slice(0, 2))(
		'[%s.list.200] envelope object = list, data = array of models: one item a model, as sent',
		async (resource, path) => {
			const { json } = await answerOf(path);
			expect(json).toMatchObject({ object: 'list', data: expect.any(Array) });
			expect(await items(resource)).toEqual((json as { data: unknown[] }).data);
		},
	);

	it.each(lists)('[%s.list.422] the validation error body', async (resource) => {
		fixture.sandbox.faults.add({
			status: 422,
			body: { detail: [{ loc: ['header', 'x'], msg: 'Field required', type: 'missing' }] },
		});
		expect(errorOf(await fixture.run(chat(resource, 'getAll', ALL))).message).toBe(
			'x: Field required',
		);
	});
});

const orNull = (type: string) => [type, 'null'];
const typeOf = (value: unknown) =>
	value === null
		? 'null'
		: Array.isArray(value)
			? 'array'
			: Number.isInteger(value)
				? 'integer'
				: typeof value;

async function hasTypes(
	resource: string,
	field: string,
	types: string | string[],
	pick = (item: IDataObject): IDataObject | undefined => item,
): Promise<void> {
	const found = (await items(resource)).map((item) => typeOf(pick(item)?.[field]));
	for (const type of found) expect([types].flat()).toContain(type);
	expect(found.length).toBeGreaterThan(0);
}

describe('model: its fields', () => {
	it.each<[string, string | string[]]>([
		['id', 'string'],
		['object', 'string'],
		['created', 'integer'],
		['owned_by', 'string'],
		['root', orNull('string')],
		['parent', orNull('string')],
		['max_model_len', orNull('integer')],
		['permission', 'array'],
	])('[model.%s] is %s, from the service to the item', async (field, types) => {
		await hasTypes('model', field, types);
		await hasTypes('embeddingModel', field, types);
	});

	it('[model.object.value] [model.owned_by.value] object is model, owned_by is the service’s intelligence', async () => {
		for (const item of await items('model'))
			expect(item).toMatchObject({ object: 'model', owned_by: 'svc-intelligence' });
	});

	it('[model.nulls] a null stays null', async () => {
		expect((await items('model')).map((item) => item.max_model_len)).toContain(null);
	});

	it.each<[string, string | string[]]>([
		['max_tokens', 'integer'],
		['context_window', 'integer'],
		['supports_images_input', 'boolean'],
		['supports_prompt_cache', 'boolean'],
		['input_token_price', ['number', 'integer']],
		['output_token_price', ['number', 'integer']],
		['cache_write_token_price', ['number', 'integer']],
		['cache_read_token_price', ['number', 'integer']],
		['precision', 'string'],
	])('[embeddingModel.%s] is %s, and only embedding models have it', async (field, types) => {
		await hasTypes('embeddingModel', field, types);
		for (const item of await items('model')) expect(item).not.toHaveProperty(field);
	});

	const permission = (item: IDataObject) => (item.permission as IDataObject[])[0];
	it.each<[string, string | string[]]>([
		['id', 'string'],
		['object', 'string'],
		['created', 'integer'],
		['allow_create_engine', 'boolean'],
		['allow_sampling', 'boolean'],
		['allow_logprobs', 'boolean'],
		['allow_search_indices', 'boolean'],
		['allow_view', 'boolean'],
		['allow_fine_tuning', 'boolean'],
		['organization', 'string'],
		['group', orNull('string')],
		['is_blocking', 'boolean'],
	])('[permission.%s] is %s', async (field, types) => {
		await hasTypes('model', field, types, permission);
	});

	it('[permission.object.value] [permission.organization.value] object is model_permission, organization * means all', async () => {
		expect(permission((await items('model'))[0] ?? {})).toMatchObject({
			object: 'model_permission',
			organization: '*',
		});
	});
});

describe('agent: its fields', () => {
	it('[agent.list.200] { agents: { key: agent } }: one item an agent, with its key', async () => {
		const { agents } = (await answerOf('/intelligence/api/v1/agents')).json as {
			agents: Record<string, object>;
		};
		expect(await items('agent')).toEqual(
			Object.entries(agents).map(([key, agent]) => ({ agent_key: key, ...agent })),
		);
	});

	it('[agent.keys] reasoning_agent, summary_agent, sentiment_analysis_agent', async () => {
		expect((await items('agent')).map((item) => item.agent_key)).toEqual(
			expect.arrayContaining(['reasoning_agent', 'summary_agent', 'sentiment_analysis_agent']),
		);
	});

	it.each<[string, string | string[]]>([
		['name', 'string'],
		['description', 'string'],
		['persona', 'null'],
		['metadata', 'object'],
	])('[agent.%s] is %s', async (field, types) => {
		await hasTypes('agent', field, types);
	});

	it.each<[string, string | string[]]>([
		['image_url', orNull('string')],
		['tags', 'array'],
	])('[agent.metadata.%s] is %s', async (field, types) => {
		await hasTypes('agent', field, types, (item) => item.metadata as IDataObject);
	});

	it('[agent.beta] the form says that agents are beta', () => {
		const { properties } = fixture.engine.nodeType('chatCompletion').description;
		const resource = properties.find(({ name }) => name === 'resource');
		expect(resource?.options).toContainEqual({ name: 'Agent (Beta)', value: 'agent' });
		expect(properties.find(({ name }) => name === 'betaNotice')?.displayName).toBe(
			'The agents API is in beta and may be unstable',
		);
	});
});

describe('authentication', () => {
	it.each([
		['bearer', 'authorization', 'Bearer '],
		['xApiKey', 'x-api-key', ''],
		['token', 'token', ''],
	])('[intelligence.auth.%s] exactly one header, %s, is sent', async (header, name, prefix) => {
		const { intelligenceUrl, keys } = fixture.sandbox;
		const engine = await startEngine({
			'compute-intelligence': {
				type: 'computeIntelligenceApi',
				data: {
					baseUrl: `${intelligenceUrl}/`,
					ragSegment: 'rag',
					apiKey: keys.intelligenceKey,
					header,
				},
			},
		});
		expect(jsonOf(await engine.run(chat('embeddingModel', 'getAll', ALL)))).toHaveLength(2);
		const { headers } = fixture.sandbox.requests[0] ?? {};
		const sent = ['authorization', 'x-api-key', 'token'].filter(
			(key) => headers?.[key] !== undefined,
		);
		expect([sent, headers?.[name]]).toEqual([[name], `${prefix}${keys.intelligenceKey}`]);
	});

	it('[intelligence.auth.oAuth2] an OAuth 2.0 access token as the alternative', async () => {
		const { intelligenceUrl, keys } = fixture.sandbox;
		const engine = await startEngine({
			oauth: {
				type: 'computeIntelligenceOAuth2Api',
				data: {
					baseUrl: intelligenceUrl,
					ragSegment: 'rag',
					grantType: 'clientCredentials',
					accessTokenUrl: `${intelligenceUrl}/oauth2/token`,
					clientId: 'c',
					clientSecret: 's',
				},
			},
		});
		const node = {
			...chat('embeddingModel', 'getAll', { ...ALL, authentication: 'oAuth2' }),
			credentials: { computeIntelligenceOAuth2Api: { id: 'oauth', name: 'oauth' } },
		};
		expect(jsonOf(await engine.run(node))).toHaveLength(2);
		expect((await engine.search(node, 'searchModels', 'llama')).results).toHaveLength(1);
		const asked = fixture.sandbox.requests.filter(({ path }) => path.includes('models'));
		expect(asked.map(({ headers }) => headers.authorization)).toEqual(
			[1, 2].map(() => `Bearer ${keys.intelligenceKey}`),
		);
	});
});
