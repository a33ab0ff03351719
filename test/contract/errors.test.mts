import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { caas, chat, explorer, locator, rag, vmaas } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { devices, errorForms, type ErrorForm } from '../sandbox/index.mts';
import { at, Client, listAt } from '../sandbox/testing/client.mts';

/** compute-api.md: introduction, What the service does, Validation error body, Authentication, Events, Errors; beyond-the-spec.md sections 3 and 7. */
const fixture = useFixture();
const deviceId = devices[0]?.device_id ?? '';

const hardware = vmaas('hardware', 'getAll', { returnAll: true, filters: {}, options: {} });
const device = explorer('get', { deviceId, output: 'device' });
const models = chat('model', 'getAll', { returnAll: true });

describe('the validation error body', () => {
	const sample = { loc: ['body', 'location_ids', 0], msg: 'is gone', type: 'value_error' };
	const refused = async (detail: unknown) => {
		fixture.sandbox.faults.add({ status: 422, body: { detail } });
		return errorOf(await fixture.run(hardware)).message;
	};

	it('[validation.detail] every entry of the list is in the error', async () => {
		expect(await refused([sample, { ...sample, loc: ['query', 'gpu'], msg: 'is odd' }])).toBe(
			'location_ids.0: is gone; gpu: is odd',
		);
		expect(
			listAt((await fixture.client.get('/hardware?cpu_cores_min=0&storage_min=0')).json, 'detail'),
		).toHaveLength(2);
	});

	it('[validation.loc] [validation.loc.integer] the path to the field: texts and integers, without where it was sent', async () => {
		expect(await refused([sample])).toBe('location_ids.0: is gone');
		expect(await refused([{ ...sample, loc: ['path', 'a', 1, 'b'] }])).toBe('a.1.b: is gone');
		expect(
			at((await fixture.client.post('/deploy', { location_ids: [1] })).json, 'detail'),
		).toEqual(
			expect.arrayContaining([expect.objectContaining({ loc: ['body', 'location_ids', 0] })]),
		);
	});

	it('[validation.msg] [validation.type] the message is shown, the type is not', async () => {
		const message = await refused([sample]);
		expect(message).toContain('is gone');
		expect(message).not.toContain('value_error');
		expect(listAt((await fixture.client.get('/hardware?cpu_cores_min=0')).json, 'detail')).toEqual([
			{ loc: ['query', 'cpu_cores_min'], msg: expect.any(String), type: 'greater_than_equal' },
		]);
	});
});

describe('errors that the specifications do not show', () => {
	const nodes: Array<[string, ReturnType<typeof vmaas>]> = [
		['errors', hardware],
		['intelligence.errors', models],
	];
	it.each(nodes)(
		'[%s.not_shown] a refused key, an exceeded quota, a server error: the cause, the words of the service, what to do',
		async (_, node) => {
			for (const [status, title] of [
				[401, 'Authentication failed'],
				[402, 'Payment required'],
				[403, 'Permission denied'],
				[409, 'Conflict'],
				[418, 'Request rejected'],
				[500, 'Server error'],
			] as const) {
				fixture.sandbox.faults.add({
					times: 3,
					...errorForms.detailString(status, 'its own words'),
				});
				const error = errorOf(await fixture.run(node));
				fixture.sandbox.faults.clear();
				expect(error.message).toMatch(new RegExp(`${title}.*\\(${status}\\): its own words$`));
				expect(error.description).toMatch(/\w{4}/);
			}
		},
	);

	const forms: Array<[string, ErrorForm, string]> = [
		['text', errorForms.plainText(400, 'its own words'), ': its own words'],
		['empty', errorForms.empty(400), ''],
		['detail', errorForms.detailString(400, 'its own words'), ': its own words'],
		[
			'list',
			errorForms.detailList(400, [{ loc: ['body', 'field'], msg: 'its own words', type: 'x' }]),
			': field: its own words',
		],
		['detail_message', errorForms.detailMessage(400, 'its own words'), ': its own words'],
		['message', errorForms.messageAndType(400, 'its own words'), ': its own words'],
		['error', errorForms.errorObject(400, 'its own words'), ': its own words'],
	];
	it.each(forms)('[errors.form.%s] is understood by every node', async (_, form, words) => {
		for (const node of [
			hardware,
			device,
			models,
			caas('deployment', 'get', { deploymentId: locator('d') }),
			rag('system', 'getHealth'),
		]) {
			fixture.sandbox.faults.add(form);
			expect(errorOf(await fixture.run(node)).message).toBe(`Request rejected (400)${words}`);
		}
	});
});

describe('explorer: errors of every endpoint', () => {
	const dates = { fromDate: '2025-12-01', toDate: '2025-12-03' };
	const operations = ['get', 'getSummary', 'getProofOfWork', 'getBlockRewards'];
	const run = async (operation: string, id: string) =>
		await fixture.run(
			explorer(operation, { deviceId: id, output: 'device', ...dates } as IDataObject),
		);

	it('[explorer.404] text/plain Not found', async () => {
		const direct = new Client(fixture.sandbox.url, {
			authorization: `Bearer ${fixture.sandbox.keys.accessToken}`,
		});
		for (const operation of operations) {
			expect(errorOf(await run(operation, 'made-up')).message).toBe('Not found (404)');
			const { text, type } = await direct.get(fixture.sandbox.requests.at(-1)?.path ?? '');
			expect([text, type]).toEqual(['Not found', expect.stringMatching(/^text\/plain/)]);
		}
		await direct.close();
	});

	it('[explorer.422] the validation error body', async () => {
		for (const operation of operations) {
			fixture.sandbox.faults.add(
				errorForms.detailList(422, [
					{ loc: ['path', 'device_id'], msg: 'must be a UUID', type: 'uuid' },
				]),
			);
			expect(errorOf(await run(operation, deviceId)).message).toBe('device_id: must be a UUID');
		}
	});

	it('[device.status] the envelope has a status, the device has none; one that is sent is kept', async () => {
		expect(onlyJson(await fixture.run(device))).not.toHaveProperty('status');
		fixture.sandbox.faults.add({
			status: 200,
			body: { status: 'succeeded', data: { device_id: 'd', status: 'up' } },
		});
		expect(onlyJson(await fixture.run(device))).toEqual({ device_id: 'd', status: 'up' });
	});
});
