import type { IDataObject } from 'n8n-workflow';
import { replyError } from '../../../shared/http/request';
import type { Operation } from '../../../shared/operation/operation';
import type { Parameters, Id } from '../../../shared/operation/parameters';
import { checkPriceLimits } from '../../../marketplace/priceLimits';
import {
	commonFields,
	nameField,
	readDeployForm,
	type DeployInput,
	type Safety,
} from './orderFields';
import { described } from '../../../marketplace/deployments';
import { gpusPerVmField, hardwareIdField, locationIdField } from '../../../marketplace/fields';
import { readGpus, readLocation, resolveGpus } from '../price';
import {
	beforeDeploy,
	buy,
	resumePurchase,
	sameName,
	settleOthers,
} from '../../../marketplace/purchase';
import {
	type OperationContext,
	isTool,
	contextError,
	withKnown,
} from '../../../shared/operation/context';

/** Where a deployment runs: one public location, or a private node pool. Never both (compute-api.md "Deploy VMs"). */
type Placement = { locationId: string } | { nodePoolId: string };

interface Input extends DeployInput {
	hardwareId: Id;
	gpusPerVm?: number;
	placement: Placement;
}

/** One thing to deploy, with the GPU count known. */
export interface Order extends DeployInput {
	hardwareId: Id;
	gpusPerVm: number;
	placement: Placement;
}

export const deploy: Operation<Input> = {
	value: 'deploy',
	name: 'Deploy',
	action: 'Deploy a GPU cluster',
	description:
		'Rent a GPU machine for a number of hours. This spends money; the first hour is never refunded.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'resource_private_name'],
	fields: [
		nameField,
		hardwareIdField,
		gpusPerVmField,
		{
			displayName: 'Placement',
			name: 'placement',
			type: 'options',
			options: [
				{ name: 'Location', value: 'location', description: 'One region of the marketplace' },
				{
					name: 'Private Node Pool',
					value: 'nodePool',
					description: 'Machines that are reserved for your account',
				},
			],
			default: 'location',
			description: 'Where the cluster runs',
		},
		{ ...locationIdField, displayOptions: { show: { placement: ['location'] } } },
		{
			displayName: 'Node Pool ID',
			name: 'nodePoolId',
			type: 'string',
			required: true,
			displayOptions: { show: { placement: ['nodePool'] } },
			default: '',
			placeholder: 'e.g. 0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35',
			description: 'ID of the private node pool, in UUID form',
		},
		...commonFields,
	],
	input: (parameters) => ({
		...readDeployForm(parameters),
		hardwareId: parameters.id('hardwareId'),
		gpusPerVm: readGpus(parameters),
		placement: readPlacement(parameters),
	}),
	async run(context, input) {
		const begun = await beginDeploy(context, input);
		if ('done' in begun) return [begun.done];
		const { name, knownIds } = begun;
		const location = 'locationId' in input.placement ? input.placement.locationId : undefined;
		const gpusPerVm = await beforeDeploy(
			context,
			'The hardware list',
			async () => await resolveGpus(context, input.hardwareId, input.gpusPerVm, location),
		);
		const order = { ...input, gpusPerVm };
		const prices = await beforeDeploy(
			context,
			'The price',
			async () => await checkPrice(context, order),
		);
		const body = bodyOf(order, name);
		if (order.safety.dryRun)
			return [{ dry_run: true, resource_private_name: name, ...prices, request: body }];
		const result = await buy(context, { name, body, extras: extrasOf(order, prices) }, knownIds);
		if ('bought' in result) return [result.bought];
		throw withKnown(replyError(context, result.refused), { resource_private_name: name });
	},
};

function readPlacement(parameters: Parameters): Placement {
	if (parameters.choice('placement', ['location', 'nodePool'] as const) === 'location')
		return { locationId: readLocation(parameters) };
	const nodePoolId = parameters.text('nodePoolId');
	if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(nodePoolId)) {
		parameters.fail(
			'nodePoolId',
			`must be a UUID such as 0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35, got "${nodePoolId}"`,
		);
	}
	return { nodePoolId };
}

/** What comes before every deploy: the machine that an earlier try or another call has bought, the name, and the machines that have it already. */
export async function beginDeploy(
	context: OperationContext,
	order: Pick<Order, 'name' | 'safety'>,
): Promise<{ done: IDataObject } | { name: string; knownIds?: string[] }> {
	const earlier = await resumePurchase(context);
	if (earlier) return { done: earlier };
	const name = finalName(context, order);
	context.known.resource_private_name = name;
	const others = await settleOthers(context, name);
	// A model that repeats a call means the same machine, also with Deploy Anyway
	if (others && isTool(context.functions)) return { done: others };
	const names = await checkName(context, name, order.safety);
	return 'existing' in names ? { done: names.existing } : { name, knownIds: names.ids };
}

/** The cluster name that is sent: with Unique Name, one that no other run, retry or item can have. */
function finalName(context: OperationContext, order: Pick<Order, 'name' | 'safety'>): string {
	if (!order.safety.uniqueName) return order.name;
	const { $runIndex } = context.functions.getWorkflowDataProxy(context.itemIndex);
	return `${order.name}-${context.functions.getExecutionId()}-${String($runIndex)}-${context.itemIndex}`;
}

/** The deploy body; keys that are not set are not sent, since an unknown or empty key is a 422. */
export function bodyOf(order: Order, name: string): IDataObject {
	const where =
		'locationId' in order.placement
			? { location_ids: [order.placement.locationId] }
			: { node_pool_id: order.placement.nodePoolId };
	return {
		resource_private_name: name,
		hardware_id: order.hardwareId,
		gpus_per_vm: order.gpusPerVm,
		...where,
		...order.body,
	};
}

/** What the output tells of an order besides what the service answers. */
export function extrasOf(order: Order, prices: IDataObject): IDataObject {
	return {
		hardware_id: order.hardwareId,
		gpus_per_vm: order.gpusPerVm,
		duration_hours: order.durationHours,
		...prices,
	};
}

/** Reads the price just before a deploy when it is needed, for a cap or a dry run, and checks the caps. */
async function checkPrice(context: OperationContext, order: Order): Promise<IDataObject> {
	const { safety, placement } = order;
	const capped = safety.maxPrice !== undefined || safety.maxHourlyPrice !== undefined;
	if (!capped && !safety.dryRun) return {};
	if ('locationId' in placement) {
		const query = { ...order, locationId: placement.locationId, replicaCount: order.vmsQty ?? 1 };
		return await checkPriceLimits(context, safety, query);
	}
	if (!capped) return {};
	throw contextError(
		context,
		{
			message: 'The price limit cannot be checked for a private node pool',
			description:
				'The service prices locations only. Remove the price limit or choose a location.',
		},
		{},
	);
}

/** Applies If Name Exists, and returns the ids that have this name already, so that a new machine can be told from them; undefined when they are not known. */
async function checkName(
	context: OperationContext,
	name: string,
	safety: Safety,
): Promise<{ ids?: string[] } | { existing: IDataObject }> {
	const { ifNameExists, uniqueName, dryRun } = safety;
	const { ids, alive } = await beforeDeploy(
		context,
		'The list of deployments',
		async () => await sameName(context, name),
	).catch((error: Error) => {
		// These rules do not need the list: nothing else has a unique name
		if (context.signal?.aborted || !(uniqueName || ifNameExists === 'deploy')) throw error;
		return { ids: uniqueName ? [] : undefined, alive: [] };
	});
	const found = alive.find(({ status }) => status !== 'termination requested') ?? alive[0];
	if (!found || ifNameExists === 'deploy') return { ids };
	const existing = described(found);
	const ending = existing.status === 'termination requested';
	if (ifNameExists === 'useExisting' && !ending)
		return { existing: { ...existing, existing: true, ...(dryRun && { dry_run: true }) } };
	throw contextError(
		context,
		{
			message: `A deployment named "${name}" exists already (${String(existing.deployment_id)}, ${String(existing.status ?? 'state unknown')})`,
			description: `${ending ? 'It is being destroyed. Wait until it is gone, or use another name.' : 'Use another name, turn on Unique Name, or choose under Safety > If Name Exists to use the existing one.'} Nothing was deployed.`,
		},
		{ resource_private_name: name, deployment_id: existing.deployment_id ?? null },
	);
}
