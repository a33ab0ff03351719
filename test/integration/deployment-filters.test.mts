import { isMainThread } from 'node:worker_threads';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { DETAILS, LIST, useOrdered } from './ordered.mts';

const { fixture } = useOrdered();

const list = async (filters: IDataObject) =>
	jsonOf(await fixture.run(deployment('getAll', { returnAll: true, filters })));

describe('getAll deployments', () => {
	// A thread has no time zone of its own
	it.runIf(isMainThread).each(['Asia/Tokyo', 'America/New_York'])(
		'a time without a zone is UTC, also where n8n runs in %s',
		async (zone) => {
			const { TZ } = process.env;
			process.env.TZ = zone;
			try {
				expect(new Date(0).getTimezoneOffset()).not.toBe(0);
				const created = new Date(fixture.sandbox.clock.now() - 2 * 3_600_000).toISOString();
				const deployments = [
					created.slice(0, -1),
					created.slice(0, 19).replace('T', ' '),
					created.slice(0, 16),
					created,
				].map((time, id) => ({ id, created_at: time }));
				fixture.sandbox.faults.add({
					match: { path: '/vmaas/deployments' },
					times: Infinity,
					status: 200,
					body: { data: { deployments } },
				});
				expect(await list({ olderThanHours: 1.9 })).toHaveLength(4);
				expect(await list({ olderThanHours: 2.1 })).toEqual([]);
			} finally {
				if (TZ === undefined) delete process.env.TZ;
				else process.env.TZ = TZ;
			}
		},
	);

	const HOUR = 3_600_000;
	/** The list has one deployment, and its details say no more. */
	const serve = (entry: IDataObject) => {
		for (const [match, body] of [
			[LIST, { data: { deployments: [{ id: 'd', ...entry }], total: 1 } }],
			[DETAILS, { data: { id: 'd', ...entry } }],
		] as const)
			fixture.sandbox.faults.add({ match, times: Infinity, status: 200, body });
	};
	const ago = (hours: number) => fixture.sandbox.clock.now() - hours * HOUR;

	it.each([
		['seconds', (ms: number) => ms / 1000],
		['seconds as text', (ms: number) => String(ms / 1000)],
		['milliseconds', (ms: number) => ms],
		['milliseconds as text', (ms: number) => String(ms)],
		[
			'ISO with another zone',
			(ms: number) => new Date(ms + 2 * HOUR).toISOString().replace('Z', '+02:00'),
		],
	])('the age is read from %s', async (_, form) => {
		serve({ created_at: form(ago(13)) });
		expect(await list({ olderThanHours: 12 })).toMatchObject([
			{ deployment_id: 'd', age_hours: 13 },
		]);
		expect(await list({ olderThanHours: 14 })).toEqual([]);
	});

	it('the date counts, and not minutes that are summed over GPUs', async () => {
		serve({ created_at: new Date(ago(2)).toISOString(), compute_minutes_served: 8 * 120 });
		expect(await list({ olderThanHours: 12 })).toEqual([]);
	});

	it.each([['22/11/2026 10:00'], [null], [''], [17], ['yesterday']])(
		'an age that cannot be read (%j) is seen, but not taken for an old one',
		async (created) => {
			serve({ created_at: created, compute_minutes_served: 8 * 120, hardware_quantity: 8 });
			const unknown = { id: 'd', deployment_id: null, age_hours: null };
			expect(await list({ olderThanHours: 12 })).toMatchObject([unknown]);
			expect(await list({ olderThanHours: 1.9 })).toMatchObject([
				{ deployment_id: 'd', age_hours: 2 },
			]);
		},
	);

	it.each(['Running', 'RUNNING'])('a state that the service spells "%s"', async (status) => {
		fixture.sandbox.faults.add({
			match: LIST,
			times: 2,
			status: 200,
			body: { data: { deployments: [] } },
		});
		serve({ status });
		expect(await list({ status: 'running' })).toMatchObject([{ deployment_id: 'd', status }]);
	});

	it('whitespace in the name prefix is significant', async () => {
		await fixture.run(deployment('deploy', deployParameters({ resourcePrivateName: 'job s' })));
		expect(
			(await list({ namePrefix: 'job ' })).map((entry) => entry.resource_private_name),
		).toEqual(['job s']);
		expect(
			errorOf(
				await fixture.run(deployment('getAll', { returnAll: true, filters: { namePrefix: ' ' } })),
			).message,
		).toContain('Name Prefix must not be empty');
	});
});
