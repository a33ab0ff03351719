import { sse } from '../../intelligence/chat-habits.mts';
import {
	callsIn,
	deltasIn,
	eachMessage,
	EVERY_REQUEST,
	type IntelligenceWorld,
} from '../intelligenceWorld.mts';

/** As well-known servers answer. */
export default [
	{
		name: 'OpenAI: refusal null, usage only if asked',
		habits: {
			countsIfAsked: true,
			reshape: eachMessage((message) => Object.assign(message, { refusal: null, annotations: [] })),
			chunk: (chunk) => Object.assign(chunk, { usage: null, ...chunk, service_tier: 'default' }),
		},
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'vLLM: "reasoning", index jumps, no tool IDs',
		habits: {
			countsIfAsked: true,
			reshape: eachMessage((message) => {
				message.reasoning = 'I think.';
				for (const call of callsIn(message)) delete call.id;
			}),
			chunk: (chunk) => {
				for (const { tool_calls: calls } of deltasIn(chunk))
					for (const call of (calls ?? []) as Array<{ index: number }>) call.index *= 2;
			},
		},
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'Ollama: no tool IDs, ignores n, finish_reason stop',
		habits: {
			ignores: ['n'],
			reshape(completion) {
				for (const choice of completion.choices) {
					choice.finish_reason = 'stop';
					if (callsIn(choice.message).length > 0) choice.message.content = '';
					for (const call of callsIn(choice.message)) delete call.id;
				}
			},
		},
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'strict: refuses stream_options',
		habits: { refuses: ['stream_options'] },
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'LiteLLM: error in the stream',
		isFaulty: true,
		says: /out of memory/,
		habits: {
			encode: (chunks) =>
				sse([
					...chunks.slice(0, 12),
					{ error: { message: 'out of memory', type: null, code: '500' } },
				]),
		},
		relaxed: [
			{
				law: 'what was billed is in an output or an error',
				scenario: 'choices',
				why: 'only the first choice has begun',
			},
		],
		mustSucceed: ['answer', 'batch', 'embed', 'list models'],
	},
] satisfies IntelligenceWorld[];
