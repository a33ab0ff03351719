import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { ownWords } from '../../../shared/http/errors';
import { parseJson } from '../../../shared/json';
import type { Operation } from '../../../shared/operation/operation';
import { replyError, requestObject, type ApiRequest } from '../../../shared/http/request';
import type { TextEvent } from '../../../shared/stream/stream';
import { type Parameters } from '../../../shared/operation/parameters';
import { itemOf, RAG } from '../../envelope';
import { queryField, textField, topKField } from '../../fields';
import { GENERATE_DEADLINE_MS } from './generate';
import { readSearchRequest } from './search';
import { searchOptions } from '../../searchOptions';
import { streamEvents } from './stream';
import { isRecord } from '../../../shared/guards';
import type { OperationContext } from '../../../shared/operation/context';

/** How the engine writes its answer, for its own RAG query and its agent (beyond-the-spec.md section 6 "RAG query"). */
export const generationFields: INodeProperties[] = [
	textField('Model', 'model', 'The model that writes the answer; empty leaves it to the service', {
		placeholder: 'e.g. meta-llama/Llama-3.3-70B-Instruct',
	}),
	{
		displayName: 'Max Answer Tokens',
		name: 'maxTokensToSample',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1024,
		description: 'Upper bound of generated tokens',
	},
	{
		displayName: 'Temperature',
		name: 'temperature',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
		default: 0.1,
		description: 'How freely the model writes; 0 keeps closest to the sources',
	},
	{
		displayName: 'Top P',
		name: 'topP',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 2 },
		default: 1,
		description: 'Share of likely words that the model chooses from',
	},
];

export function readGeneration(options: Parameters): IDataObject | undefined {
	const config: IDataObject = {
		model: options.optionalText('model'),
		temperature: options.optionalNumber('temperature', { min: 0, max: 2 }),
		top_p: options.optionalNumber('topP', { min: 0, max: 1 }),
		max_tokens_to_sample: options.optionalInteger('maxTokensToSample', { min: 1 }),
		stream: options.flag('stream') || undefined,
	};
	return Object.values(config).some((value) => value !== undefined) ? config : undefined;
}

const ownOptions: INodeProperties[] = [
	...generationFields,
	{
		displayName: 'Include Title',
		name: 'includeTitleIfAvailable',
		type: 'boolean',
		default: true,
		description: 'Whether to show the model the titles of the documents',
	},
	{
		displayName: 'Include Web Search',
		name: 'includeWebSearch',
		type: 'boolean',
		default: true,
		description: 'Whether to search the web as well',
	},
	{
		displayName: 'Stream',
		name: 'stream',
		type: 'boolean',
		default: true,
		description:
			'Whether to receive the answer piece by piece, from a slow service. The output is the same.',
	},
	textField(
		'Task Prompt',
		'taskPrompt',
		'Instructions to the model in place of those of the service',
		{
			placeholder: 'e.g. Answer in one sentence, from the documents alone.',
			typeOptions: { rows: 4 },
		},
	),
];

/** `POST /retrieval/rag`: search and answer in one call of the engine, with citations. */
export const rag: Operation<{ body: IDataObject; isStreamed: boolean }> = {
	value: 'rag',
	name: 'RAG Query',
	action: 'Answer with citations',
	description:
		'Let the service search and answer in one call, with citations. Ask does the same in two calls with a prompt of yours.',
	effect: 'generate',
	fields: [queryField, topKField, searchOptions(ownOptions)],
	input(parameters) {
		const options = parameters.group('options');
		const flags = {
			include_title_if_available: 'includeTitleIfAvailable',
			include_web_search: 'includeWebSearch',
		};
		const chosen = Object.entries(flags).filter(([, name]) => options.has(name));
		return {
			body: {
				...readSearchRequest(parameters, options),
				rag_generation_config: readGeneration(options),
				task_prompt: options.has('taskPrompt') ? options.verbatim('taskPrompt') : undefined,
				...Object.fromEntries(chosen.map(([key, name]) => [key, options.flag(name)])),
			},
			isStreamed: options.flag('stream'),
		};
	},
	async run(context, { body, isStreamed }) {
		const spec: ApiRequest = {
			method: 'POST',
			path: `${RAG}/retrieval/rag`,
			body,
			retry: 'billed',
			deadlineMs: GENERATE_DEADLINE_MS,
		};
		if (!isStreamed) return [itemOf(await requestObject(context, spec))];
		return [assembled(context, await streamEvents(context, spec))];
	},
};

/** The whole answer from its events: `search_results`, `message` (pieces of text), `citation`, `final_answer`, then `[DONE]`. */
function assembled(context: OperationContext, events: TextEvent[]): IDataObject {
	const result: IDataObject = {};
	const citations = new Map<string, IDataObject>();
	let text = '';
	let isWhole = false;
	for (const { type, data } of events) {
		const content = parseJson(data);
		if (data === '[DONE]' || type === 'final_answer') isWhole = true;
		if (type === 'error' || (type === 'message' && isRecord(content) && content.error)) {
			throw replyError(context, {
				kind: 'lost',
				reason: `The service broke the answer off: ${ownWords('application/json', data)}`,
			});
		}
		if (!isRecord(content)) continue;
		if (type === 'whole') return itemOf(content);
		if (type === 'search_results') result.search_results = (content.data ?? content) as IDataObject;
		if (type === 'message') text += pieceOf(content);
		if (type === 'citation')
			citations.set(String(content.id ?? citations.size), {
				...citations.get(String(content.id)),
				...content,
			} as IDataObject);
		if (type === 'final_answer') Object.assign(result, content);
	}
	if (!isWhole)
		throw replyError(context, { kind: 'lost', reason: 'The answer broke off before its end' });
	return { generated_answer: text, citations: [...citations.values()], ...result };
}

/** A piece of text: plain, or in the parts of a message delta. */
function pieceOf(content: Record<string, unknown>): string {
	if (typeof content.content === 'string') return content.content;
	const delta = isRecord(content.delta) ? content.delta.content : undefined;
	if (typeof delta === 'string') return delta;
	if (!Array.isArray(delta)) return '';
	return delta
		.map((part: unknown) =>
			isRecord(part) && isRecord(part.payload) && typeof part.payload.value === 'string'
				? part.payload.value
				: '',
		)
		.join('');
}
