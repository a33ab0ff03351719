import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { differencesFrom, isSameHardware } from '../../nodes/marketplace/orderMatch.ts';
import { CAAS, VMAAS } from '../../nodes/marketplace/product.ts';

const SENT_AT = Date.parse('2026-03-01T12:00:00Z');
const ORDER = { hardware_id: 12, gpus: 4, workers: 2, duration_hours: 3, sentAt: SENT_AT };

const differences = (found: IDataObject, ...clock: number[]) =>
	differencesFrom(VMAAS, ORDER, found, ...clock);

describe('what a deployment shows that was not ordered', () => {
	it.each<[IDataObject, string]>([
		[{ gpus_per_vm: 8 }, 'gpus_per_vm 8 instead of 4'],
		[{ total_vms: '1' }, 'total_vms 1 instead of 2'],
		[{ total_gpus: 4 }, 'total_gpus 4 instead of 8'],
		[{ hardware_id: 13 }, 'hardware_id 13 instead of 12'],
		[{ hardware_id: '120' }, 'hardware_id 120 instead of 12'],
	])('%j: %s', (found, difference) => expect(differences(found)).toEqual([difference]));

	it.each<[IDataObject]>([
		[{}],
		[{ gpus_per_vm: 4, total_vms: 2, total_gpus: 8, hardware_id: '12__US' }],
		[{ gpus_per_vm: 0, total_vms: 0, total_gpus: -1 }],
		[{ hardware_id: 0 }],
		[{ hardware_id: '' }],
		[{ hardware_id: null }],
	])('%j: nothing', (found) => expect(differences(found)).toEqual([]));

	it('is told all at once', () => {
		expect(differences({ gpus_per_vm: 8, total_vms: 1, hardware_id: 'x' })).toEqual([
			'hardware_id x instead of 12',
			'gpus_per_vm 8 instead of 4',
			'total_vms 1 instead of 2',
		]);
	});

	it('is told of containers by their own names', () => {
		const found = { gpus_per_container: 8, total_containers: 1, gpus_per_vm: 8, total_vms: 1 };
		expect(differencesFrom(CAAS, ORDER, found)).toEqual([
			'gpus_per_container 8 instead of 4',
			'total_containers 1 instead of 2',
		]);
	});
});

describe('the minutes of a deployment that was ordered for three hours', () => {
	const minutes = (served: number, remaining: number, status = 'running') =>
		differences({ status, compute_minutes_served: served, compute_minutes_remaining: remaining });

	it.each([180, 175, 185, 360, 720, 1440])('may be %d, counted once or for each', (sum) => {
		expect(minutes(100, sum - 100)).toEqual([]);
	});

	it.each([174, 186, 900])('are not %d', (sum) => {
		expect(minutes(100, sum - 100)).toEqual([`${sum} minutes instead of 180`]);
		expect(minutes(100, sum - 100, 'deployment requested')).toHaveLength(1);
	});

	it('tell nothing before they are shown, and of what ends or has ended', () => {
		expect(minutes(0, 0)).toEqual([]);
		for (const status of ['destroyed', 'terminating', 'paused'])
			expect(minutes(0, 60, status)).toEqual([]);
	});
});

describe('a creation', () => {
	const at = (ms: number) => new Date(SENT_AT + ms).toISOString();
	const MINUTES = 60_000;

	it('before it was ordered is of another deployment, but clocks that are not told may differ by minutes', () => {
		expect(differences({ created_at: at(-5 * MINUTES) })).toEqual([]);
		const created_at = at(-5 * MINUTES - 1);
		expect(differences({ created_at })).toEqual([
			`created_at ${created_at}, before it was ordered`,
		]);
		expect(differences({ created_at: 'long ago' })).toEqual([]);
	});

	it.each([-60 * MINUTES, 0, 60 * MINUTES])(
		'is compared to two seconds on the clock of a service that tells it (%i ms ahead)',
		(aheadMs) => {
			expect(differences({ created_at: at(aheadMs - 2_000) }, aheadMs)).toEqual([]);
			expect(differences({ created_at: at(aheadMs - 2_001) }, aheadMs)).toHaveLength(1);
		},
	);

	it('that is given without seconds may be of any second of its minute', () => {
		const created = { created_at: '2026-03-01T12:00Z' };
		expect(differences(created, 62_000)).toEqual([]);
		expect(differences(created, 62_001)).toHaveLength(1);
	});

	it.each(['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.000Z', SENT_AT / 1_000])(
		'on a full minute is of that second (%s)',
		(created_at) => {
			expect(differences({ created_at }, 2_000)).toEqual([]);
			expect(differences({ created_at }, 2_001)).toHaveLength(1);
		},
	);

	it('may be by a clock that is off by more than it is rounded', () => {
		expect(differences({ created_at: at(-8_000) }, 0, 8_000)).toEqual([]);
		expect(differences({ created_at: at(-8_001) }, 0, 8_000)).toHaveLength(1);
		expect(differences({ created_at: at(-2_000) }, 0, 1_000)).toEqual([]);
	});

	it.each([-14, -5.75, 0, 5.5, 14])(
		'without a zone is told by the quarter of an hour (%d h)',
		(hours) => {
			const local = (ms: number) => at(hours * 60 * MINUTES + ms).slice(0, -1);
			for (const ms of [-2_000, 0, MINUTES])
				expect(differences({ created_at: local(ms) }, 0)).toEqual([]);
			for (const ms of [-2_001, -61_000])
				expect(differences({ created_at: local(ms) }, 0)).toHaveLength(1);
		},
	);

	it('without a zone may be of any place', () => {
		const local = (ms: number) => at(ms).slice(0, -1);
		expect(differences({ created_at: local(-14 * 60 * MINUTES - 5 * MINUTES) })).toEqual([]);
		expect(differences({ created_at: local(-14 * 60 * MINUTES - 5 * MINUTES - 1) })).toHaveLength(
			1,
		);
	});
});

it.each([
	[12, '12', true],
	['12__1', 12, true],
	[12, '12__US', true],
	['12', '121', false],
	['12_1', '12', false],
	['12__1', '12__2', false],
	['A__12', '12', false],
])('%j and %j are the same hardware: %j', (one, other, same) => {
	expect(isSameHardware(one, other)).toBe(same);
});
