import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { durationHoursField } from '../../../marketplace/fields';
import { HOURS } from '../../../marketplace/price';
import {
	priceLimitFields,
	readPriceLimits,
	type PriceLimits,
} from '../../../marketplace/priceLimits';
import type { NameRules } from '../../../marketplace/deploymentName';
import { collectionField } from '../../../shared/fields';
import type { Id, Parameters } from '../../../shared/operation/parameters';
import {
	networkServicesField,
	networkServicesJsonField,
	readNetworkServices,
	readSshKeys,
	sshKeysField,
} from '../../sshAndNetwork';

/** What Deploy and Deploy Cheapest have in common, validated. */
export interface OrderInput {
	durationHours: number;
	/** The parts of the deploy body that do not depend on the chosen hardware. */
	body: IDataObject;
	vmsQty?: number;
	nameRules: NameRules;
	priceLimits: PriceLimits;
}

/** Where a deployment runs: one public location, or a private node pool. Never both (compute-api.md "Deploy VMs"). */
export type Placement = { locationId: string } | { nodePoolId: string };

/** What is to be deployed, with the GPU count known. */
export interface Order extends OrderInput {
	hardwareId: Id;
	gpusPerVm: number;
	placement: Placement;
}

const NAME_RULES = ['error', 'useExisting', 'deploy'] as const;
/** The shortest time that can be bought. */
const DEFAULT_REMAINING_HOURS = 1;
const IMAGE_TYPES = ['general', 'datascience'] as const;

export const nameField: INodeProperties = {
	displayName: 'Name',
	name: 'resourcePrivateName',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. nightly-training',
	description: 'Name of the deployment. It is found again by this name, so give each job its own.',
};

/** The fields below the choice of hardware. */
export const commonFields: INodeProperties[] = [
	durationHoursField,
	sshKeysField,
	{
		displayName:
			'The first hour is never refunded, even if you destroy the deployment earlier. After that you pay for the exact time.',
		name: 'firstHourNotice',
		type: 'notice',
		default: '',
	},
	collectionField('safety', 'Safety', 'Add Safety Option', [
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: true,
			description:
				'Whether to only validate the parameters and return the request with its price, without deploying',
		},
		{
			displayName: 'If Name Exists',
			name: 'ifNameExists',
			type: 'options',
			options: [
				{
					name: 'Deploy Anyway',
					value: 'deploy',
					description: 'Create another deployment with the same name',
				},
				{
					name: 'Stop With an Error',
					value: 'error',
					description: 'Deploy nothing if a deployment with this name has not ended',
				},
				{
					name: 'Use the Existing One',
					value: 'useExisting',
					description: 'Deploy nothing and return the deployment with this name',
				},
			],
			default: 'error',
			description: 'What to do if a deployment with this name has not ended',
		},
		...priceLimitFields('Deploy nothing'),
		{
			displayName: 'Min Remaining Hours',
			name: 'minRemainingHours',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_REMAINING_HOURS,
			description:
				'Use the Existing One only if so much of its paid time is left; otherwise stop with an error',
		},
		{
			displayName: 'Unique Name',
			name: 'uniqueName',
			type: 'boolean',
			default: true,
			description:
				'Whether to add a suffix that no other execution, node or item has, so that each gets its own deployment',
		},
	]),
	collectionField('additionalFields', 'Additional Fields', 'Add Field', [
		{
			displayName: 'GitHub IDs',
			name: 'githubIds',
			type: 'string',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add GitHub ID' },
			default: [],
			placeholder: 'e.g. octocat',
			description: 'GitHub accounts whose public keys can log in',
		},
		networkServicesField,
		networkServicesJsonField,
		{
			displayName: 'VM Image Type',
			name: 'vmImageType',
			type: 'options',
			options: [
				{ name: 'Data Science', value: 'datascience' },
				{ name: 'General', value: 'general' },
			],
			default: 'general',
			description: 'Software that is installed on the VM',
		},
		{
			displayName: 'VMs Quantity (Deprecated)',
			name: 'vmsQty',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 1,
			description: 'Number of VMs; each one is billed. The service has deprecated this field.',
		},
	]),
];

/** Reads and checks the parameters that Deploy and Deploy Cheapest have in common. */
export function readOrder(parameters: Parameters): OrderInput {
	const name = parameters.text('resourcePrivateName');
	const durationHours = parameters.integer('durationHours', HOURS);
	const extra = parameters.group('additionalFields');
	const vmsQty = extra.integer('vmsQty', { optional: true, min: 1 });
	const githubIds = extra.texts('githubIds');
	const services = readNetworkServices(extra);
	const body: IDataObject = {
		duration_hours: durationHours,
		ssh_keys: readSshKeys(parameters),
		...(vmsQty !== undefined && { vms_qty: vmsQty }),
		...(githubIds.length > 0 && { github_ids: githubIds }),
		...(extra.has('vmImageType') && { vm_image_type: extra.choice('vmImageType', IMAGE_TYPES) }),
		...(services !== undefined && { network_services: services }),
	};
	return {
		durationHours,
		body,
		vmsQty,
		nameRules: readNameRules(parameters, name, vmsQty ?? 1),
		priceLimits: readPriceLimits(parameters),
	};
}

function readNameRules(parameters: Parameters, name: string, vms: number): NameRules {
	const safety = parameters.group('safety');
	return {
		name,
		ifNameExists: safety.has('ifNameExists') ? safety.choice('ifNameExists', NAME_RULES) : 'error',
		uniqueName: safety.flag('uniqueName'),
		dryRun: safety.flag('dryRun'),
		vms,
		minRemainingHours:
			safety.number('minRemainingHours', { optional: true, min: 0 }) ?? DEFAULT_REMAINING_HOURS,
	};
}

/** The deploy body; keys that are not set are not sent, since an unknown or empty key is a 422. */
export function bodyOf(order: Order, name: string): IDataObject {
	const { placement } = order;
	const where =
		'locationId' in placement
			? { location_ids: [placement.locationId] }
			: { node_pool_id: placement.nodePoolId };
	return {
		resource_private_name: name,
		hardware_id: order.hardwareId,
		gpus_per_vm: order.gpusPerVm,
		...where,
		...order.body,
	};
}

/** What the output says of an order besides what the service answers. */
export function extrasOf(order: Order, prices: IDataObject): IDataObject {
	return {
		hardware_id: order.hardwareId,
		gpus_per_vm: order.gpusPerVm,
		duration_hours: order.durationHours,
		...prices,
	};
}
