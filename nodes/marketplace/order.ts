import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Problem } from '../shared/http/errors';
import type { Reply } from '../shared/http/reply';
import { replyError } from '../shared/http/request';
import { contextError } from '../shared/operation/context';
import type { Parameters } from '../shared/operation/parameters';
import type { NameRules } from './deploymentName';
import { safetyCollection } from './priceLimits';
import type { Product, ProductContext } from './product';
import { buy, type Order, type Purchase } from './purchase';
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

/** What came of an order: its item for the output, the service's rejection, or why it must not be bought at its price. */
export type Placed = { item: IDataObject } | { rejected: Reply } | { problem: Problem };

/**
 * Buys one order, or shows what a dry run would send.
 * @throws where the outcome is unknown
 */
export async function tryToPlace(
	context: ProductContext,
	begun: Purchase,
	{ dryRun }: NameRules,
	order: Order,
): Promise<Placed> {
	if (!dryRun) {
		const result = await buy(context, begun, order);
		return 'bought' in result ? { item: result.bought } : result;
	}
	const reserved = await reserve(context, order.priceLimits, order.quote);
	if ('problem' in reserved) return reserved;
	reserved.reservation.release();
	const { prices } = reserved;
	const item = { dry_run: true, resource_private_name: begun.name, ...prices, request: order.body };
	return { item };
}

/**
 * As {@link tryToPlace}, where nothing else can be tried.
 * @returns the item for the output
 * @throws the service's rejection as well, and the problem with the price
 */
export async function place(
	context: ProductContext,
	begun: Purchase,
	rules: NameRules,
	order: Order,
): Promise<IDataObject> {
	const placed = await tryToPlace(context, begun, rules, order);
	if ('item' in placed) return placed.item;
	if ('problem' in placed) {
		const description = [placed.problem.description, 'Nothing was deployed.'].filter(Boolean);
		throw contextError(context, { ...placed.problem, description: description.join(' ') });
	}
	throw replyError(context, placed.rejected);
}
