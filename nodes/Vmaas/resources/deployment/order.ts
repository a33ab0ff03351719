import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { durationHoursField } from '../../../marketplace/fields';
import { HOURS } from '../../../marketplace/price';
import { firstHourNotice, readNameRules, safetyField } from '../../../marketplace/order';
import type { Ordered } from '../../../marketplace/orderMatch';
import { readPriceLimits, type PriceLimits } from '../../../marketplace/priceLimits';
import { VMAAS } from '../../../marketplace/product';
import { sshCredential } from '../../../marketplace/ssh';
import type { OperationContext } from '../../../shared/operation/context';
import type { NameRules } from '../../../marketplace/deploymentName';
import { collectionField } from '../../../shared/fields';
import type { Id, Parameters } from '../../../shared/operation/parameters';
import {
	networkServicesField,
	networkServicesJsonField,
	readNetworkServices,
	readSshKeys,
	sshKeysField,
	OWN_ENTRY_NAME,
	useSshCredentialField,
} from '../../sshAndNetwork';

/** What Deploy and Deploy Cheapest have in common, validated. */
export interface OrderInput {
	durationHours: number;
	/** The parts of the deploy body that do not depend on the chosen hardware. */
	body: IDataObject;
	/** Whether the public key of the SSH credential is yet to be added to the body; see {@link withSshKey}. */
	usesSshCredential: boolean;
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

const IMAGE_TYPES = ['general', 'datascience'] as const;

/** The fields below the choice of hardware. */
export const commonFields: INodeProperties[] = [
	durationHoursField,
	sshKeysField,
	useSshCredentialField,
	firstHourNotice,
	safetyField(VMAAS),
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
	const durationHours = parameters.integer('durationHours', HOURS);
	const extra = parameters.group('additionalFields');
	const vmsQty = extra.integer('vmsQty', { optional: true, min: 1 });
	const githubIds = extra.texts('githubIds');
	const services = readNetworkServices(extra);
	const usesSshCredential = parameters.flag('useSshCredential');
	const body: IDataObject = {
		duration_hours: durationHours,
		ssh_keys: readSshKeys(parameters, usesSshCredential),
		...(vmsQty !== undefined && { vms_qty: vmsQty }),
		...(githubIds.length > 0 && { github_ids: githubIds }),
		...(extra.has('vmImageType') && { vm_image_type: extra.choice('vmImageType', IMAGE_TYPES) }),
		...(services !== undefined && { network_services: services }),
	};
	return {
		durationHours,
		body,
		usesSshCredential,
		vmsQty,
		nameRules: readNameRules(parameters, vmsQty ?? 1),
		priceLimits: readPriceLimits(parameters),
	};
}

/**
 * An order with the public key of the SSH credential among its keys, where it is to be.
 * @throws where the credential is missing or its key cannot be read; nothing was sent
 */
export async function withSshKey<Input extends OrderInput>(
	context: OperationContext,
	input: Input,
): Promise<Input> {
	if (!input.usesSshCredential) return input;
	const { publicKey } = await sshCredential(context);
	const keys = input.body.ssh_keys as IDataObject;
	const isThere = Object.values(keys).some((key) => String(key).startsWith(publicKey));
	if (isThere) return input;
	const ssh_keys = { ...keys, [OWN_ENTRY_NAME]: publicKey };
	return { ...input, body: { ...input.body, ssh_keys } };
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
export function extrasOf(order: Order): IDataObject {
	return {
		hardware_id: order.hardwareId,
		gpus_per_vm: order.gpusPerVm,
		duration_hours: order.durationHours,
	};
}

/** By what a deployment of this order is known again. */
export function orderedOf(order: Order): Ordered {
	return {
		hardware_id: order.hardwareId,
		gpus: order.gpusPerVm,
		duration_hours: order.durationHours,
		workers: order.vmsQty ?? 1,
	};
}
