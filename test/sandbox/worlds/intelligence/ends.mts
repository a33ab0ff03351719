import type { Completion } from '../../index.mts';
import { callsIn, type IntelligenceWorld } from '../intelligenceWorld.mts';

type Choice = Completion['choices'][number];
const eachChoice = (change: (choice: Choice) => void) => (completion: Completion) =>
	completion.choices.forEach(change);

const half = (text: unknown) => String(text).slice(0, Math.ceil(String(text).length / 2));

const UNTOUCHED = ['embed', 'list models'] as const;

/** How an answer ends that is not the whole one. */
export default [
	{
		name: 'cut at length',
		isFaulty: true,
		says: /Max Completion Tokens/,
		habits: {
			reshape: eachChoice((choice) => {
				choice.finish_reason = 'length';
				const { message } = choice;
				if (typeof message.content === 'string') message.content = half(message.content);
				for (const { function: called } of callsIn(message))
					called.arguments = half(called.arguments);
			}),
		},
		mustSucceed: ['answer', 'answer as a stream', 'several choices', 'batch', ...UNTOUCHED],
	},
	{
		name: 'nothing but reasoning at length',
		isFaulty: true,
		says: /Max Completion Tokens/,
		habits: {
			reshape: eachChoice((choice) => {
				choice.finish_reason = 'length';
				choice.message = {
					role: 'assistant',
					reasoning: choice.message.content ?? JSON.stringify(choice.message.tool_calls),
					content: null,
				};
			}),
		},
		mustSucceed: UNTOUCHED,
	},
	...(['', null, undefined] as const).map((content): IntelligenceWorld => ({
		name: `content ${content === '' ? 'empty' : String(content)}`,
		isFaulty: true,
		says: /empty/,
		habits: {
			reshape: eachChoice((choice) => {
				choice.finish_reason = 'stop';
				choice.message = { role: 'assistant', content };
			}),
		},
		mustSucceed: UNTOUCHED,
	})),
	{
		name: 'refusal',
		isFaulty: true,
		says: /cannot help/,
		habits: {
			reshape: eachChoice((choice) => {
				choice.finish_reason = 'stop';
				const said = choice.message.content ?? JSON.stringify(choice.message.tool_calls);
				choice.message = {
					role: 'assistant',
					content: null,
					refusal: `I cannot help with ${String(said)}`,
				};
			}),
		},
		mustSucceed: UNTOUCHED,
	},
	{
		name: 'content filter',
		isFaulty: true,
		says: /filter/,
		habits: {
			reshape: eachChoice((choice) => {
				choice.finish_reason = 'content_filter';
				choice.message.content = half(
					choice.message.content ?? JSON.stringify(choice.message.tool_calls),
				);
				delete choice.message.tool_calls;
			}),
		},
		mustSucceed: UNTOUCHED,
	},
] satisfies IntelligenceWorld[];
