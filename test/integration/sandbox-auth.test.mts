import { describe, expect, it } from 'vitest';
import { devices } from '../sandbox/index.mts';
import { Client, at, cloud } from '../sandbox/testing/client.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, client] = await useSandbox((service) => new Client(service.url));

const status = async (path: string, headers: Record<string, string>) =>
	(await client.call(path, { headers })).status;

const HARDWARE = '/enterprise/v1/svc-cloud/vmaas/hardware';
const MODELS = '/intelligence/api/v1/models';
const DEVICE = `/v1/svc-explorer/devices/${devices[0]?.device_id}/details`;

describe('a key', () => {
	it.each([
		'/enterprise/v1/svc-cloud/caas/deployment/x/log/y',
		'/v1/svc-blocks/devices/x/block-rewards-summary/2026-01-01/2026-01-02',
		HARDWARE,
		MODELS,
	])('that is missing or wrong is refused with 401: %s', async (path) => {
		const wrong: Record<string, string>[] = [
			{},
			{ 'x-api-key': 'wrong' },
			{ token: 'wrong' },
			{ authorization: 'Basic d3' },
		];
		for (const headers of wrong) {
			const answer = await client.call(path, { headers });
			expect([answer.status, typeof at(answer.json, 'detail')]).toEqual([401, 'string']);
		}
		expect(sandbox.requests.every(({ account }) => account === undefined)).toBe(true);
	});

	it('of another API is refused too', async () => {
		const { apiKey, accessToken, intelligenceKey } = sandbox.keys;
		expect(await status(HARDWARE, { 'x-api-key': accessToken })).toBe(401);
		expect(await status(DEVICE, { authorization: `Bearer ${apiKey}` })).toBe(401);
		expect(await status(MODELS, { authorization: `Bearer ${accessToken}` })).toBe(401);
		expect(await status(MODELS, { authorization: `Bearer ${intelligenceKey}` })).toBe(200);
	});
});

describe('several headers', () => {
	it('the explorer takes the header token, and refuses it when wrong even with a right Authorization', async () => {
		const { accessToken } = sandbox.keys;
		expect(await status(DEVICE, { token: accessToken })).toBe(200);
		expect(await status(DEVICE, { token: 'wrong', authorization: `Bearer ${accessToken}` })).toBe(
			401,
		);
	});

	it('the log stream needs the API key, and refuses a wrong access token sent with it', async () => {
		sandbox.logs.open('d', 'c').finish();
		const caas = cloud(sandbox, 'caas');
		const right = `Bearer ${sandbox.keys.accessToken}`;
		const log = async (headers: Record<string, string>) =>
			(await caas.call('/deployment/d/log/c', { headers })).status;
		expect(await log({})).toBe(200);
		expect(await log({ authorization: right })).toBe(200);
		expect(await log({ authorization: 'Bearer wrong' })).toBe(401);
		expect(await log({ 'x-api-key': 'wrong', authorization: right })).toBe(401);
		await caas.close();
	});

	it('the intelligence API refuses two at once with 400', async () => {
		const key = sandbox.keys.intelligenceKey;
		const headers = Object.entries({
			authorization: `Bearer ${key}`,
			'x-api-key': key,
			token: key,
		});
		for (const [name, value] of headers) {
			expect(await status(MODELS, { [name]: value })).toBe(200);
			for (const [other, second] of headers)
				if (other !== name)
					expect(await status(MODELS, { [name]: value, [other]: second })).toBe(400);
		}
	});
});
