import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	containerHardwareField,
	gpusPerContainerField,
	locationIdsField,
	readPlacement,
	replicaCountField,
} from '../../nodes/Caas/placement.ts';
import { locator } from '../engine/nodes.mts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';

const fields = [containerHardwareField, gpusPerContainerField, locationIdsField, replicaCountField];

const read = (changes: Record<string, unknown> = {}) =>
	readPlacement(
		formOf({ fields }, {
			hardwareId: locator(7),
			gpusPerContainer: 1,
			locationIds: [3],
			replicaCount: 1,
			...changes,
		} as IDataObject),
	);

describe('where containers run', () => {
	it('is whole numbers, also where the form gives them as text', () => {
		const changes = {
			hardwareId: locator('12', 'list'),
			gpusPerContainer: '64',
			locationIds: '3, 04',
			replicaCount: 5,
		};
		expect(read(changes)).toEqual({
			hardwareId: 12,
			gpus: 64,
			locationIds: [3, 4],
			replicaCount: 5,
		});
	});

	it.each<[Record<string, unknown>, string]>([
		[
			{ hardwareId: locator('8H100.80S') },
			'Hardware must be a whole number such as 12, got "8H100.80S"',
		],
		[
			{ hardwareId: locator('12a', 'list') },
			'Hardware must be a whole number such as 12, got "12a"',
		],
		[{ hardwareId: locator(-1) }, 'Hardware must be a whole number such as 12, got -1'],
		[{ hardwareId: locator('1e3') }, 'Hardware must be a whole number such as 12, got "1e3"'],
		[
			{ hardwareId: locator('9007199254740993') },
			'Hardware must be a whole number such as 12, got "9007199254740993"',
		],
		[{ gpusPerContainer: 0 }, 'GPUs per Container must be a whole number of at least 1, got 0'],
		[{ replicaCount: 0 }, 'Replica Count must be a whole number of at least 1, got 0'],
		[{ locationIds: [] }, 'Location Names or IDs is required: choose one location at least'],
		[
			{ locationIds: [3, 'us-east'] },
			'Location Names or IDs must be whole numbers such as 3, got [3,"us-east"]',
		],
		[{ locationIds: [1.5] }, 'Location Names or IDs must be whole numbers such as 3, got [1.5]'],
	])('is not %j', (changes, text) => {
		expect(message(() => read(changes))).toBe(text);
	});
});
