import { describe, expect, it } from 'vitest';
import { manualClock, startSandbox } from '../sandbox/index.mts';
import type { Sandbox, SandboxOptions } from '../sandbox/index.mts';
import { at, cloud, listAt } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';

const STARTUP = 30_000;

describe('deployments list', () => {
	async function withThree(
		options: SandboxOptions,
		look: (list: (query: string) => Promise<unknown>, other: Sandbox) => Promise<void>,
	): Promise<void> {
		const other = await startSandbox({ clock: manualClock(), ...options });
		const client = cloud(other, 'vmaas');
		for (const name of ['a', 'b', 'c'])
			await client.post('/deploy', { ...sampleDeploy, resource_private_name: name });
		await look(async (query) => (await client.get(`/deployments${query}`)).json, other);
		await client.close();
		await other.close();
	}
	const names = (json: unknown, field = 'name') =>
		listAt(json, 'data', 'deployments').map((entry) => at(entry, field));

	it('has the documented fields, newest first, VMaaS only', () =>
		withThree({}, async (list, other) => {
			const json = await list('');
			expect(names(json)).toEqual(['c', 'b', 'a']);
			expect(at(json, 'data', 'total')).toBe(3);
			expect(at(json, 'data', 'statuses')).toContain('termination requested');
			expect(at(json, 'data', 'deployments', 2)).toEqual({
				id: other.books.deployments[0]?.id,
				status: 'deployment requested',
				name: 'a',
				completed_percent: 0,
				hardware_quantity: 8,
				brand_name: 'NVIDIA',
				hardware_name: 'A100 SXM4',
				compute_minutes_served: 0,
				compute_minutes_remaining: 180,
			});
		}));

	it('pages from 0', () =>
		withThree({}, async (list) => {
			expect(names(await list('?page=0&page_size=2'))).toEqual(['c', 'b']);
			expect(names(await list('?page=1&page_size=2'))).toEqual(['a']);
			expect(names(await list('?page=2&page_size=2'))).toEqual([]);
		}));

	it('pages from 1 by choice, page 0 being the first again', () =>
		withThree({ firstPage: 1, nameField: 'resource_private_name' }, async (list) => {
			const field = 'resource_private_name';
			expect(names(await list('?page_size=2'), field)).toEqual(['c', 'b']);
			expect(names(await list('?page=0&page_size=2'), field)).toEqual(['c', 'b']);
			expect(names(await list('?page=1&page_size=2'), field)).toEqual(['c', 'b']);
			expect(names(await list('?page=2&page_size=2'), field)).toEqual(['a']);
		}));

	it('refuses page 0 by choice', () =>
		withThree({ firstPage: 1, refusesPageBelowFirst: true }, async (list) => {
			expect(at(await list('?page=0'), 'detail', 0, 'loc')).toEqual(['query', 'page']);
			expect(names(await list('?page=1'))).toHaveLength(3);
		}));

	it('filters by status', () =>
		withThree({}, async (list, other) => {
			other.clock.advance(STARTUP);
			const [first] = other.books.deployments;
			other.fail(first?.id ?? '');
			expect(names(await list('?status=running'))).toEqual(['c', 'b']);
			expect(names(await list('?status=failed'))).toEqual(['a']);
			expect(names(await list('?status=nothing+of+this+kind'))).toEqual([]);
		}));
});
