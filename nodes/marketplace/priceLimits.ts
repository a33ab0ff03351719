import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Problem } from '../shared/http/errors';
import type { Parameters } from '../shared/operation/parameters';
import { currencyField } from './fields';
import { fetchPrice, totalPrice, type PriceQuery } from './price';
import { type OperationContext, contextError } from '../shared/operation/context';

/** The most that a deploy or an extension may cost. */
export interface PriceLimits {
	maxPrice?: number;
	maxHourlyPrice?: number;
	currency: string;
}

/** @param otherwise what happens above the limit: `Deploy nothing` */
export function priceLimitFields(otherwise: string): INodeProperties[] {
	const limit = (displayName: string, name: string, what: string): INodeProperties => ({
		displayName,
		name,
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 10,
		description: `${otherwise} if ${what} costs more, including fees. The price is read just before.`,
	});
	return [
		{ ...currencyField, required: false, description: 'Currency of the two price limits' },
		limit('Maximum Hourly Price', 'maxHourlyPrice', 'an hour'),
		limit('Maximum Price', 'maxPrice', 'the whole time'),
	];
}

export function readPriceLimits(parameters: Parameters): PriceLimits {
	const safety = parameters.group('safety');
	return {
		maxPrice: safety.number('maxPrice', { optional: true, min: 0 }),
		maxHourlyPrice: safety.number('maxHourlyPrice', { optional: true, min: 0 }),
		currency: safety.text('currency', { optional: true }) ?? 'usdc',
	};
}

/** The price of something for the output (empty when the service names none), or why it must not be bought. */
export type Priced = { prices: IDataObject; answer: IDataObject } | { problem: Problem };

/**
 * Reads the price and compares it with the price limits. A price above a limit is a problem, and so is a limit that
 * cannot be checked: it must stop the purchase.
 */
export async function priceWithin(
	context: OperationContext,
	priceLimits: PriceLimits,
	query: Omit<PriceQuery, 'currency'>,
): Promise<Priced> {
	const { maxPrice, maxHourlyPrice, currency } = priceLimits;
	const answer = await fetchPrice(context, { ...query, currency });
	const total = totalPrice(answer, currency);
	if (total === undefined) {
		if (maxPrice === undefined && maxHourlyPrice === undefined) return { prices: {}, answer };
		return {
			problem: {
				message: `The price limit cannot be checked: the service shows no total price in ${currency}`,
				description: 'Run Price > Get to see what the service answers.',
			},
		};
	}
	// 12.3 / 3 is 4.1000000000000005, and at the limit is not above it
	const hourly = Number((total / query.durationHours).toPrecision(12));
	const description = `It is ${total} ${currency} in all for ${query.durationHours} hours.`;
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

/** As {@link priceWithin}, where a problem is an error. */
export async function checkPriceLimits(
	context: OperationContext,
	priceLimits: PriceLimits,
	query: Omit<PriceQuery, 'currency'>,
): Promise<IDataObject> {
	const priced = await priceWithin(context, priceLimits, query);
	if ('prices' in priced) return priced.prices;
	throw contextError(context, priced.problem, {});
}
