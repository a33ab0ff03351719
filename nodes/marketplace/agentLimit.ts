import type { INodeProperties } from 'n8n-workflow';
import { contextError, isTool } from '../shared/operation/context';
import { isRecord } from '../shared/guards';
import type { PriceLimits } from './priceLimits';
import type { ProductContext } from './product';

/**
 * An AI agent spends money only under a price limit that a person has set: a fixed value of the form. An expression is none, whatever
 * it reads: the model fills in `$fromAI`, its arguments are the `$json` of the call, and an item before the agent may be of its making.
 * The same holds for the currency, and for the hours where only their price is limited.
 * @throws where a tool call has no such limit; nothing was sent
 */
export function requireLimitByPerson(
	context: ProductContext,
	{ maxPrice, maxHourlyPrice }: PriceLimits,
): void {
	if (!isTool(context.functions)) return;
	const { safety, durationHours } = context.functions.getNode().parameters;
	const saved: Record<string, unknown> = isRecord(safety) ? safety : {};
	const isSet = (limit: number | undefined, name: string) =>
		limit !== undefined && isFixed(saved[name]);
	if (
		isFixed(safety) &&
		isFixed(saved.currency) &&
		(isSet(maxPrice, 'maxPrice') ||
			(isSet(maxHourlyPrice, 'maxHourlyPrice') && isFixed(durationHours)))
	)
		return;
	throw contextError(context, {
		message:
			'An AI agent may spend money only under a price limit that a person has set: set Safety > Maximum Price to a fixed value, not an expression',
		description:
			'An expression does not count, since the model may decide what it gives. Maximum Hourly Price alone counts only with fixed hours. Currency must be fixed, too. Nothing was sent.',
	});
}

/** Whether a value as it is saved in the node is none that n8n computes. */
function isFixed(saved: unknown): boolean {
	return typeof saved !== 'string' || !saved.startsWith('=');
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
