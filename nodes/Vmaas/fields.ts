import type { INodeProperties } from 'n8n-workflow';

/** The hardware of an offer: `hardware_id` is the offer's `deploy_id` (compute-api.md "Typical flow"). */
export const hardwareIdField: INodeProperties = {
	displayName: 'Hardware',
	name: 'hardwareId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The GPU machine to use',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a machine...',
			typeOptions: { searchListMethod: 'searchHardware', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 12 or 8H100.80S.176V', hint: 'The deploy_id of a hardware offer' },
	],
};

/** The one location of a deployment; the list depends on the hardware that was chosen. */
export const locationIdField: INodeProperties = {
	displayName: 'Location',
	name: 'locationId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	typeOptions: { loadOptionsDependsOn: ['hardwareId.value'] },
	description: 'The region to use; the service supports exactly one',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a location...',
			typeOptions: { searchListMethod: 'searchLocations', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. US', hint: 'The location of a hardware offer' },
	],
};

export const deploymentIdField: INodeProperties = {
	displayName: 'Deployment',
	name: 'deploymentId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description: 'The deployment (GPU cluster) to use',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a deployment...',
			typeOptions: { searchListMethod: 'searchDeployments', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7' },
	],
};

export const gpusPerVmField: INodeProperties = {
	displayName: 'GPUs per VM',
	name: 'gpusPerVm',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 8, numberPrecision: 0 },
	default: 0,
	description: 'GPUs in each machine, 1 to 8. 0 takes the number that the chosen hardware has.',
};

export const durationHoursField: INodeProperties = {
	displayName: 'Duration (Hours)',
	name: 'durationHours',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 8760, numberPrecision: 0 },
	required: true,
	default: 1,
	description: 'How many whole hours to pay for, 1 to 8760 (one year)',
};

export const currencyField: INodeProperties = {
	displayName: 'Currency',
	name: 'currency',
	type: 'string',
	required: true,
	default: 'usdc',
	placeholder: 'e.g. usdc',
	description: 'Code of the currency of the price, such as usdc',
};
