import type { IDataObject, INodeProperties, NodeHint } from 'n8n-workflow';
import { collectionField } from '../shared/fields';
import { show } from '../shared/guards';
import type { Problem } from '../shared/http/errors';
import { numberOf } from '../shared/numbers';
import type { Parameters } from '../shared/operation/parameters';
import { currencyField } from './fields';
import { refusalIn } from '../shared/http/refusal';
import { fetchPrice, type PriceQuery } from './price';
import type { Product, ProductContext } from './product';
import { contextError } from '../shared/operation/context';

/** The most that a deploy or an extension may cost. */
export interface PriceLimits {
	maxPrice?: number;
	maxHourlyPrice?: number;
	/** Of all that runs in the account, with the purchase; see `runningCost.ts`. */
	maxRunningCost?: number;
	currency: string;
}

/** Open in each new node, and empty: without a limit. */
const OPEN_LIMITS = { maxHourlyPrice: '', maxPrice: '' };

/**
 * The collection Safety with the price limits, which a new node shows open.
 * @param otherwise what happens above the limit: `Deploy nothing`
 * @param fields other fields in it
 */
export function safetyCollection(
	product: Product,
	otherwise: string,
	fields: INodeProperties[] = [],
	description?: string,
): INodeProperties {
	const placeholder = fields.length > 0 ? 'Add Safety Option' : 'Add Price Limit';
	const options = [...priceLimitFields(product, otherwise), ...fields];
	return {
		...collectionField('safety', 'Safety', placeholder, options, description),
		default: OPEN_LIMITS,
	};
}

function priceLimitFields({ hasCurrencies }: Product, otherwise: string): INodeProperties[] {
	const limit = (displayName: string, name: string, what: string): INodeProperties => ({
		displayName,
		name,
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 10,
		placeholder: 'No limit; e.g. 2.50',
		description: `${otherwise} if ${what} of all its GPUs together costs more, fees included, in USDC${hasCurrencies ? ' unless you add Currency' : ''}. The price is read just before, and compared for each input item by itself. Write 0.5, not 0,5.`,
	});
	return [
		...(hasCurrencies
			? [{ ...currencyField, required: false, description: 'Currency of the two price limits' }]
			: []),
		limit('Maximum Hourly Price', 'maxHourlyPrice', 'an hour'),
		limit('Maximum Price', 'maxPrice', 'the whole time'),
	];
}

export function readPriceLimits(parameters: Parameters): PriceLimits {
	const safety = parameters.group('safety');
	const limit = (name: string) =>
		safety.isLeftEmpty(name) ? undefined : safety.number(name, { optional: true, min: 0 });
	return {
		maxPrice: limit('maxPrice'),
		maxHourlyPrice: limit('maxHourlyPrice'),
		maxRunningCost: limit('maxRunningCost'),
		currency: safety.text('currency', { optional: true }) ?? 'usdc',
	};
}

/** What the editor says of a node that spends money, before it is executed. */
export function spendingHints(operations: string[]): NodeHint[] {
	const isOperation = `$parameter["resource"] === "deployment" && ${JSON.stringify(operations)}.includes($parameter["operation"])`;
	const isUnset = (name: string) => `["", null, undefined].includes($parameter["safety"]?.${name})`;
	const isDryRun = '$parameter["safety"]?.dryRun === true';
	const hint = { location: 'outputPane', whenToDisplay: 'beforeExecution' } as const;
	return [
		{
			...hint,
			type: 'warning',
			message:
				'No price limit is set: this node buys at any price. Set Maximum Hourly Price or Maximum Price.',
			displayCondition: `={{ ${isOperation} && !(${isDryRun}) && ${isUnset('maxPrice')} && ${isUnset('maxHourlyPrice')} }}`,
		},
		{
			...hint,
			type: 'info',
			message:
				'There are several input items: this node buys for each, unless Execute Once is on in its settings.',
			displayCondition: `={{ ${isOperation} && !(${isDryRun}) && $input.all().length > 1 }}`,
		},
		{
			...hint,
			type: 'info',
			message: 'Dry Run is on: the node shows the request and its price, and buys nothing.',
			displayCondition: `={{ ${isOperation} && ${isDryRun} }}`,
		},
	];
}

/** The line below the name of a node on the canvas: its operation, and whether that is a dry run. */
export const SPENDING_SUBTITLE =
	'={{$parameter["operation"] + ": " + $parameter["resource"] + ($parameter["safety"]?.dryRun === true ? " (dry run)" : "")}}';

/** What is to be bought, as far as it makes the price. */
export type PricedOrder = Omit<PriceQuery, 'currency'>;

/** The price of something for the output (empty when the service shows none of this order), or why it must not be bought. */
export type Priced = { prices: IDataObject; answer: IDataObject } | { problem: Problem };

/**
 * Reads the price of a purchase and compares it with its limits: called after all waits, just before the purchase is sent.
 * @returns the price and what else the output says of the offer, or why it must not be bought
 */
export type Quote = () => Promise<{ prices: IDataObject } | { problem: Problem }>;

/** Whether a currency is the one of bills and amounts paid. */
export function isUsdc(currency: unknown): boolean {
	return /^usdc?$/i.test(String(currency));
}

/** Share of a price by which a bill may be above it: both are rounded. */
const ROUNDING = 0.01;

/**
 * What the output says of a bill above the price of an order; undefined where it is not above it, or cannot be compared since one of
 * them is not shown, or the price is in another currency than that of bills.
 * @param paid in usdc
 * @param prices with `total_price` and `currency`, as the output has them
 * @param word for what was paid
 */
export function billHint(
	paid: number | undefined,
	prices: IDataObject,
	word = 'paid',
): string | undefined {
	const price = numberOf(prices.total_price);
	if (paid === undefined || price === undefined || !isUsdc(prices.currency)) return undefined;
	if (paid <= price * (1 + ROUNDING)) return undefined;
	return `The service shows ${Number(paid.toPrecision(12))} ${word} instead of the price of ${price}.`;
}

/** Whether a purchase has a price limit, and so needs a price. */
export function isLimited({ maxPrice, maxHourlyPrice, maxRunningCost }: PriceLimits): boolean {
	return [maxPrice, maxHourlyPrice, maxRunningCost].some((limit) => limit !== undefined);
}

/**
 * Reads the price and compares it with the price limits. A price above a limit is a problem, and so is a limit that
 * cannot be checked, since the service shows no price of this very order: it must stop the purchase.
 */
export async function priceWithin(
	context: ProductContext,
	priceLimits: PriceLimits,
	order: PricedOrder,
): Promise<Priced> {
	const { maxPrice, maxHourlyPrice, currency } = priceLimits;
	const query = { ...order, currency };
	let answer = await fetchPrice(context, query);
	let priceOfOne: number | undefined;
	if (!isForAll(query, answer)) {
		priceOfOne = totalPrice(await fetchPrice(context, { ...query, replicaCount: 1 }), currency);
		// The first answer may be minutes old by now, and what is compared with the limits is the last thing that is read
		answer = await fetchPrice(context, query);
	}
	const total = totalOf(context, query, answer, priceOfOne);
	if (typeof total === 'string') {
		if (!isLimited(priceLimits)) return { prices: {}, answer };
		return {
			problem: {
				message: `The price limit cannot be checked: ${total}`,
				description: 'Run Price > Get to see what the service answers.',
			},
		};
	}
	// 12.3 / 3 is 4.1000000000000005, and at the limit is not above it
	const hourly = Number((total / query.durationHours).toPrecision(12));
	const hours = query.durationHours === 1 ? '1 hour' : `${query.durationHours} hours`;
	const description = `It is ${total} ${currency} in all for ${hours}.`;
	if (maxPrice !== undefined && total > maxPrice) {
		return {
			problem: {
				message: `The price of ${total} ${currency} is above the Maximum Price of ${maxPrice} ${currency}`,
				description,
			},
		};
	}
	if (maxHourlyPrice !== undefined && hourly > maxHourlyPrice) {
		return {
			problem: {
				message: `The hourly price of ${hourly} ${currency} is above the Maximum Hourly Price of ${maxHourlyPrice} ${currency}`,
				description,
			},
		};
	}
	return { prices: { total_price: total, hourly_price: hourly, currency }, answer };
}

/** An answer that does not repeat the count may be the price of one. */
function isForAll({ replicaCount }: PriceQuery, answer: IDataObject): boolean {
	return replicaCount === 1 || numberOf(answer.replica_count) !== undefined;
}

/** The total of a price answer, or in words why it is not known to be that of what was asked for. */
function totalOf(
	context: ProductContext,
	query: PriceQuery,
	answer: IDataObject,
	priceOfOne: number | undefined,
): number | string {
	const { replicaCount, currency } = query;
	const refusal = refusalIn(answer);
	if (refusal !== undefined) return `the service says no: ${refusal}`;
	const asked = {
		replica_count: replicaCount,
		[context.product.gpusKey]: query.gpus,
		duration_hours: query.durationHours,
	};
	for (const [key, wanted] of Object.entries(asked)) {
		const said = answer[key] ?? wanted;
		if (numberOf(said) !== wanted)
			return `the service gave the price for ${key} ${show(said)} instead of ${wanted}`;
	}
	if (typeof answer.currency === 'string' && !isSame(answer.currency, currency))
		return `the service gave the price in ${answer.currency} instead of ${currency}`;
	const hardware = answer.hardware_id ?? query.hardwareId;
	if (String(hardware) !== String(query.hardwareId))
		return `the service gave the price for hardware_id ${show(hardware)} instead of ${query.hardwareId}`;
	const total = totalPrice(answer, currency);
	if (total === undefined)
		return `the service shows no total price in ${describe(answer, currency)}`;
	if (!isForAll(query, answer) && (priceOfOne === undefined || total <= priceOfOne))
		return `the service does not show that its price is for all ${replicaCount} ${context.product.workers}`;
	return total;
}

/** The total in this currency; one in usdc is no bound for another, and 0 is "no price". Fee fields carry the service's name and are not looked at. */
function totalPrice(price: IDataObject, currency: string): number | undefined {
	const total = numberOf(price[`total_cost_${currency.toLowerCase()}`]);
	return total !== undefined && total > 0 ? total : undefined;
}

/** The currency that was asked for, and those that the answer has a total in. */
function describe(answer: IDataObject, currency: string): string {
	const shown = Object.keys(answer)
		.flatMap((key) => /^total_cost_(.+)$/.exec(key)?.[1] ?? [])
		.filter((other) => !isSame(other, currency));
	return shown.length > 0 ? `${currency}, only in ${shown.join(', ')}` : currency;
}

function isSame(currency: string, other: string): boolean {
	return currency.toLowerCase() === other.toLowerCase();
}

/** As {@link priceWithin}, where a problem is an error. */
export async function checkPriceLimits(
	context: ProductContext,
	priceLimits: PriceLimits,
	order: PricedOrder,
): Promise<IDataObject> {
	const priced = await priceWithin(context, priceLimits, order);
	if ('prices' in priced) return priced.prices;
	throw contextError(context, priced.problem, {});
}
