import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { update } from '../../nodes/Caas/resources/deployment/update.ts';
import { locator } from '../engine/nodes.mts';
import { DEPLOYMENT, inputOf, jobBench, outcome, type Answer } from './job-bench.mts';
import { message } from './parameters-form.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const OLD = 'registry.example/web:1';
const NEW = 'registry.example/web:2';
const SECRET = 'top-secret-value';

interface Given {
	before?: IDataObject;
	after?: IDataObject;
	updateFields?: IDataObject;
}

/** What an update gives at a service that answers it so, and what it sends. */
async function updated(told: Answer, { before, after = before, updateFields }: Given = {}) {
	const sent: unknown[] = [];
	const bench = jobBench({
		instead(request, body) {
			if (!request.endsWith(`/caas/deployment/${DEPLOYMENT}`)) return undefined;
			if (request.startsWith('PATCH')) {
				sent.push(JSON.parse(String(body)));
				return told;
			}
			const details = sent.length > 0 ? after : before;
			return [200, { data: { deployment_id: DEPLOYMENT, status: 'running', ...details } }];
		},
	});
	const input = inputOf(update, {
		deploymentId: locator(DEPLOYMENT),
		updateFields: updateFields ?? { imageUrl: NEW },
	});
	const result = await outcome(async () => await update.run(bench.context(), input));
	return { result, sent, bench };
}

const RUNS_OLD = { registry_config: { image_url: OLD } };
const RUNS_NEW = { registry_config: { image_url: NEW } };

describe('the fields of an update', () => {
	const bodyOf = (updateFields: IDataObject) =>
		inputOf(update, { deploymentId: locator(DEPLOYMENT), updateFields }).body;

	it('are sent alone, under the names of the service', () => {
		expect(bodyOf({ imageUrl: NEW })).toEqual({ image_url: NEW });
		expect(
			bodyOf({ trafficPort: 8080, command: 'serve', args: ['a'], registrySecret: SECRET }),
		).toEqual({ traffic_port: 8080, command: 'serve', args: ['a'], registry_secret: SECRET });
	});

	it.each([{}, { imageUrl: '', command: '', args: [], environment: {} }])(
		'are none in %j, which is an error',
		(updateFields) => {
			expect(message(() => bodyOf(updateFields))).toBe(
				'Update Fields must have one field at least that is not empty',
			);
		},
	);

	it.each<[IDataObject, string]>([
		[{ trafficPort: 0 }, 'Update Fields: Port must be a whole number from 1 to 65535, got 0'],
		[
			{ trafficPort: 65_536 },
			'Update Fields: Port must be a whole number from 1 to 65535, got 65536',
		],
		[{ imageUrl: ' ' }, 'Update Fields: Image must not be white space alone'],
	])('cannot be %j', (updateFields, text) => {
		expect(message(() => bodyOf(updateFields))).toBe(text);
	});
});

describe('an answer to an update', () => {
	const SAYS_NO_MORE: Array<[string, IDataObject | IDataObject[]]> = [
		['nothing', {}],
		['nothing in an envelope', { data: { a: null, b: [''], c: false } }],
		['a list of nothing', { data: [] }],
		['that it is of another deployment', { data: { deployment_id: 'dep-2', status: 'running' } }],
		['the former settings', { data: { deployment_id: DEPLOYMENT, ...RUNS_OLD } }],
		['that it is open', { data: { deployment_id: DEPLOYMENT, updated: null } }],
		['that it is not updated', { data: { deployment_id: DEPLOYMENT, updated: false } }],
	];

	it.each(SAYS_NO_MORE)('with %s proves nothing: what the details show counts', async (_, said) => {
		const { result, sent } = await updated([200, said as IDataObject], {
			before: RUNS_OLD,
			after: RUNS_NEW,
		});
		expect(result).toMatchObject([
			{ deployment_id: DEPLOYMENT, updated: true, updated_fields: ['image_url'] },
		]);
		expect(result).toMatchObject([RUNS_NEW]);
		expect(sent).toEqual([{ image_url: NEW }]);
	});

	it.each<[string, IDataObject]>([
		['its own words', { message: 'done' }],
		['the ID in another case', { data: { deployment_id: DEPLOYMENT.toUpperCase() } }],
		['the new settings', { data: RUNS_NEW }],
		['that it is updated', { data: { updated: true } }],
		['a count', { data: { changed: 0 } }],
	])('with %s is enough where the details tell nothing', async (_, said) => {
		const { result, bench } = await updated([200, said]);
		expect(result).toMatchObject([
			{ deployment_id: DEPLOYMENT, updated: true, updated_fields: ['image_url'] },
		]);
		expect(bench.requests.map((request) => request.split(' ')[0])).toEqual(['GET', 'PATCH']);
	});

	it('with the new settings is enough where the details showed former ones', async () => {
		const { result, sent } = await updated([200, { data: RUNS_NEW }], { before: RUNS_OLD });
		expect(result).toMatchObject([{ updated: true, updated_fields: ['image_url'] }]);
		expect(sent).toHaveLength(1);
	});

	it.each([
		['shows the new settings', RUNS_NEW, { updated: true }],
		['goes on to show the former ones', RUNS_OLD, { updated: null, accepted: true }],
	])('that is a word alone counts as the service %s', async (_, after, told) => {
		const { result } = await updated([200, { status: 'ok' }], { before: RUNS_OLD, after });
		expect(result).toMatchObject([told]);
	});

	it('that only accepts it leaves open whether it was made', async () => {
		const { result } = await updated([202, {}], { before: RUNS_OLD });
		expect(result).toEqual([
			{
				deployment_id: DEPLOYMENT,
				updated: null,
				accepted: true,
				updated_fields: ['image_url'],
				hint: 'The service accepted the update, but its details show image_url otherwise than sent.',
			},
		]);
	});

	it('of several fields proves nothing where one of them is the former', async () => {
		const { result } = await updated([200, { data: { ...RUNS_OLD, traffic_port: 8080 } }], {
			before: { ...RUNS_OLD, traffic_port: 80 },
			after: { ...RUNS_OLD, traffic_port: 8080 },
			updateFields: { imageUrl: NEW, trafficPort: 8080 },
		});
		expect(result).toMatchObject([
			{
				updated: null,
				hint: expect.stringMatching(/details show image_url otherwise than sent\.$/) as string,
			},
		]);
	});

	it.each<[IDataObject]>([
		[RUNS_NEW],
		[{ ...RUNS_NEW, traffic_port: null }],
		[{ traffic_port: 8080 }],
	])(
		'of several fields proves nothing where not all of the former ones show as new (%j)',
		async (after) => {
			const { result } = await updated([200, { status: 'ok' }], {
				before: { ...RUNS_OLD, traffic_port: 80 },
				after,
				updateFields: { imageUrl: NEW, trafficPort: 8080 },
			});
			expect(result).toMatchObject([
				{
					updated: null,
					hint: expect.stringContaining('do not tell whether it was made') as string,
				},
			]);
		},
	);

	it('shows a text that was sent openly, though a secret is the same', async () => {
		const updateFields = {
			environmentJson: { MODEL: SECRET },
			secretEnvironmentJson: { TOKEN: SECRET },
		};
		const said = { data: { env_variables: { MODEL: SECRET } } };
		const { result } = await updated([200, said], { updateFields });
		expect(result).toMatchObject([said.data]);
	});

	it('never shows a secret that was sent', async () => {
		const updateFields = { imageUrl: NEW, registrySecret: SECRET, registryUsername: 'me' };
		const said = { data: { deployment_id: DEPLOYMENT, note: `Login me:${SECRET}`, image: NEW } };
		const { result, sent } = await updated([200, said], { updateFields });
		expect(sent).toEqual([{ image_url: NEW, registry_secret: SECRET, registry_username: 'me' }]);
		expect(JSON.stringify(result)).not.toContain(SECRET);
		expect(result).toMatchObject([
			{ updated_fields: ['registry_username', 'registry_secret', 'image_url'], image: NEW },
		]);
	});
});

describe('an update that is tried again', () => {
	/** An item whose earlier try has noted this update. */
	async function retried(
		details: IDataObject,
		updateFields: IDataObject = { imageUrl: NEW },
		ageMs = 1_000,
	) {
		const bench = jobBench({
			instead: (request) => {
				if (!request.endsWith(`/caas/deployment/${DEPLOYMENT}`)) return undefined;
				if (request.startsWith('PATCH')) return [200, { data: { updated: true } }];
				return [200, { data: { deployment_id: DEPLOYMENT, status: 'running', ...details } }];
			},
		});
		const context = bench.context();
		const note = {
			deployment_id: DEPLOYMENT,
			updated_fields: ['image_url'],
			telling: ['image_url'],
			former: ['image_url'],
		};
		Object.assign(context.journal, { intent: () => note, ageMs: () => ageMs });
		const input = inputOf(update, {
			deploymentId: locator(DEPLOYMENT),
			updateFields,
		});
		return { bench, result: await outcome(async () => await update.run(context, input)) };
	}

	it('is not sent again where the details show it', async () => {
		const { bench, result } = await retried(RUNS_NEW);
		expect(result).toMatchObject([{ deployment_id: DEPLOYMENT, updated: true }]);
		expect(bench.requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
	});

	it('with other fields is not taken for made where the details do not show the former', async () => {
		const { bench, result } = await retried({}, { command: 'serve' });
		if (!(result instanceof Error)) throw new Error(`It was made: ${JSON.stringify(result)}`);
		expect(result.message).toContain('its details do not tell whether it was made');
		expect(bench.requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
	});

	it('is sent again a quarter of an hour later where the details show the former settings', async () => {
		const { bench, result } = await retried(RUNS_OLD, undefined, 900_001);
		expect(result).toMatchObject([{ deployment_id: DEPLOYMENT, updated: null, accepted: true }]);
		expect(bench.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
	});

	it('is not sent again then, either, where the details tell nothing', async () => {
		const { bench, result } = await retried({}, undefined, 900_001);
		expect(result).toBeInstanceOf(Error);
		expect(bench.requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
	});
});

describe('an update that is cancelled', () => {
	const cancelled = async (when: 'before' | 'under way') => {
		const controller = new AbortController();
		if (when === 'before') controller.abort();
		const bench = jobBench({
			instead: (request) => {
				if (request.startsWith('PATCH')) controller.abort();
				return [500, {}];
			},
		});
		const noted: unknown[] = [];
		const context = { ...bench.context(), signal: controller.signal };
		Object.assign(context.journal, { note: (note: unknown) => noted.push(note) });
		const input = inputOf(update, {
			deploymentId: locator(DEPLOYMENT),
			updateFields: { imageUrl: NEW },
		});
		const result = await outcome(async () => await update.run(context, input));
		expect(result).toMatchObject({ message: 'The execution was cancelled' });
		return { bench, noted };
	};

	it('before it was sent is not noted', async () => {
		expect((await cancelled('before')).noted).toEqual([]);
	});

	it('while it was under way may have been made, which the log of n8n tells', async () => {
		const { bench, noted } = await cancelled('under way');
		expect(noted).toHaveLength(1);
		expect(bench.logged).toEqual([
			[
				'Cancelled while an update was under way: it may have been made.',
				{ deployment_id: DEPLOYMENT },
			],
		]);
	});
});
