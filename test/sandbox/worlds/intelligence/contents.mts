import { but, eachMessage, EVERY_REQUEST, type IntelligenceWorld } from '../intelligenceWorld.mts';

const isJson = (content: unknown) => typeof content === 'string' && content.startsWith('{');

/** JSON wrapped in what real models write around it. */
const WRAPPERS: Array<[name: string, wrap: (json: string) => string]> = [
	['after a sentence', (json) => `Sure! Here is the JSON:\n${json}`],
	['before a sentence', (json) => `${json}\n\nLet me know if you need more.`],
	['in a fence after a sentence', (json) => `Here it is:\n\`\`\`json\n${json}\n\`\`\`\nDone.`],
	['in a fence of one line', (json) => `\`\`\`json ${json} \`\`\``],
	['behind <think>', (json) => `<think>\nMaybe {"answer": 1}?\n</think>\n\n${json}`],
	['behind thoughts alone', (json) => `Maybe {"answer": 1}.</think>${json}`],
	['behind a byte order mark', (json) => `\ufeff${json}`],
];

/** A choice in the form of the older completions, but for one with tool calls. */
const withText =
	(key: 'message' | 'delta') =>
	({ [key]: said, ...choice }: Record<string, unknown>) => {
		const { content, tool_calls: calls } = said as Record<string, unknown>;
		return calls || typeof content !== 'string'
			? { [key]: said, ...choice }
			: { ...choice, text: content };
	};

/** How the text of an answer is written. */
export default [
	{
		name: 'content as parts',
		habits: {
			reshape: eachMessage((message) => {
				const { content } = message;
				if (typeof content !== 'string') return;
				const middle = Math.floor(content.length / 2);
				message.content = [content.slice(0, middle), content.slice(middle)].map((text) => ({
					type: 'text',
					text,
				}));
			}),
		},
		mustSucceed: EVERY_REQUEST,
	},
	...WRAPPERS.map(([name, wrap]): IntelligenceWorld => ({
		name: `JSON ${name}`,
		habits: {
			reshape: eachMessage((message) => {
				if (isJson(message.content)) message.content = wrap(String(message.content));
			}),
		},
		mustSucceed: EVERY_REQUEST,
	})),
	{
		name: 'text beside the index',
		habits: {
			whole: (completion) =>
				JSON.stringify({ ...completion, choices: completion.choices.map(withText('message')) }),
			chunk: (chunk) =>
				(chunk.choices = (chunk.choices as Array<Record<string, unknown>>).map(withText('delta'))),
		},
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'vectors in another order, with indices as texts',
		habits: {
			vectors: (response) => {
				for (const entry of response.data.reverse()) entry.index = String(entry.index);
			},
		},
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'models as a bare array',
		habits: { models: ({ data }) => data },
		mustSucceed: EVERY_REQUEST,
	},
	...(
		[
			['null', () => null],
			['empty', () => []],
			['of different sizes', (vector: number[], index: number) => vector.slice(index)],
		] as const
	).map(([name, change]): IntelligenceWorld => ({
		name: `vectors ${name}`,
		isFaulty: true,
		says: /vector/,
		habits: {
			vectors: ({ data }) => {
				for (const [index, entry] of data.entries())
					entry.embedding = change(entry.embedding as number[], index);
			},
		},
		mustSucceed: but('embed'),
	})),
	{
		name: 'vectors with one index for all',
		isFaulty: true,
		says: /vector/,
		habits: { vectors: ({ data }) => data.forEach((entry) => (entry.index = 0)) },
		mustSucceed: but('embed'),
	},
] satisfies IntelligenceWorld[];
