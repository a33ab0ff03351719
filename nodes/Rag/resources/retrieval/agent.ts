import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../../shared/guards';
import type { Operation } from '../../../shared/operation/operation';
import {
	choice,
	option,
	optionsField,
	readOption,
	readOptions,
	unlessBlank,
	type Option,
} from '../../../shared/operation/option';
import { itemOf, objectsOf, resultsOf } from '../../../intelligence/retrieval/envelope';
import { conversationIdField, textField } from '../../../intelligence/retrieval/fields';
import { withExtraBody } from '../../../intelligence/retrieval/extraBody';
import { generationOptions, readGeneration, taskPrompt } from '../../generation';
import { RAG } from '../../../intelligence/retrieval/paths';
import { answerText, checkAnswer, plainText, truncation } from '../../answer';
import { requestAnswer, stream, type AnswerInput } from './requestAnswer';
import { readSearch, searchOptions } from '../../../intelligence/retrieval/searchSettings';

const ownOptions: Option[] = [
	option(
		{
			...conversationIdField,
			required: false,
			description: 'The conversation to continue. Leave empty to start a new one.',
		},
		(options, name) => options.pathId(name),
	),
	choice({
		displayName: 'Mode',
		name: 'mode',
		options: [
			{ name: 'RAG', value: 'rag' },
			{ name: 'Research', value: 'research' },
		],
		default: 'rag',
		description:
			'Whether the agent answers from the documents (RAG) or works in several steps (Research)',
	}),
	taskPrompt,
].map(unlessBlank);

/** `POST /retrieval/agent` (beyond-the-spec.md section 6 "Agent"): one item with the last message of the agent as `answer`. */
export const agent: Operation<AnswerInput> = {
	value: 'agent',
	name: 'Agent',
	action: 'Chat with retrieval agent',
	description:
		"Conversation with the service's agent, which searches by itself, in several steps if needed, and remembers it",
	effect: 'generate',
	fields: [
		textField('Message', 'message', 'Message to the agent', {
			required: true,
			placeholder: 'e.g. Is the first hour refunded?',
			typeOptions: { rows: 2 },
		}),
		optionsField([...generationOptions, ...ownOptions, stream, ...searchOptions]),
	],
	input(parameters) {
		const options = parameters.group('options');
		return {
			body: withExtraBody(
				{
					message: { role: 'user', content: parameters.text('message') },
					...readSearch(options),
					rag_generation_config: readGeneration(options),
					...readOptions(options, ownOptions),
				},
				options,
			),
			stream: readOption(options, stream),
		};
	},
	async run(context, input) {
		const path = `${RAG}/retrieval/agent`;
		const response = await requestAnswer(context, path, input, agentText);
		const results = resultsOf(response);
		const answer = agentText(response) ?? null;
		// Without messages, the answer may have another form
		const isKnown = isRecord(results) && ('messages' in results || 'generated_answer' in results);
		checkAnswer(context, response, isKnown ? { answer } : results);
		const { conversation_id: continued } = input.body;
		return [
			{
				answer: answer ?? answerText(results) ?? null,
				...(continued && { conversation_id: continued }),
				...itemOf(response),
				...truncation(response),
			},
		];
	},
};

/** The last message of the agent, or the text of a streamed answer. What the agent said before the last question answers another one. */
function agentText(response: IDataObject): string | undefined {
	const results = resultsOf(response);
	const messages = objectsOf(isRecord(results) && results.messages);
	const asked = messages.findLastIndex(({ role }) => role === 'user');
	const last = messages.slice(asked + 1).findLast(({ role }) => role === 'assistant');
	return plainText(last?.content ?? (isRecord(results) ? results.generated_answer : undefined));
}
