import type { IExecuteFunctions } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { numberOf } from '../shared/numbers';

/** The usage of one execution of the node, over all items. */
interface Usage {
	requests: number;
	prompt: number;
	completion: number;
	total: number;
}

const usages = new WeakMap<object, Usage>();

/**
 * Adds the tokens of a response. Call it also for one that turns out to be useless: it is billed all the same.
 * @param usage `usage` of the response (intelligence-api.md "Chat completion response"); anything else counts as a request
 * without tokens
 */
export function countTokens(functions: object, usage: unknown): void {
	const tokens = usages.get(functions) ?? { requests: 0, prompt: 0, completion: 0, total: 0 };
	usages.set(functions, tokens);
	tokens.requests++;
	if (!isRecord(usage)) return;
	tokens.prompt += numberOf(usage.prompt_tokens) ?? 0;
	tokens.completion += numberOf(usage.completion_tokens) ?? 0;
	tokens.total += totalOf(usage);
}

/** All tokens of a usage; where the service does not say it, the sum of what it says. */
export function totalOf(usage: Record<string, unknown>): number {
	const parts = [usage.prompt_tokens, usage.completion_tokens].map((part) => numberOf(part) ?? 0);
	return numberOf(usage.total_tokens) ?? parts.reduce((sum, part) => sum + part);
}

/** Shows the sum of {@link countTokens} as a hint on the output; none if the service reported no tokens. */
export function hintTokens(functions: IExecuteFunctions): void {
	const tokens = usages.get(functions);
	if (!tokens || tokens.total === 0) return;
	const requests = tokens.requests === 1 ? '1 request' : `${formatted(tokens.requests)} requests`;
	const parts =
		tokens.completion > 0
			? ` (${formatted(tokens.prompt)} prompt, ${formatted(tokens.completion)} completion)`
			: '';
	functions.addExecutionHints({
		message: `${formatted(tokens.total)} tokens${parts} in ${requests}`,
		type: 'info',
		location: 'outputPane',
	});
}

function formatted(value: number): string {
	return value.toLocaleString('en-US');
}
