import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, explorer, TOKEN, vmaas } from '../engine/nodes.mts';
import { errorOf } from '../engine/results.mts';
import { sandboxCredentials } from '../engine/start.mts';

const fixture = useFixture();
const hardware = (filters: IDataObject) =>
	vmaas('hardware', 'getAll', { returnAll: true, filters, options: {} });
describe('wrong credentials', () => {
	it.each([
		['no base URL', '', 'Base URL in the credential is required and must not be empty'],
		[
			'a user name and a password',
			'https://me:hunter2-secret@api.example.com',
			'Base URL in the credential must not contain a user name or a password',
		],
		[
			'a query',
			'https://api.example.com/?key=hunter2-secret',
			'Base URL in the credential must not contain a query (?) or a fragment (#)',
		],
	])('base URL: %s', async (_, baseUrl, message) => {
		const stored = sandboxCredentials(fixture.sandbox);
		const engine = await startEngine({
			...stored,
			'compute-token': {
				type: 'computeMarketplaceTokenApi',
				data: { service: 'svc', accessToken: 'token-abcdef', baseUrl },
			},
		});
		const run = await engine.run({
			...explorer('get', { deviceId: 'd', output: 'device' }),
			credentials: TOKEN,
		});
		expect(errorOf(run).message).toContain(message);
		expect(JSON.stringify(run)).not.toContain('hunter2-secret');
	});

	it('a service segment that is not a single URL path segment', async () => {
		const stored = sandboxCredentials(fixture.sandbox);
		const engine = await startEngine({
			...stored,
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: { baseUrl: fixture.sandbox.url, service: 'a/b', apiKey: 'key-abcdef' },
			},
		});
		expect(errorOf(await engine.run(hardware({}))).message).toBe(
			'Service Segment in the credential must be a single URL path segment: letters, digits and . _ ~ -',
		);
		expect(fixture.sandbox.requests).toHaveLength(0);
	});

	it.each([
		['the same account', 1, undefined],
		['another account', 0, 'An expression in the credential gives the items different values'],
	])(
		'an expression that gives the second item %s: %d bought for it',
		async (_, bought, message) => {
			const { url, keys } = fixture.sandbox;
			const apiKey = `={{ $json.isOwn ? '${keys.apiKey}' : 'key-of-another' }}`;
			const data = { baseUrl: url, service: 'svc', apiKey };
			const engine = await startEngine({
				'compute-marketplace': { type: 'computeMarketplaceApi', data },
			});
			const run = await engine.run(
				deployment('deploy', deployParameters({ resourcePrivateName: '={{ $itemIndex }}-job' })),
				[{ isOwn: true }, { isOwn: bought === 1 }],
			);
			if (message !== undefined) expect(errorOf(run).message).toContain(message);
			expect(fixture.sent('POST', /deploy$/)).toHaveLength(2 * bought);
		},
	);
});
