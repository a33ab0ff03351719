import type { Page } from './page.mts';

const I = 'integration';
const LAW = 'worlds/laws/intelligence.mts';

const claims: Page['claims'] = {
	'Asks the language models of the marketplace, runs its ready-made agents, and turns text into embeddings.':
		[
			'contract/chat.test.mts > [chat.path]',
			'contract/embedding-agent.test.mts > [agent.run.path]',
			'contract/embedding-agent.test.mts > [embedding.path]',
		],
	'Credential: Compute Intelligence API or Compute Intelligence OAuth2 API.': [
		'contract/chat.test.mts > [chat.auth]',
		'contract/chat-lists.test.mts > [intelligence.auth.oAuth2]',
	],
	'Chat | Complete | Answers messages with roles and images, one prompt, or messages as JSON': [
		'contract/chat-messages.test.mts > [chat.roles]',
		`${I}/chat-messages.test.mts > as a prompt, with and without a system prompt`,
		`${I}/chat-messages.test.mts > as JSON, with unknown keys and tool calls`,
	],
	'Agent (Beta) | Run | Runs an agent of the service on a text': [
		'contract/embedding-agent.test.mts > [agent.run.objective]',
		'contract/chat-lists.test.mts > [agent.beta]',
	],
	'Get Many | Lists the agents with their keys': [
		'contract/chat-lists.test.mts > [agent.list.200]',
	],
	'Embedding | Create | Turns the texts of all items into vectors': [
		'contract/embedding-agent.test.mts > [embedding.input]',
	],
	'Model, Embedding Model | Get Many | Lists the models that the credential can use': [
		'contract/chat-lists.test.mts > [%s.list.200] envelope object = list',
	],
	'Complete returns one item for each choice: `content`, `finish_reason`, `index`, `model`, `usage`, and `reasoning_content` or `tool_calls` if there are any.':
		[
			`${I}/chat.test.mts > simplified: one item per choice`,
			'contract/chat.test.mts > [chat.response.simplified]',
			'contract/chat-messages.test.mts > [chat.reasoning_tokens]',
		],
	'Turn Simplify off to get the whole response.': [
		'contract/chat.test.mts > [chat.response.%s] from the service to the raw item',
	],
	'A hint on the node shows the number of tokens of the execution.': [
		`${I}/chat.test.mts > a hint with the tokens of all items`,
	],
	'The answer is parsed, validated against the schema, and returned as an object in `content`.': [
		`${I}/chat.test.mts > JSON schema: sent, and the answer parsed`,
		`${I}/chat-schema.test.mts > is checked in all its keywords`,
	],
	'The calls are in `tool_calls`.': [`${I}/chat.test.mts > tool calls, in the simplified item`],
	'With tools, Tools: Choice is Auto unless you set it.': [
		'contract/chat-options.test.mts > [chat.tool_choice.default]',
	],
	'Guided output: Guided: Choice, Guided: Regex, Guided: Grammar and Guided: JSON force the form of the answer, if the model supports them.':
		['contract/chat-options.test.mts > [chat.option.%s] is sent under its own key, alone'],
	'An answer that is none of the choices, or does not match Guided: JSON, is an error.': [
		`${I}/chat-guided.test.mts > is an error with what came`,
	],
	"Streaming: if the execution streams to n8n's chat, the answer does too, and the chat says so where it was cut off at the token limit.":
		[
			`${I}/chat-stream.test.mts > the first choice is forwarded as it comes`,
			`${I}/chat-stream.test.mts > a text that ended at the token limit was cut off, which the chat shows`,
		],
	'Stream makes the node read the answer as a stream in other executions.': [
		`${I}/chat-stream.test.mts > a streamed answer equals the whole one`,
	],
	'Output: Include Usage is sent with a stream only.': [
		`${I}/chat-stream.test.mts > stream_options are sent with a stream alone`,
	],
	'Other parameters: enter what your provider accepts and the form does not have in Extra Body Fields.':
		['contract/chat-options.test.mts > [chat.open] any other parameter can be sent beside them'],
	'a refusal, an empty response, or one that a content filter stopped': [
		'unit/chat-strange.test.mts > The model refuses',
		'unit/chat-strange.test.mts > stopped by a content filter',
		`${LAW} > a success has all of the text, or tool calls`,
	],
	'a tool call without complete arguments, or a response that ended for tool calls and has none': [
		'unit/chat-parts.test.mts > is refused if it is cut off',
		'unit/chat-choices.test.mts > %s without a call that can run is an error',
	],
	'where you asked for JSON, guided output or tools: a response that was cut off at the token limit.':
		[`${I}/chat.test.mts > is cut off`, `${LAW} > a success has all of the text, or tool calls`],
	'A plain text that was cut off is an item with the `finish_reason` `length`': [
		'sandbox/worlds/intelligence/ends.mts > cut at length',
	],
	'A tool call without an ID gets one.': [
		'unit/chat-calls.test.mts > is none: nine letters and digits',
	],
	'To send calls back, set Content of an assistant message to `{{ $json }}` of the output with the calls, and enter the results in messages with the role Tool.':
		[
			`${I}/chat-messages.test.mts > an assistant message that is an earlier output, with its tool calls`,
		],
	'Some services put the text and each tool call into separate choices.': [
		'sandbox/worlds/intelligence/toolCalls.mts > text and each tool call in choices of their own',
	],
	'If you asked for one choice, you get one item.': [
		'unit/chat-choices.test.mts > text and calls become one message',
	],
	'If a service sends a stream that was not asked for, or JSON in place of one, it is read all the same.':
		[
			`${I}/chat-whole.test.mts > events that nobody asked for`,
			`${I}/chat-stream.test.mts > from a service that answers with plain JSON`,
		],
	'If the service puts an `error` at the top of a successful answer, the item calls it `service_error`.':
		[
			`${I}/paid-results.test.mts > a response with an error field is one item, requested once`,
			'contract/embedding-agent.test.mts > [agent.run.result] one with an error field is billed',
		],
	"Otherwise n8n's Retry On Fail would treat the item as failed and pay for it again.": [
		`${I}/paid-results.test.mts > a response with an error field is one item, requested once`,
	],
	'Where the answer is empty, or says that it has not ended (a `finish_reason` of nothing), it is an error in the words of the service.':
		[
			'unit/chat-reader.test.mts > beside an error must not say that it has not ended',
			'unit/chat-faults.test.mts > beside an error',
		],
	'Request: Max Retries | 2 | Sends again what cost nothing: after a 429, a 503 that names a time, or if the service cannot be reached':
		[
			`${I}/chat-limits.test.mts > as often as Max Retries says`,
			'unit/retry.test.mts > billed: … with Retry-After is …',
			'unit/retry.test.mts > billed: a lost answer is final',
		],
	'Request: Retry on Server Errors | off | Also after 502, 503 and 504. The tokens of the first try may be billed':
		[`${I}/chat-limits.test.mts > 502, 503 and 504 are tried again where the option says so`],
	'Request: Timeout | 600 s | Longest time of a response': [
		`${I}/deadlines.test.mts > a chat`,
		`${I}/chat-timeouts.test.mts > a response that does not come ends after Timeout`,
	],
	'Request: Idle Timeout | 300 s | Longest time without data of a stream, also before its first data. Keep-alives count as data':
		[
			`${I}/chat-timeouts.test.mts > a silent stream ends after Idle Timeout`,
			`${I}/chat-timeouts.test.mts > a stream that does not begin ends after Idle Timeout`,
			'contract/frozen/interface.test.mts > nodes: nothing is removed or changed',
		],
	'Requests at Once | 5 | Items that are asked at the same time. Of the first item, for all. Embeddings: 1, and more once the service has accepted a batch':
		[
			`${I}/chat.test.mts > with at most five requests at once`,
			`${I}/chat-limits.test.mts > embeddings: one batch first, then several`,
		],
	'After a 429, the node waits for the time in `Retry-After`, `retry-after-ms`, `x-ratelimit-reset-*` or the message, else for half a second and then twice as long each time.':
		[
			'unit/retry.test.mts > obeys Retry-After in seconds',
			'unit/retry.test.mts > a span of milliseconds',
			'unit/retry.test.mts > what resets first',
			'unit/retry.test.mts > words: %s',
			'unit/retry.test.mts > 0.5 s doubled each time',
		],
	'If the time is more than 60 seconds away, the error says at once when the limit ends.': [
		'unit/retry.test.mts > gives up at once above that for every policy and says when it opens',
		'contract/rag-service.test.mts > [rag.quota]',
	],
	'With Retry On Fail in the settings of the node, items that were answered are not asked again, so nothing is paid twice.':
		[
			`${I}/chat-limits.test.mts > 10 of 20 items are answered: the others alone are asked again`,
			`${LAW} > nothing is paid twice under Retry On Fail`,
		],
	'Items that failed are asked again: a response that was billed and is of no use may be billed again.':
		[`${I}/chat-limits.test.mts > an answer that is of no use is asked for again`],
	'What arrived of it is in `details.partial` of the error, whether it was streamed or not, and what arrived in earlier tries is in `details.earlier`.':
		[
			`${I}/chat-whole.test.mts > what came of a response that is not whole is in the error`,
			`${I}/chat-whole.test.mts > the error of the last try has what the others were billed for`,
		],
	'Set Type in Arguments first: it decides which other arguments there are.': [
		'contract/embedding-agent.test.mts > [agent.run.args.%s] its own arguments and no others',
	],
	'Dimensions and Encoding Format are sent if you set them.': [
		'contract/embedding-agent.test.mts > [embedding.dimensions]',
		'contract/embedding-agent.test.mts > [embedding.encoding_format]',
	],
	'Batch Size is the number of texts in one request, over all items.': [
		`${I}/embeddings.test.mts > items share a request up to the batch size`,
	],
	'If the model rejects a batch, the node halves it until only the text at fault is rejected.': [
		`${I}/embeddings.test.mts > a batch that is too large is halved until it fits`,
		`${I}/embeddings.test.mts > a text that is refused fails its own item alone`,
	],
	'With On Error set to Continue, the other texts are embedded.': [
		`${I}/embeddings.test.mts > texts between two that are refused are embedded`,
	],
	'If the fault is not in the texts, such as a wrong number of dimensions, all items fail.': [
		`${I}/embeddings.test.mts > an option that is refused is not tried with each text`,
	],
	'Include Text adds the text to the item of its vector.': [
		`${I}/chat-limits.test.mts > the texts of an item are in its vectors where the option says so`,
	],
	'Vectors that are empty, of different sizes, of another size than Dimensions, or several for one text are an error.':
		[
			`${I}/embeddings-paid.test.mts > vectors of which only some have an index are an error`,
			`${I}/embeddings.test.mts > vectors of another size than those of an earlier batch are an error`,
			`${I}/embeddings.test.mts > fewer vectors than texts`,
			'sandbox/worlds/intelligence/contents.mts > vectors with one index for all',
		],
	'If a batch fails, the vectors of earlier batches are in the error: those of the item in `details.partial`, and those of later items in `details.others_partial`.':
		[
			`${I}/embeddings-paid.test.mts > has the vectors of the item that are paid for`,
			`${I}/embeddings-paid.test.mts > has those of later items, which are in no output`,
		],
	'Retry On Fail does not ask for them again.': [
		`${I}/embeddings-paid.test.mts > is not asked for again with what is paid for`,
	],
	'A response that lacks a vector is in `details.response`, and the message says why if the service does.':
		['review/intelligence7/documents.test.mts > tells why in its message'],
	'The limit of a response is 128 KiB for each text of its batch, and at least 16 MiB.': [
		`${I}/embeddings.test.mts > 17 MB in one answer, are 230 items`,
		`${I}/embeddings.test.mts > The response is larger than 16 MiB for 2 texts`,
	],
	'`The response ended early: …` | What arrived is in `details.partial`. Run the item again; it may be billed twice':
		[
			`${I}/chat-stream-errors.test.mts > a stream that breaks off is an error with the partial answer`,
		],
	'`The response is larger than …` | For embeddings: choose a smaller Batch Size. The vectors are billed':
		[`${I}/embeddings.test.mts > of several texts names what to change`],
	'`No response within … seconds` | Raise Request: Timeout, or Request: Idle Timeout for a stream':
		[`${I}/chat-timeouts.test.mts > a response that does not come ends after Timeout`],
	'`The response is none of the texts in Guided …` | The model does not support the option, or needs clearer instructions':
		[`${I}/chat-guided.test.mts > The response is none of the texts in Guided Choice`],
	'`The response does not match the JSON schema: …` | The message names the place. Make the instructions or the schema clearer':
		[`${I}/chat.test.mts > The response does not match the JSON schema`],
	'`The response is not valid JSON`, or no object | Make the instructions clearer, or choose another model':
		[`${I}/chat.test.mts > The response is not valid JSON`],
	'`The response was cut off at the token limit` | Raise Max Completion Tokens. Reasoning counts too':
		[`${I}/chat.test.mts > The response was cut off at the token limit`],
	'`The model refuses: …`, `… by a content filter` | Change the prompt, or choose another model': [
		'unit/chat-strange.test.mts > The model refuses',
		'unit/chat-strange.test.mts > stopped by a content filter',
	],
	'`The response has no tool call, although …` | Run the item again, or choose another model': [
		'unit/chat-choices.test.mts > %s without a call that can run is an error',
	],
	'`The response is empty` | Run the item again, or choose another model': [
		`${LAW} > a success has all of the text, or tool calls`,
	],
	'`The arguments of the tool call … are not …` | The call is not returned. Run the item again, or choose another model':
		['unit/chat-parts.test.mts > is refused if its arguments are in'],
	'`… nothing arrived for … seconds` | The service is silent. Raise Request: Idle Timeout if the model thinks for long':
		[`${I}/chat-timeouts.test.mts > a silent stream ends after Idle Timeout`],
	'`JSON Schema cannot be used: …` | The message says what is wrong with the schema': [
		`${I}/chat-schema.test.mts > is refused before anything is sent`,
	],
	'`Rate limit or quota exceeded (429)` | The description says when to try again': [
		`${I}/bad-answers.test.mts > Retry after 60 minutes.`,
	],
	'Extracts facts from a text, as an object that the next node can rely on.': [
		'e2e/pages.test.mts > executes as it is',
	],
};

const instructions = [
	'JSON: set JSON: Schema.',
	'Tools: enter the functions as JSON in Tools.',
	'These responses are errors, since they must not be used:',
	'Turn Retry On Fail off if no response may be paid for twice.',
];

export const chatCompletion: Page = { file: 'docs/chat-completion.md', claims, instructions };
