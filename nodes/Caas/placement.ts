import type { INodeProperties } from 'n8n-workflow';
import { hardwareIdField } from '../marketplace/fields';
import { show } from '../shared/guards';
import type { Parameters } from '../shared/operation/parameters';

/** Where containers run and how many (beyond-the-spec.md section 2: IDs are whole numbers). */

/** No source names a highest number of GPUs per container, so the service has the last word. */
const COUNT = { min: 1 };

export const containerHardwareField: INodeProperties = {
	...hardwareIdField,
	description:
		'The GPU hardware to rent. The list shows that of VMs, since the service documents none for containers; Hardware > Get Available Replicas tells where containers can have it.',
};

export const gpusPerContainerField: INodeProperties = {
	displayName: 'GPUs per Container',
	name: 'gpusPerContainer',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 1,
	description: 'GPUs of each container. A container runs on one machine.',
};

export const locationIdsField: INodeProperties = {
	displayName: 'Location Names or IDs',
	name: 'locationIds',
	type: 'multiOptions',
	typeOptions: {
		loadOptionsMethod: 'loadLocations',
		loadOptionsDependsOn: ['hardwareId.value', 'gpusPerContainer'],
	},
	required: true,
	default: [],
	description:
		'Where the containers may run. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

export const replicaCountField: INodeProperties = {
	displayName: 'Replica Count',
	name: 'replicaCount',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 1,
	description: 'Number of equal containers; each one is billed',
};

export interface Placement {
	hardwareId: number;
	gpus: number;
	locationIds: number[];
	replicaCount: number;
}

export function readPlacement(parameters: Parameters): Placement {
	return {
		hardwareId: readHardwareId(parameters),
		gpus: parameters.integer('gpusPerContainer', COUNT),
		locationIds: readLocationIds(parameters),
		replicaCount: parameters.integer('replicaCount', COUNT),
	};
}

/** The service takes whole numbers for containers only. */
export function readHardwareId(parameters: Parameters): number {
	const id = parameters.id('hardwareId');
	return (
		wholeNumber(id) ??
		parameters.fail('hardwareId', `must be a whole number such as 12, got ${show(id)}`)
	);
}

function readLocationIds(parameters: Parameters): number[] {
	const value = parameters.value('locationIds');
	const ids = parameters.texts('locationIds');
	if (ids.length === 0) parameters.fail('locationIds', 'is required: choose one location at least');
	return ids.map(
		(id) =>
			wholeNumber(id) ??
			parameters.fail('locationIds', `must be whole numbers such as 3, got ${show(value)}`),
	);
}

function wholeNumber(value: string | number): number | undefined {
	const number = Number(value);
	return Number.isSafeInteger(number) && /^\d+$/.test(String(value)) ? number : undefined;
}
