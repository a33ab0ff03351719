import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deploy } from '../../nodes/Caas/resources/deployment/deploy.ts';
import { containerParameters } from '../engine/nodes.mts';
import { inputOf, jobBench, outcome, type Answer } from './job-bench.mts';
import { message } from './parameters-form.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const SECRET = 'top-secret-value';
const OTHER: IDataObject = { deployment_id: 'd0', name: 'other', status: 'running' };

interface Given {
	/** The deployments that are there before. */
	list?: IDataObject[];
	/** What the service answers when it is asked for the price. */
	price?: Answer;
	agent?: boolean;
}

let accounts = 0;

/** What an order gives, and what it sends: requests that change something, and whether the price was asked for. */
async function ordered(changes: IDataObject, { list = [OTHER], price, agent }: Given = {}) {
	const sent: unknown[] = [];
	const bench = jobBench({
		list,
		instead(request, body) {
			if (request.includes('/price')) return price;
			const shown = list.find(({ deployment_id }) => request.endsWith(`/${String(deployment_id)}`));
			if (request.includes('/deployment/'))
				return [200, { data: shown ?? { deployment_id: 'd1', status: 'running' } }];
			if (!request.startsWith('POST')) return undefined;
			sent.push([request, JSON.parse(String(body))]);
			return [200, { data: { deployment_id: 'd1' } }];
		},
	});
	const { account, ...rest } = bench.context();
	// What a process has bought, it remembers by the account
	const context = { ...rest, account: { ...account, keyHash: `account ${accounts++}` } };
	const parameters = containerParameters(changes);
	Object.assign(context.functions, {
		isToolExecution: () => agent === true,
		getInputData: () => [],
		getNode: () => ({ name: 'Node', parameters }),
	});
	Object.assign(context.journal, { done: () => undefined });
	const input = inputOf(deploy, parameters);
	const result = await outcome(async () => await deploy.run(context, input));
	const asksPrice = bench.requests.some((request) => request.includes('/price'));
	return { result, sent, asksPrice };
}

const PROGRAM = {
	gpusPerContainer: 2,
	locationIds: [3, 4],
	replicaCount: 5,
	environment: { variables: [{ name: 'MODEL', value: 'llama' }] },
	secretEnvironment: { variables: [{ name: 'TOKEN', value: SECRET }] },
	additionalFields: { args: ['-v'], registryUsername: 'me', registrySecret: SECRET },
};
const BODY = {
	resource_private_name: 'web',
	duration_hours: 2,
	gpus_per_container: 2,
	hardware_id: 7,
	location_ids: [3, 4],
	container_config: {
		replica_count: 5,
		traffic_port: 8080,
		env_variables: { MODEL: 'llama' },
		secret_env_variables: { TOKEN: SECRET },
		args: ['-v'],
	},
	registry_config: {
		image_url: 'registry.example/web:1',
		registry_username: 'me',
		registry_secret: SECRET,
	},
};

describe('an order of containers', () => {
	it('sends all that is set, and shows no secret', async () => {
		const { result, sent, asksPrice } = await ordered(PROGRAM);
		expect(sent).toEqual([[expect.stringMatching(/^POST .*\/caas\/deploy$/), BODY]]);
		expect(result).toMatchObject([
			{
				deployment_id: 'd1',
				resource_private_name: 'web',
				hardware_id: 7,
				gpus_per_container: 2,
				replica_count: 5,
				duration_hours: 2,
			},
		]);
		expect(JSON.stringify(result)).not.toContain(SECRET);
		expect(asksPrice).toBe(false);
	});

	it('sends nothing of what is not set', async () => {
		const { sent } = await ordered({});
		expect(sent).toEqual([
			[
				expect.anything(),
				{
					resource_private_name: 'web',
					duration_hours: 2,
					gpus_per_container: 1,
					hardware_id: 7,
					location_ids: [3],
					container_config: { replica_count: 1, traffic_port: 8080 },
					registry_config: { image_url: 'registry.example/web:1' },
				},
			],
		]);
	});

	it('as a dry run sends nothing, and shows the request without its secrets, and its price', async () => {
		const price: Answer = [200, { data: { total_cost_usdc: 30, replica_count: 5 } }];
		const { result, sent } = await ordered({ ...PROGRAM, safety: { dryRun: true } }, { price });
		expect(sent).toEqual([]);
		expect(result).toEqual([
			{
				dry_run: true,
				resource_private_name: 'web',
				total_price: 30,
				hourly_price: 15,
				currency: 'usdc',
				request: {
					...BODY,
					container_config: { ...BODY.container_config, secret_env_variables: { TOKEN: '***' } },
					registry_config: { ...BODY.registry_config, registry_secret: '***' },
				},
			},
		]);
	});

	it.each<[string, Answer, string]>([
		[
			'its price is above a limit',
			[200, { data: { total_cost_usdc: 3 } }],
			'The price of 3 usdc is above the Maximum Price of 2 usdc',
		],
		['its price cannot be read', [400, { detail: 'no' }], 'The price could not be read: '],
	])('deploys nothing where %s', async (_, price, text) => {
		const { result, sent } = await ordered({ safety: { maxPrice: 2 } }, { price });
		if (!(result instanceof Error)) throw new Error('It was made');
		expect(result.message).toContain(text);
		expect(result.description).toMatch(/Nothing was deployed\.$/);
		expect(sent).toEqual([]);
	});

	it('of an AI agent needs a limit that a person has set, but for a dry run', async () => {
		const refused = await ordered({}, { agent: true });
		expect(refused.result).toMatchObject({
			message: expect.stringMatching(/^An AI agent may spend money only under/) as string,
		});
		expect(refused.sent).toEqual([]);
		const price: Answer = [200, { data: { total_cost_usdc: 1 } }];
		const dry = await ordered({ safety: { dryRun: true } }, { agent: true, price });
		expect(dry.result).toMatchObject([{ dry_run: true, total_price: 1 }]);
	});
});

describe('an existing deployment of the name of an order', () => {
	const existing = async (shown: IDataObject, replicaCount = 2) => {
		const entry = {
			deployment_id: 'd2',
			resource_private_name: 'web',
			status: 'running',
			total_containers: 2,
			gpus_per_container: 1,
			...shown,
		};
		const { result, sent } = await ordered(
			{ replicaCount, safety: { ifNameExists: 'useExisting' } },
			{ list: [entry] },
		);
		expect(sent).toEqual([]);
		return result;
	};
	const HINT = 'The service does not show how much of its paid time is left.';

	it.each<[string, IDataObject, string]>([
		['as much as it shows', {}, HINT],
		[
			'the same',
			{
				container_config: { replica_count: 2 },
				registry_config: { image_url: 'registry.example/web:1' },
			},
			HINT,
		],
		['more', { replica_count: 3 }, HINT],
		[
			'another image',
			{ registry_config: { image_url: 'other:1' } },
			`${HINT} It runs the image other:1, and registry.example/web:1 is ordered: Deployment > Update changes it.`,
		],
		[
			'fewer containers',
			{ container_config: { replica_count: '1' } },
			`${HINT} It has 1 containers, and 2 are ordered.`,
		],
	])('is used where it runs %s, with a hint', async (_, shown, hint) => {
		expect(await existing(shown)).toMatchObject([{ deployment_id: 'd2', existing: true, hint }]);
	});

	it('has no hint where all of it is as ordered', async () => {
		const result = await existing({
			compute_minutes_served: 0,
			compute_minutes_remaining: 600,
			image_url: 'registry.example/web:1',
		});
		expect(result).toMatchObject([{ deployment_id: 'd2', existing: true }]);
		expect(result).not.toMatchObject([{ hint: expect.anything() as unknown }]);
	});
});

describe('the form of an order of containers', () => {
	const read = (changes: IDataObject) => inputOf(deploy, containerParameters(changes));

	it('gives its name rules the size that is ordered', () => {
		expect(read({ ...PROGRAM, imageUrl: ' web:1 ', safety: { maxHourlyPrice: 3 } })).toMatchObject({
			imageUrl: 'web:1',
			trafficPort: 8080,
			durationHours: 2,
			nameRules: { name: 'web', workers: 5, hardwareId: 7, gpus: 2 },
			priceLimits: { maxHourlyPrice: 3 },
		});
	});

	it.each<[IDataObject, string]>([
		[{ imageUrl: '' }, 'Image is required and must not be empty'],
		[{ trafficPort: 0 }, 'Port must be a whole number from 1 to 65535, got 0'],
		[{ trafficPort: 65_536 }, 'Port must be a whole number from 1 to 65535, got 65536'],
		[{ durationHours: 8_761 }, 'Duration (Hours) must be a whole number from 1 to 8760, got 8761'],
		[
			{ additionalFields: { registryUsername: 'me' } },
			'Additional Fields: Registry Secret is required with a Registry Username',
		],
		[
			{ additionalFields: { registrySecret: SECRET } },
			'Additional Fields: Registry Username is required with a Registry Secret',
		],
	])('cannot have %j', (changes, text) => {
		expect(message(() => read(changes))).toBe(text);
	});
});
