import type { INodeProperties } from 'n8n-workflow';
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

/** The switch of {@link requireAllowedByPerson}, for the collection Options. */
export const allowAiAgentsField = (description: string): INodeProperties => ({
	displayName: 'Allow AI Agents',
	name: 'allowAiAgents',
	type: 'boolean',
	default: false,
	noDataExpression: true,
	description,
});

/**
 * What an AI agent must not do by itself, a person allows in the form: by a fixed value, not by an expression, which the model
 * might fill in.
 * @param operation as the form names it
 * @param nothing what was not done, as a sentence without a full stop
 * @param otherwise what an agent may do all the same
 * @throws where an agent calls and nobody has allowed it
 */
export function requireAllowedByPerson(
	context: ProductContext,
	operation: string,
	nothing: string,
	otherwise = '',
): void {
	const options: unknown = context.functions.getNode().parameters.options;
	if (!isTool(context.functions) || (isRecord(options) && options.allowAiAgents === true)) return;
	throw contextError(context, {
		message: `${operation} is not allowed for AI agents. ${nothing}. A person must add the option Allow AI Agents to this node and turn it on${otherwise}`,
	});
}
