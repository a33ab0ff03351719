import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();
const buy = async (name: string, safety: IDataObject = {}) =>
	await fixture.run(deployment('deploy', deployParameters({ resourcePrivateName: name, safety })));

describe('Maximum Running Cost', () => {
	it('a purchase in another currency is not counted as if its price were in usdc', async () => {
		fixture.sandbox.adopt({ listLagMs: 60_000 });
		fixture.sandbox.faults.add({
			match: { path: /\/price$/ },
			times: 1,
			status: 200,
			body: { data: { total_cost_btc: 0.00001 } },
		});
		const { deployment_id: id } = onlyJson(await buy('a', { maxPrice: 1, currency: 'btc' }));
		expect(errorOf(await buy('b', { maxRunningCost: 100 })).message).toBe(
			`Maximum Running Cost cannot be checked: what the deployment ${String(id)} costs an hour is not known`,
		);
		expect(fixture.sent('POST', /\/deploy$/)).toHaveLength(1);
	});

	it('cannot be checked with a price in another currency', async () => {
		fixture.sandbox.faults.add({
			match: { path: /\/price$/ },
			times: 1,
			status: 200,
			body: { data: { total_cost_btc: 0.00001 } },
		});
		const error = errorOf(await buy('a', { maxPrice: 1, maxRunningCost: 100, currency: 'btc' }));
		expect(error.message).toBe('Maximum Running Cost cannot be checked with a price in btc');
		expect(error.description).toMatch(/usdc.* Nothing was deployed\.$/);
		expect(fixture.sent('POST', /./)).toEqual([]);
	});

	it('counts what was bought after the list was asked for, however long its details take', async () => {
		fixture.sandbox.adopt({ listLagMs: 600_000 });
		const { id } = fixture.sandbox.addResident({ name: 'c', hoursAgo: 1 });
		fixture.sandbox.faults.add({
			match: { path: new RegExp(`/deployment/${id}$`) },
			times: 1,
			...errorForms.empty(503),
		});
		let bought = '';
		fixture.time.onWait = async () => {
			fixture.time.onWait = undefined;
			bought = String(onlyJson(await buy('a')).deployment_id);
			fixture.sandbox.clock.advance(130_000);
		};
		expect(errorOf(await buy('b', { maxRunningCost: 100 })).message).toContain(bought);
		expect(fixture.sent('POST', /\/deploy$/)).toHaveLength(1);
	});
});

describe('Get Spending by day', () => {
	it('no day is complete while something may be of any day', async () => {
		const paid = { status: 'destroyed', amount_paid: 1 };
		fixture.sandbox.faults.add({
			match: { path: '/vmaas/deployments' },
			times: Infinity,
			status: 200,
			body: {
				data: {
					total: 2,
					deployments: [
						{ id: 'x', ...paid, created_at: '2026-01-01T10:00:00Z' },
						{ id: 'y', ...paid },
					],
				},
			},
		});
		const parameters = { groupBy: 'day', filters: {}, options: {} };
		expect(jsonOf(await fixture.run(deployment('getSpending', parameters)))).toMatchObject([
			{ day: null, deployments: 1, is_complete: false },
			{ day: '2026-01-01', deployments: 1, paid: 1, undated: 1, is_complete: false },
		]);
	});
});
