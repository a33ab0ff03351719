import { sse } from '../../intelligence/chat-habits.mts';
import { EVERY_REQUEST, type IntelligenceWorld } from '../intelligenceWorld.mts';

const lines = (chunks: readonly object[]) =>
	chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('');

/** Events between those of the stream. */
const between = (keepAlive: string) => (chunks: readonly object[]) =>
	sse(chunks).replaceAll('\n\ndata: ', `\n\n${keepAlive}\n\ndata: `);

const ENCODINGS: Array<
	[name: string, encode: (chunks: readonly object[]) => string, type?: string]
> = [
	['empty data', between('data:')],
	['comments', between(': OPENROUTER PROCESSING')],
	['event ping with text', between('event: ping\ndata: still here')],
	['event ping with JSON', between('event: ping\ndata: {"type":"ping","message":"alive"}')],
	['JSON of type ping', between('data: {"type":"ping","message":"alive"}')],
	['"ping"', between('data: ping')],
	['other event types', (chunks) => sse(chunks).replaceAll('data: {', 'event: chunk\ndata: {')],
	['NDJSON', lines, 'application/x-ndjson'],
	['NDJSON without a type', lines, 'application/octet-stream'],
	['events labelled JSON', sse, 'application/json'],
	['events without [DONE]', (chunks) => sse(chunks).replace('data: [DONE]\n\n', '')],
	['events without empty lines', (chunks) => sse(chunks).replaceAll('\n\n', '\n')],
	[
		'events without the last line ends',
		(chunks) => sse(chunks).replace(/\n\ndata: \[DONE\]\n\n$/, ''),
	],
];

/** How a stream is encoded. */
export default [
	...ENCODINGS.map(([name, encode, contentType]): IntelligenceWorld => ({
		name: `stream: ${name}`,
		habits: { encode, contentType },
		mustSucceed: EVERY_REQUEST,
	})),
	{
		name: 'stream: JSON in its place',
		habits: { ignores: ['stream'] },
		mustSucceed: EVERY_REQUEST,
	},
	{
		name: 'stream: JSON without a type in its place',
		habits: { ignores: ['stream'] },
		faults: [
			{
				match: { path: /chat\/completions$/ },
				times: Infinity,
				headers: { 'content-type': 'text/plain' },
			},
		],
		mustSucceed: EVERY_REQUEST,
	},
] satisfies IntelligenceWorld[];
