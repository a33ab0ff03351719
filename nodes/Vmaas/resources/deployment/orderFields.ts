import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { collectionField } from '../../../shared/fields';
import type { Parameters } from '../../../shared/operation/parameters';
import {
	networkServicesField,
	readNetworkServices,
	readSshKeys,
	sshKeysField,
} from '../../sshAndNetwork';
import {
	priceLimitFields,
	readPriceLimits,
	type PriceLimits,
} from '../../../marketplace/priceLimits';
import { durationHoursField } from '../../../marketplace/fields';
import { HOURS } from '../price';

/** What `deploy` and `deployCheapest` have in common, validated. */
export interface DeployInput {
	name: string;
	durationHours: number;
	/** The parts of the deploy body that do not depend on the chosen hardware. */
	body: IDataObject;
	vmsQty?: number;
	safety: Safety;
}

export interface Safety extends PriceLimits {
	ifNameExists: (typeof NAME_RULES)[number];
	uniqueName: boolean;
	dryRun: boolean;
}

const NAME_RULES = ['error', 'useExisting', 'deploy'] as const;
const IMAGE_TYPES = ['general', 'datascience'] as const;

export const nameField: INodeProperties = {
	displayName: 'Name',
	name: 'resourcePrivateName',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. nightly-training',
	description:
		'Name of the cluster. Deployments are found again by it, so give each job a name of its own.',
};

/** The fields below the choice of hardware. */
export const commonFields: INodeProperties[] = [
	durationHoursField,
	sshKeysField,
	{
		displayName:
			'The first hour of a machine is never refunded, also when you destroy it earlier. After that the exact time is charged.',
		name: 'firstHourNotice',
		type: 'notice',
		default: '',
	},
	collectionField('safety', 'Safety', 'Add Safety Rule', [
		{
			displayName: 'Dry Run',
			name: 'dryRun',
			type: 'boolean',
			default: true,
			description:
				'Whether to only check everything and return the request and its price, without deploying',
		},
		{
			displayName: 'If Name Exists',
			name: 'ifNameExists',
			type: 'options',
			options: [
				{
					name: 'Deploy Anyway',
					value: 'deploy',
					description: 'Deploy another machine with the same name',
				},
				{
					name: 'Stop With an Error',
					value: 'error',
					description: 'Deploy nothing when a machine with this name has not ended yet',
				},
				{
					name: 'Use the Existing One',
					value: 'useExisting',
					description: 'Deploy nothing and return the machine that has this name',
				},
			],
			default: 'error',
			description: 'What to do when a deployment with this name has not ended yet',
		},
		...priceLimitFields('Deploy nothing'),
		{
			displayName: 'Unique Name',
			name: 'uniqueName',
			type: 'boolean',
			default: true,
			description:
				'Whether to add a suffix of execution, run and item to the name, so that each run gets a machine of its own',
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
			description: 'GitHub accounts whose public keys may log in',
		},
		networkServicesField,
		{
			displayName: 'VM Image Type',
			name: 'vmImageType',
			type: 'options',
			options: [
				{ name: 'Data Science', value: 'datascience' },
				{ name: 'General', value: 'general' },
			],
			default: 'general',
			description: 'The software that is on the machine when it starts',
		},
		{
			displayName: 'VMs Quantity (Deprecated)',
			name: 'vmsQty',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 1,
			description:
				'Number of machines. The service has marked this field as deprecated; every machine is billed.',
		},
	]),
];

/** Reads and checks the common fields. */
export function readDeployForm(parameters: Parameters): DeployInput {
	const name = parameters.text('resourcePrivateName');
	const durationHours = parameters.integer('durationHours', HOURS);
	const extra = parameters.group('additionalFields');
	const vmsQty = extra.optionalInteger('vmsQty', { min: 1 });
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
	return { name, durationHours, body, vmsQty, safety: readSafety(parameters) };
}

function readSafety(parameters: Parameters): Safety {
	const safety = parameters.group('safety');
	return {
		...readPriceLimits(parameters),
		ifNameExists: safety.has('ifNameExists') ? safety.choice('ifNameExists', NAME_RULES) : 'error',
		uniqueName: safety.flag('uniqueName'),
		dryRun: safety.flag('dryRun'),
	};
}
