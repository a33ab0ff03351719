import { sse } from '../../intelligence/chat-habits.mts';
import {
	callsIn,
	deltasIn,
	eachMessage,
	but,
	EVERY_REQUEST,
	type IntelligenceWorld,
} from '../intelligenceWorld.mts';

type Call = ReturnType<typeof callsIn>[number];

const eachCall = (change: (call: Call, index: number) => void) =>
	eachMessage((message) => callsIn(message).forEach(change));

const TOOL_OPERATIONS = ['call tools', 'agent', 'agent with parallel calls'] as const;

/** The chunk that begins a call, as one for each piece of its name. */
function namePieces(
	chunk: Record<string, unknown>,
	pieces: (call: Call) => string[],
): Array<Record<string, unknown>> {
	const [delta] = deltasIn(chunk);
	const [call] = (delta?.tool_calls ?? []) as Call[];
	if (!call?.function.name) return [chunk];
	return pieces(call).map((name, at) => {
		const { id, ...other } = call;
		const piece = {
			...(at === 0 && id !== undefined && { id }),
			...other,
			function: { ...call.function, name },
		};
		const [choice] = chunk.choices as object[];
		return { ...chunk, choices: [{ ...choice, delta: { tool_calls: [piece] } }] };
	});
}

/** How a service says which tools to call. */
export default [
	{
		name: 'tool IDs empty',
		habits: { reshape: eachCall((call) => (call.id = '')) },
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'tool IDs begin again in each turn',
		habits: { reshape: eachCall((call, index) => (call.id = `call_${index}`)) },
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'one tool ID for all',
		habits: { reshape: eachCall((call) => (call.id = 'call')) },
		mustSucceed: but('agent with parallel calls'),
	},
	{
		name: 'arguments as objects',
		habits: {
			reshape: eachCall(({ function: called }) => {
				called.arguments = JSON.parse(String(called.arguments)) as object;
			}),
		},
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'parallel calls without IDs under one index',
		habits: {
			reshape: eachCall((call) => delete call.id),
			chunk: (chunk) => {
				for (const { tool_calls: calls } of deltasIn(chunk))
					for (const call of (calls ?? []) as Array<{ index: number }>) call.index = 0;
			},
		},
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'parallel calls without IDs and indices',
		habits: {
			reshape: eachCall((call) => delete call.id),
			chunk: (chunk) => {
				for (const { tool_calls: calls } of deltasIn(chunk))
					for (const call of (calls ?? []) as Array<{ index?: number }>) delete call.index;
			},
		},
		mustSucceed: EVERY_REQUEST,
	},
	...(
		[
			['no JSON', (text: string) => text.replaceAll('"', "'")],
			['"null"', () => 'null'],
			['an array', (text: string) => `[${text}]`],
			['twice', (text: string) => text + text],
		] as const
	).map(([name, change]): IntelligenceWorld => ({
		name: `arguments are ${name}`,
		isFaulty: true,
		says: /arguments/,
		habits: {
			reshape: eachCall(({ function: called }) => {
				called.arguments = change(String(called.arguments));
			}),
		},
		mustSucceed: but(...TOOL_OPERATIONS),
	})),
	{
		name: 'text and each tool call in choices of their own',
		habits: {
			reshape(completion) {
				const [first] = completion.choices;
				const calls = first ? callsIn(first.message) : [];
				if (!first || calls.length === 0 || completion.choices.length > 1) return;
				completion.choices = [
					{ content: 'Let me look.' },
					...calls.map((call) => ({ tool_calls: [call] })),
				].map((message, index) => ({
					...first,
					index,
					message: { role: 'assistant', ...message },
				}));
			},
		},
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'finish_reason tool_calls and no call',
		isFaulty: true,
		says: /no tool call/,
		habits: {
			reshape: eachMessage((message) => {
				if (callsIn(message).length > 0)
					message.content = `Now: ${JSON.stringify(message.tool_calls)}`;
				delete message.tool_calls;
			}),
		},
		mustSucceed: but(...TOOL_OPERATIONS),
	},
	...(
		[
			['in pieces', ({ function: called }) => [called.name.slice(0, 2), called.name.slice(2)]],
			['all of it so far', ({ function: called }) => [called.name.slice(0, 2), called.name]],
			['again', ({ function: called }) => [called.name, called.name]],
		] as Array<[string, (call: Call) => string[]]>
	).flatMap(([name, pieces]): IntelligenceWorld[] =>
		[false, true].map((hasId) => ({
			name: `tool names ${name}${hasId ? '' : ', no IDs'}`,
			habits: {
				reshape: eachCall((call) => {
					if (!hasId) delete call.id;
				}),
				encode: (chunks) =>
					sse(chunks.flatMap((chunk) => namePieces(chunk as Record<string, unknown>, pieces))),
			},
			mustSucceed: EVERY_REQUEST,
		})),
	),
	{
		name: 'legacy function_call',
		habits: {
			reshape: eachMessage((message) => {
				const [call] = callsIn(message);
				if (!call) return;
				message.function_call = call.function;
				delete message.tool_calls;
			}),
		},
		mustSucceed: but('agent with parallel calls'),
	},
] satisfies IntelligenceWorld[];
