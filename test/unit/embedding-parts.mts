import type { IDataObject } from 'n8n-workflow';
import {
	embedItems,
	type EmbeddingContext,
	type EmbeddingInput,
	type EmbeddingResult,
} from '../../nodes/intelligence/embeddingBatches.ts';
import { INTELLIGENCE_CREDENTIALS } from '../../nodes/intelligence/credentials.ts';
import { DEFAULT_LIMITS } from '../../nodes/intelligence/requestLimits.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import { functionsOf, type Answered } from './log-parts.mts';

/** What the service answers to these texts. */
export type Service = (texts: string[]) => Promise<Answered> | Answered;

export const vectors = (texts: string[], embedding: unknown = [1, 2, 3]) => ({
	json: { data: texts.map((_, index) => ({ index, embedding })) },
});
export const rejected = (status: number, detail: string): Answered => ({
	status,
	json: { detail },
});

interface Given extends Partial<EmbeddingInput> {
	/** Whether the node goes on after an error. */
	continues?: boolean;
	/** What an earlier try has kept. */
	kept?: Map<string, unknown>;
	/** Settings of the item with these texts. */
	of?(texts: string[]): Partial<EmbeddingInput>;
}

/** Embeds the texts of items, each of which may fail alone, and shows what was asked and what became of each item. */
export async function embed(
	items: string[][],
	service: Service,
	{ continues = true, kept = new Map(), of = () => ({}), ...more }: Given = {},
) {
	const asked: string[][] = [];
	const functions = functionsOf(
		async (request) => {
			const { input } = JSON.parse((request as unknown as { body: string }).body) as {
				input: string[];
			};
			asked.push(input);
			return await service(input);
		},
		{ continueOnFail: () => continues },
	);
	const inputs = items.map((texts): EmbeddingInput => {
		const usual = { model: 'm', options: {}, batchSize: 1, requestsAtOnce: 1, includesText: false };
		return { ...usual, limits: DEFAULT_LIMITS, ...more, ...of(texts), texts };
	});
	const context: EmbeddingContext = {
		functions: functions as never,
		account: await openAccount(functions, INTELLIGENCE_CREDENTIALS),
		itemIndex: 0,
		inputs,
		kept,
	};
	const results = await embedItems(context);
	const responses = items.map((_, item) => knownOf(results.get(item)?.error)?.response);
	const outcomes = items.map((_, item) => {
		const result = results.get(item);
		return result?.error?.message ?? result?.vectors.map(({ embedding }) => embedding);
	});
	return { asked, outcomes, responses, results, context };
}

/** What the error of an item carries, where it has failed. */
function knownOf(error: EmbeddingResult['error']): IDataObject | undefined {
	return (error?.context as IDataObject | undefined)?.known as IDataObject | undefined;
}
