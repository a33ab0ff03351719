import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { replyError } from '../shared/http/request';
import type { Parameters } from '../shared/operation/parameters';
import type { NameRules } from './deploymentName';
import type { Ordered } from './orderMatch';
import { safetyCollection, type PriceLimits } from './priceLimits';
import type { Product, ProductContext } from './product';
import { buy, type Purchase } from './purchase';
import { reserve } from './runningCost';

const NAME_RULES = ['error', 'useExisting', 'deploy'] as const;
/** The shortest time that can be bought. */
const DEFAULT_REMAINING_HOURS = 1;

export const nameField: INodeProperties = {
	displayName: 'Name',
	name: 'resourcePrivateName',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. nightly-training',
	description: 'Name of the deployment. It is found again by this name, so give each job its own.',
};

export const firstHourNotice: INodeProperties = {
	displayName:
		'The first hour is never refunded, even if you destroy the deployment earlier. After that you pay for the exact time.',
	name: 'firstHourNotice',
	type: 'notice',
	default: '',
};

/** What keeps a deploy from costing more than it should. */
export const safetyField = (product: Product): INodeProperties =>
	safetyCollection(product, 'Deploy nothing', [
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
		{
			displayName: 'Maximum Running Cost',
			name: 'maxRunningCost',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 50,
			description:
				'Deploy nothing if all that runs in the account, VMs and containers, costs more usdc an hour together with this deployment. It is checked just before; what cannot be priced stops the deploy.',
		},
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
	]);

/**
 * The name of an order and its safety options.
 * @param workers number of VMs or containers that are ordered
 */
export function readNameRules(parameters: Parameters, workers: number): NameRules {
	const safety = parameters.group('safety');
	return {
		name: parameters.text('resourcePrivateName'),
		ifNameExists: safety.has('ifNameExists') ? safety.choice('ifNameExists', NAME_RULES) : 'error',
		uniqueName: safety.flag('uniqueName'),
		dryRun: safety.flag('dryRun'),
		workers,
		minRemainingHours:
			safety.number('minRemainingHours', { optional: true, min: 0 }) ?? DEFAULT_REMAINING_HOURS,
	};
}

/** An order whose price is known. */
export interface Order {
	/** Of the request. */
	body: IDataObject;
	/** By what the deployment is known again. */
	ordered: Ordered;
	prices: IDataObject;
	/** What the output says of it besides what the service answers. */
	extras: IDataObject;
	priceLimits: PriceLimits;
}

/**
 * Buys one order, or shows what a dry run would send.
 * @returns the item for the output
 * @throws the service's rejection, and where the outcome is unknown
 */
export async function place(
	context: ProductContext,
	begun: Purchase,
	{ dryRun }: NameRules,
	{ body, ordered, prices, extras, priceLimits }: Order,
): Promise<IDataObject> {
	if (dryRun) {
		(await reserve(context, priceLimits, prices)).release();
		return { dry_run: true, resource_private_name: begun.name, ...prices, request: body };
	}
	const result = await buy(context, begun, body, ordered, { ...extras, ...prices }, priceLimits);
	if ('rejected' in result) throw replyError(context, result.rejected);
	return result.bought;
}
