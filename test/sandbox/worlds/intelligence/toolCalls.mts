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
