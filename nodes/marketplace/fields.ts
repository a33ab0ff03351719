import type { INodeProperties } from 'n8n-workflow';
import { locatorField, type Locator } from '../shared/fields';
import type { Parameters } from '../shared/operation/parameters';

/** The hardware of an offer: `hardware_id` is the offer's `deploy_id` (compute-api.md "Typical flow"). */
export const hardwareIdField = locatorField({
	displayName: 'Hardware',
	name: 'hardwareId',
	description: 'The GPU hardware to rent',
	placeholder: 'Select hardware...',
	searchListMethod: 'searchHardware',
	idPlaceholder: 'e.g. 12 or 8H100.80S.176V',
	idHint: 'The deploy_id of a hardware offer',
});

/** The one location of a deployment; the list depends on the hardware that was chosen. */
export const locationIdField = locatorField({
	displayName: 'Location',
	name: 'locationId',
	description: 'The region to use; the service supports exactly one',
	placeholder: 'Select a location...',
	searchListMethod: 'searchLocations',
	idPlaceholder: 'e.g. us-east-1',
	idHint: 'The location of a hardware offer',
	dependsOn: ['hardwareId.value'],
});

const deploymentLocator: Locator = {
	displayName: 'Deployment',
	name: 'deploymentId',
	description: 'The deployment to use',
	placeholder: 'Select a deployment...',
	searchListMethod: 'searchDeployments',
	idPlaceholder: 'e.g. 0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35',
};

/** A deployment by its ID. */
export const deploymentIdField = locatorField(deploymentLocator);

/** A deployment by its ID or its exact name; see `readReference`. */
export const deploymentField = locatorField({
	...deploymentLocator,
	namePlaceholder: 'e.g. nightly-training',
});

export const gpusPerVmField: INodeProperties = {
	displayName: 'GPUs per VM',
	name: 'gpusPerVm',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 8, numberPrecision: 0 },
	default: '',
	placeholder: 'Automatic',
	description:
		'GPUs in each VM, 1 to 8. Empty takes the only size of the hardware; if it has several there, you must choose one.',
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

export const namePrefixField: INodeProperties = {
	displayName: 'Name Prefix',
	name: 'namePrefix',
	type: 'string',
	default: '',
	placeholder: 'e.g. nightly-',
	description: 'Only deployments whose name starts with this text',
};

export const statusField: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	options: [
		{ name: 'Completed', value: 'completed' },
		{ name: 'Deployment Requested', value: 'deployment requested' },
		{ name: 'Destroyed', value: 'destroyed' },
		{ name: 'Failed', value: 'failed' },
		{ name: 'Running', value: 'running' },
		{ name: 'Termination Requested', value: 'termination requested' },
	],
	default: 'running',
	description:
		'Only deployments in this state. Use an expression for a state that is not listed here.',
};

/** A filter whose expression finds nothing must not include everything. */
export const EMPTY_FILTER = 'must not be empty; remove the filter to include everything';

/** The prefix of names as it is, with its whitespace; undefined where none is set. */
export function readNamePrefix(filters: Parameters): string | undefined {
	return filters.has('namePrefix') ? filters.text('namePrefix', { trim: false }) : undefined;
}
