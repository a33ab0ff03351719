import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { momentOf, timeOf } from '../../shared/dates';
import { collectionField } from '../../shared/fields';
import type { Parameters } from '../../shared/operation/parameters';
import { described, idOf, listPrefixed, nameOf } from '../deployments';
import { EMPTY_FILTER, namePrefixField, readNamePrefix } from '../fields';
import { onProduct, type Product } from '../product';
import { amountOf, runningCostOf, withDetails, type Known } from '../spending';
import { isFinal } from '../state';

const GROUPS = ['none', 'day', 'deployment'] as const;

interface Input {
	groupBy: (typeof GROUPS)[number];
	namePrefix?: string;
	/** Milliseconds since 1970. */
	createdAfter: number;
	createdBefore: number;
	maxDeployments: number;
}

const createdField = (displayName: string, name: string, what: string): INodeProperties => ({
	displayName,
	name,
	type: 'dateTime',
	default: '',
	description: `Only deployments that were created ${what}. A time without a zone is UTC.`,
});

/** Deployment > Get Spending of a product. */
export const getSpending = (product: Product) =>
	onProduct<Input>(product, {
		value: 'getSpending',
		name: 'Get Spending',
		action: `Get spending on ${product.deployment}s`,
		description:
			'Add up what deployments have cost, what is left of it, and what those that run cost an hour. Reads the details of each deployment.',
		effect: 'read',
		fields: [
			{
				displayName: 'Group By',
				name: 'groupBy',
				type: 'options',
				options: [
					{ name: 'Day', value: 'day', description: 'One item for each day of creation, in UTC' },
					{ name: 'Deployment', value: 'deployment', description: 'One item for each deployment' },
					{ name: 'Nothing', value: 'none', description: 'One item with the sums' },
				],
				default: 'none',
				description: 'What the sums are made of',
			},
			collectionField('filters', 'Filters', 'Add Filter', [
				createdField('Created After', 'createdAfter', 'at this time or later'),
				createdField('Created Before', 'createdBefore', 'before this time'),
				namePrefixField,
			]),
			collectionField('options', 'Options', 'Add Option', [
				{
					displayName: 'Max Deployments',
					name: 'maxDeployments',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 10_000, numberPrecision: 0 },
					default: 500,
					description:
						'How many details to read at most, since each is a request. Those beyond it are counted in unread.',
				},
			]),
		],
		input(parameters) {
			const filters = parameters.group('filters');
			// A purchase may depend on the sum
			['namePrefix', 'createdAfter', 'createdBefore'].forEach((name) =>
				filters.requireFilled(name, EMPTY_FILTER),
			);
			return {
				groupBy: parameters.choice('groupBy', GROUPS),
				namePrefix: readNamePrefix(filters),
				createdAfter: readTime(filters, 'createdAfter') ?? -Infinity,
				createdBefore: readTime(filters, 'createdBefore') ?? Infinity,
				maxDeployments:
					parameters
						.group('options')
						.integer('maxDeployments', { optional: true, min: 1, max: 10_000 }) ?? 500,
			};
		},
		async run(context, input) {
			const { namePrefix, groupBy, maxDeployments } = input;
			const hasPeriod = input.createdAfter > -Infinity || input.createdBefore < Infinity;
			const needsDate = hasPeriod || groupBy === 'day';
			const entries = await listPrefixed(context, namePrefix);
			const known = await withDetails(
				context,
				entries.slice(0, maxDeployments),
				(entry) =>
					amountOf(entry) !== undefined && (!needsDate || timeOf(entry.created_at) !== undefined),
			);
			const failed = known.find(({ error }) => error)?.error;
			// Sums of nothing at all would look like an account that spends nothing
			if (failed && known.every(({ details }) => !details)) throw failed;
			const tooMany = entries.slice(maxDeployments).map((entry): Known => ({ entry }));
			const all = [...known, ...tooMany].map((one) =>
				spendingOf(product, one, context.account.clockAheadMs),
			);
			const inPeriod = all.filter(
				({ createdAt = input.createdAfter }) =>
					!hasPeriod || (createdAt >= input.createdAfter && createdAt < input.createdBefore),
			);
			if (groupBy === 'deployment') return inPeriod.map(({ json }) => json);
			const undated = inPeriod.filter(({ createdAt }) => createdAt === undefined).length;
			if (groupBy === 'none')
				return [{ product: product.key, ...sumsOf(inPeriod, hasPeriod ? undated : 0) }];
			// Each of them may be of any day
			return byDay(inPeriod).map(([day, spent]) => ({
				product: product.key,
				day,
				...sumsOf(spent, undated),
			}));
		},
	});

/** One deployment; undefined stands for what is not known. */
interface Spending {
	json: IDataObject;
	createdAt?: number;
	isRead: boolean;
	isRunning: boolean;
	paid?: number;
	perHour?: number;
	remaining?: number;
}

function spendingOf(product: Product, { entry, details }: Known, clockAheadMs?: number): Spending {
	const shown = details ?? entry;
	const isRunning = !isFinal(shown.status);
	const paid = amountOf(shown);
	const cost = isRunning ? runningCostOf(shown, clockAheadMs) : undefined;
	const perHour = isRunning ? cost?.perHour : 0;
	const remaining = isRunning ? cost && cost.perHour * cost.remainingHours : 0;
	const createdAt = timeOf(shown.created_at);
	const { deployment_id, resource_private_name, status, expires_at } = described(
		shown,
		clockAheadMs,
	);
	return {
		createdAt,
		isRead: details !== undefined,
		isRunning,
		paid,
		perHour,
		remaining,
		json: {
			product: product.key,
			deployment_id: deployment_id ?? idOf(entry) ?? null,
			resource_private_name: resource_private_name ?? nameOf(entry) ?? null,
			status: status ?? null,
			created_at: createdAt === undefined ? null : new Date(createdAt).toISOString(),
			expires_at: expires_at ?? null,
			paid: rounded(paid),
			remaining_value: rounded(remaining),
			cost_per_hour: rounded(perHour),
		},
	};
}

/**
 * The sums of what is known, and how much is not: it is never counted as 0 in silence.
 * @param undated how many may be of this time, or of another
 */
function sumsOf(spent: Spending[], undated: number): IDataObject {
	const sum = (key: 'paid' | 'perHour' | 'remaining') =>
		rounded(spent.reduce((total, one) => total + (one[key] ?? 0), 0));
	const count = (isCounted: (one: Spending) => boolean) => spent.filter(isCounted).length;
	const unknown = {
		unread: count(({ isRead }) => !isRead),
		unknown_paid: count(({ paid }) => paid === undefined),
		unknown_cost_per_hour: count(({ perHour }) => perHour === undefined),
		undated,
	};
	const isComplete = Object.values(unknown).every((number) => number === 0);
	return {
		deployments: spent.length,
		running: count(({ isRunning }) => isRunning),
		paid: sum('paid'),
		remaining_value: sum('remaining'),
		cost_per_hour: sum('perHour'),
		...unknown,
		is_complete: isComplete,
		...(!isComplete && {
			hint: 'Not every amount is known: the sums are those of the known ones. Deployments whose date is not known are counted in every period, and of days in that of day null.',
		}),
	};
}

function byDay(spent: Spending[]): Array<[string | null, Spending[]]> {
	const days = new Map<string | null, Spending[]>();
	for (const one of spent) {
		const day =
			one.createdAt === undefined ? null : new Date(one.createdAt).toISOString().slice(0, 10);
		days.set(day, [...(days.get(day) ?? []), one]);
	}
	return [...days].sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1));
}

/** To a millionth: sums of decimals have a tail. */
function rounded(amount: number | undefined): number | null {
	return amount === undefined ? null : Math.round(amount * 1e6) / 1e6;
}

function readTime(filters: Parameters, name: string): number | undefined {
	const text = filters.text(name, { optional: true });
	if (text === undefined) return undefined;
	const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
	return momentOf(day) ?? filters.fail(name, `must be a date, got "${text}"`);
}
