import { chunksOf, sse } from '../../intelligence/chat-habits.mts';
import { EVERY_REQUEST, type IntelligenceWorld } from '../intelligenceWorld.mts';

/** What is billed and does not arrive as it should: how an answer is sent that is no stream. */
export default [
	{
		name: 'whole: events in its place',
		habits: { whole: (completion) => sse([...chunksOf(completion, true)]) },
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'whole: keep-alives before it',
		habits: { whole: (completion) => `\n\n\n\n${JSON.stringify(completion)}\n` },
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'whole: cut off',
		isFaulty: true,
		says: /ended early/,
		habits: {
			whole(completion) {
				const text = JSON.stringify(completion);
				return text.slice(0, text.indexOf('"usage"'));
			},
		},
		mustSucceed: ['answer as a stream', 'embed', 'list models'],
	},
] satisfies IntelligenceWorld[];
