import type { IExecuteFunctions } from 'n8n-workflow';
import { isRecord } from '../shared/guards';

/** The tokens of one run of the node, over all items. */
interface Tokens {
	requests: number;
	prompt: number;
	completion: number;
	total: number;
}

const counts = new WeakMap<IExecuteFunctions, Tokens>();

/** Counts what a request has cost, also where its answer then turns out to be of no use: it is billed all the same. */
export function countTokens(functions: IExecuteFunctions, usage: unknown): void {
	const tokens = counts.get(functions) ?? { requests: 0, prompt: 0, completion: 0, total: 0 };
	counts.set(functions, tokens);
	tokens.requests++;
	if (!isRecord(usage)) return;
	tokens.prompt += numberOf(usage.prompt_tokens);
	tokens.completion += numberOf(usage.completion_tokens);
	tokens.total += numberOf(usage.total_tokens);
}

/** Shows the sum of {@link countTokens} beside the output; nothing where the service counted nothing. */
export function hintTokens(functions: IExecuteFunctions): void {
	const tokens = counts.get(functions);
	if (!tokens || tokens.total === 0) return;
	const requests = tokens.requests === 1 ? '1 request' : `${words(tokens.requests)} requests`;
	const parts =
		tokens.completion > 0
			? ` (${words(tokens.prompt)} prompt, ${words(tokens.completion)} completion)`
			: '';
	functions.addExecutionHints({
		message: `${words(tokens.total)} tokens${parts} in ${requests}`,
		type: 'info',
		location: 'outputPane',
	});
}

function numberOf(value: unknown): number {
	return typeof value === 'number' ? value : 0;
}

function words(value: number): string {
	return value.toLocaleString('en-US');
}
