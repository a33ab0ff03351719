import { requireLimitByPerson } from '../../../marketplace/agentLimit';
import { boughtBefore } from '../../../marketplace/boughtBefore';
import { gpusPerVmField, hardwareIdField, locationIdField } from '../../../marketplace/fields';
import { readGpus, readLocation, resolveGpus } from '../../../marketplace/price';
import { nameField, place } from '../../../marketplace/order';
import { isLimited, priceWithin, type Quote } from '../../../marketplace/priceLimits';
import { onProduct, VMAAS, type ProductContext } from '../../../marketplace/product';
import { beforeDeploy, purchase } from '../../../marketplace/purchase';
import type { Id, Parameters } from '../../../shared/operation/parameters';
import {
	bodyOf,
	commonFields,
	extrasOf,
	orderedOf,
	readOrder,
	withSshKey,
	type Order,
	type OrderInput,
	type Placement,
} from './order';

interface Input extends OrderInput {
	hardwareId: Id;
	gpusPerVm?: number;
	placement: Placement;
}

export const deploy = onProduct<Input>(VMAAS, {
	value: 'deploy',
	name: 'Deploy',
	action: 'Deploy VMs',
	description:
		'Rent GPUs for a number of hours. This spends money; the first hour is never refunded.',
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
					description: 'Nodes that are reserved for your account',
				},
			],
			default: 'location',
			description: 'Where the deployment runs',
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
			description: 'ID of the private node pool, a UUID',
		},
		...commonFields,
	],
	input: (parameters) => ({
		...readOrder(parameters),
		hardwareId: parameters.id('hardwareId'),
		gpusPerVm: readGpus(parameters),
		placement: readPlacement(parameters),
	}),
	again: boughtBefore,
	async run(context, input) {
		const { placement } = input;
		const { hardwareId, gpusPerVm } = input;
		const rules = { ...input.nameRules, hardwareId, gpus: gpusPerVm };
		if (!rules.dryRun) requireLimitByPerson(context, input.priceLimits);
		const item = await purchase(context, rules, async (begun) => {
			const locationIds = 'locationId' in placement ? [placement.locationId] : [];
			const size = await beforeDeploy(
				context,
				'The hardware list',
				async () => await resolveGpus(context, hardwareId, gpusPerVm, locationIds),
			);
			const order = { ...(await withSshKey(context, input)), gpusPerVm: size };
			return await place(context, begun, rules, {
				body: bodyOf(order, begun.name),
				ordered: orderedOf(order),
				priceLimits: order.priceLimits,
				quote: async () =>
					await beforeDeploy(context, 'The price', async () => await quoteOf(context, order)),
				extras: extrasOf(order),
			});
		});
		return [item];
	},
});

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

/** Reads the price where a price limit or a dry run needs it, and checks the limits. */
async function quoteOf(context: ProductContext, order: Order): ReturnType<Quote> {
	const { priceLimits, placement, nameRules } = order;
	if (!isLimited(priceLimits) && !nameRules.dryRun) return { prices: {} };
	if ('locationId' in placement) {
		return await priceWithin(context, priceLimits, {
			...order,
			gpus: order.gpusPerVm,
			locationIds: [placement.locationId],
			replicaCount: order.vmsQty ?? 1,
		});
	}
	if (!isLimited(priceLimits)) return { prices: {} };
	return {
		problem: {
			message: 'The price limit cannot be checked for a private node pool',
			description:
				'The service has prices for locations only. Remove the price limit or choose a location.',
		},
	};
}
