import type { Page } from './page.mts';

const MODEL = 'integration/chat-model.test.mts';
const LAW = 'worlds/laws/intelligence.mts';
const CALLS = 'unit/chat-calls.test.mts';
const CHOICES = 'unit/chat-choices.test.mts';
const STRANGE = 'unit/chat-strange.test.mts';
const TOOL_CALLS = 'sandbox/worlds/intelligence/toolCalls.mts';
const ALONE =
	'integration/chat-model-alone.test.mts > the model is an error that says what is missing';
const AGENT = 'e2e/agent.test.mts > an AI Agent with our chat model';
const TOOLS = 'integration/execute.test.mts > can be used, and describes each operation';

const claims: Page['claims'] = {
	"The language models of the marketplace for n8n's AI Agent and chains.": [
		AGENT,
		'e2e/agent.test.mts > a chain with our chat model',
	],
	'Tools, output parsers, memory and streaming work.': [
		AGENT,
		'e2e/agent.test.mts > in the form of its output parser',
		'e2e/ai-nodes.test.mts > remembers three turns',
		`${MODEL} > a streamed answer equals the whole one, with tool calls and tokens`,
	],
	'Credential: Compute Intelligence API or Compute Intelligence OAuth2 API.': [
		'contract/chat-lists.test.mts > [intelligence.auth.%s] exactly one header',
		'contract/chat-lists.test.mts > [intelligence.auth.oAuth2]',
	],
	'It needs an n8n with the SDK for AI nodes (`@n8n/ai-node-sdk`); 2.41.1 is tested.': [
		ALONE,
		AGENT,
	],
	'Model | A model from the list, or the ID of one': [
		'integration/chat-lists.test.mts > list searches show the context length',
		`${MODEL} > answers, with token usage`,
	],
	'Options | Sampling parameters, stop sequences, Reasoning Effort, User, Extra Body Fields, and limits':
		[
			`${MODEL} > answers, with token usage`,
			'contract/chat-options.test.mts > [chat.option.%s] is sent under its own key',
		],
	'A 429 does not end the agent: the model waits, as often as Request: Max Retries says.': [
		'integration/chat-limits.test.mts > 429 without a time is tried again after a pause, as often as Max Retries says',
		'sandbox/worlds/intelligence/limits.mts > 429 that names …',
	],
	'Streams are asked for their tokens.': [
		`${MODEL} > a streamed answer equals the whole one, with tool calls and tokens`,
		`${LAW} > tokens are counted`,
	],
	'A service that refuses that gets a second request, once in an execution.': [
		`${MODEL} > a service that refuses stream_options is asked without them from then on`,
		`${LAW} > what must succeed, succeeds`,
	],
	'Each call has an ID that no other call of the conversation has.': [
		`${CALLS} > the service gives are kept, unless the conversation has them`,
	],
	"Where the service gives none, or the same one again, the node makes one: otherwise n8n's agent would ignore the result, and the model would call again.":
		[
			`${CALLS} > is none: nine letters and digits`,
			`${TOOL_CALLS} > tool IDs empty`,
			`${TOOL_CALLS} > tool IDs begin again in each turn`,
		],
	'Parallel calls are distinguished by index and ID, and where both are missing or shared, by their names.':
		[
			`${CALLS} > of two names under one index`,
			`${TOOL_CALLS} > parallel calls without IDs and indices`,
		],
	'A call without a name is ignored.': [
		'unit/chat-events.test.mts > a tool call without a function name is not for an agent',
	],
	'Names and arguments may come in pieces, and calls in choices of their own.': [
		`${CALLS} > whose name comes with each piece`,
		`${TOOL_CALLS} > text and each tool call in choices of their own`,
	],
	'A call that the service repeats, without an ID or with the same one, runs once.': [
		`${LAW} > no tool call runs twice`,
		`${CHOICES} > that two choices have is one call`,
	],
	'A call that was cut off at the token limit, or whose arguments are not a JSON object, is an error, and the tool does not run.':
		[
			`${STRANGE} > cut off at the token limit`,
			`${STRANGE} > or is not run: %s`,
			`${LAW} > no tool runs with arguments that the model did not send`,
		],
	'So is a response that ended for tool calls and has none.': [
		`${CHOICES} > without a call that can run is an error`,
		`${TOOL_CALLS} > finish_reason tool_calls and no call`,
	],
	"The agent's option to pass binary images through sends images as JPEG, PNG, WEBP or GIF.": [
		`${LAW} > a picture arrives as it is, or is refused in words`,
		'e2e/agent-worlds.test.mts > the AI Agent in the world',
	],
	'Other files, such as PDFs and audio, are an error: the models take text and images.': [
		`${LAW} > a picture arrives as it is, or is refused in words`,
	],
	'VMaaS, CaaS, Explorer, Chat Completion and RAG can be tools of the agent.': [TOOLS],
	'To let an agent deploy or extend, set Maximum Price in the form of the tool: without a limit that the model cannot change, such a call is refused.':
		[
			'integration/agent-limit.test.mts > with a limit that the model chooses',
			'integration/agent-limit.test.mts > an extension without a limit is refused',
		],
	'If n8n does not have the SDK, the error is `This n8n does not have the SDK for AI nodes`.': [
		ALONE,
	],
	'A response with neither text nor tool calls is one, too: an agent can read nothing else.': [
		'unit/chat-complete.test.mts > is an error with the response where it can read none of it',
	],
	'An agent that knows the prices of the marketplace.': ['e2e/pages.test.mts > executes as it is'],
};

const instructions = [
	'Connect it where they ask for a Chat Model.',
	'Raise Max Completion Tokens.',
	"To have a person approve each purchase, put one of n8n's human review tools between the agent and the tool.",
	'The errors are those of Compute Chat Completion, shown at the agent.',
];

export const chatModel: Page = { file: 'docs/chat-model.md', claims, instructions };
