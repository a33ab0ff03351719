import { contextError, isTool } from '../shared/operation/context';
import { isRecord } from '../shared/guards';
import type { PriceLimits } from './priceLimits';
import type { ProductContext } from './product';

/** How n8n marks a value that the model fills in. */
const BY_MODEL = /\$fromai\b/i;

/**
 * An AI agent spends money only under a price limit that a person has set: one that the model chooses is none, and neither is a price
 * per hour where the model chooses the hours.
 * @throws where a tool call has no such limit; nothing was sent
 */
export function requireLimitByPerson(
	context: ProductContext,
	{ maxPrice, maxHourlyPrice }: PriceLimits,
): void {
	if (!isTool(context.functions)) return;
	const { safety, durationHours } = context.functions.getNode().parameters;
	const rawOf = (name: string): unknown =>
		isRecord(safety) ? (safety as Record<string, unknown>)[name] : safety;
	const isByPerson = (value: unknown) =>
		!BY_MODEL.test(String(value)) && !BY_MODEL.test(String(rawOf('currency')));
	if (maxPrice !== undefined && isByPerson(rawOf('maxPrice'))) return;
	if (
		maxHourlyPrice !== undefined &&
		isByPerson(rawOf('maxHourlyPrice')) &&
		isByPerson(durationHours)
	)
		return;
	throw contextError(context, {
		message:
			'An AI agent may spend money only under a price limit that a person has set: set Safety > Maximum Price to a fixed value',
		description:
			'A limit that the model fills in does not count. Maximum Hourly Price alone counts only if the model does not choose the hours. Nothing was sent.',
	});
}
