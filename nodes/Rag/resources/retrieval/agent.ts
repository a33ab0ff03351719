import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isRecord } from '../../../shared/guards';
import { requestObject } from '../../../shared/http/request';
import type { Operation } from '../../../shared/operation/operation';
import { itemOf, objectsOf, resultsOf } from '../../envelope';
import { textField, UUID } from '../../fields';
import { generationFields, readGeneration } from '../../generation';
import { GENERATION_DEADLINE_MS, RAG } from '../../paths';
import { choice, readSearch, searchOptions } from '../../searchSettings';

const MODES = ['rag', 'research'] as const;

const ownOptions: INodeProperties[] = [
	...generationFields,
	textField(
		'Conversation ID',
		'conversationId',
		'Continues a conversation that an earlier answer names; empty starts a new one',
		{ placeholder: UUID },
	),
	choice(
		'Mode',
		'mode',
		MODES,
		'Whether the agent answers from the documents or researches in several steps',
	),
];

/** `POST /retrieval/agent`: the engine's own agent, which remembers a conversation. */
export const agent: Operation<{ body: IDataObject }> = {
	value: 'agent',
	name: 'Agent',
	action: 'Talk to the retrieval agent',
	description:
		"Ask the service's own agent, which searches the documents by itself and remembers the conversation",
	effect: 'generate',
	fields: [
		textField('Message', 'message', 'What to say to the agent', {
			required: true,
			placeholder: 'e.g. Is the first hour refunded?',
			typeOptions: { rows: 2 },
		}),
		searchOptions(ownOptions),
	],
	input(parameters) {
		const options = parameters.group('options');
		return {
			body: {
				message: { role: 'user', content: parameters.text('message') },
				...readSearch(options),
				rag_generation_config: readGeneration(options),
				conversation_id: options.has('conversationId')
					? options.pathId('conversationId')
					: undefined,
				mode: options.has('mode') ? options.choice('mode', MODES) : undefined,
			},
		};
	},
	async run(context, { body }) {
		const answer = await requestObject(context, {
			method: 'POST',
			path: `${RAG}/retrieval/agent`,
			body,
			retry: 'billed',
			deadlineMs: GENERATION_DEADLINE_MS,
		});
		const results = resultsOf(answer);
		const last = objectsOf(isRecord(results) && results.messages).findLast(
			({ role }) => role === 'assistant',
		);
		return [{ answer: last?.content ?? null, ...itemOf(answer) }];
	},
};
