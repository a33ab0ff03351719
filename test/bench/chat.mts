/**
 * What a streamed chat completion costs in n8n, as ratios to a bare reader of the same stream on the same machine: undici,
 * lines, JSON.parse, text joined. The node runs in n8n's engine and forwards each chunk to a chat.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StructuredChunk } from 'n8n-workflow';
import { Agent, request } from 'undici';
import { PROJECT, startEngine } from '../engine/engine.mts';
import { chat, locator } from '../engine/nodes.mts';
import { jsonOf } from '../engine/results.mts';
import { amount, median, printRows, type Row } from './bars.mts';

const CHUNKS = 20_000;
const ROUNDS = process.argv.includes('--quick') ? 3 : 7;

const chunk = (content: string, finish: string | null = null) =>
	`data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: finish }] })}\n\n`;
const pieces = Array.from({ length: CHUNKS }, (_, index) => chunk(` word${index % 100}`));
const blocks = Array.from({ length: CHUNKS / 100 }, (_, index) =>
	pieces.slice(index * 100, index * 100 + 100).join(''),
);

const server = createServer((incoming, response) => {
	incoming.resume().on('end', () => {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		for (const block of blocks) response.write(block);
		response.end(`${chunk('', 'stop')}data: [DONE]\n\n`);
	});
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

interface Times {
	first: number;
	total: number;
}

async function bare(): Promise<Times> {
	const agent = new Agent();
	const started = performance.now();
	let first = 0;
	let text = '';
	let rest = '';
	const { body } = await request(url, { method: 'POST', body: '{}', dispatcher: agent });
	const decoder = new TextDecoder();
	for await (const bytes of body) {
		const lines = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			if (!line.startsWith('data: {')) continue;
			const { choices } = JSON.parse(line.slice(6)) as {
				choices: Array<{ delta: { content: string } }>;
			};
			text += choices[0]?.delta.content ?? '';
			first ||= performance.now() - started;
		}
	}
	const total = performance.now() - started;
	await agent.close();
	expectWhole(text);
	return { first, total };
}

const engine = await startEngine(
	{
		'compute-intelligence': {
			type: 'computeIntelligenceApi',
			data: { baseUrl: url, ragSegment: 'rag', apiKey: 'key-for-a-benchmark', header: 'bearer' },
		},
	},
	PROJECT,
);

/** @param isHeard whether the chunks are forwarded to a chat, or only added up */
async function node(isHeard: boolean): Promise<Times> {
	const started = performance.now();
	let first = 0;
	const onChunk = ({ type }: StructuredChunk) => {
		if (type === 'item') first ||= performance.now() - started;
	};
	const parameters = {
		model: locator('m'),
		input: 'prompt',
		prompt: 'Why?',
		options: { stream: true },
		simplify: true,
	};
	const run = await engine.run(
		chat('chat', 'complete', parameters),
		[{}],
		isHeard ? { mode: 'webhook', onChunk } : {},
	);
	const total = performance.now() - started;
	expectWhole(String(jsonOf(run)[0]?.content));
	return { first, total };
}

function expectWhole(text: string): void {
	if (!text.startsWith(' word0 word1') || !text.endsWith(' word99'))
		throw new Error('the text is not whole');
}

const times: Record<'bare' | 'added' | 'heard', Times[]> = { bare: [], added: [], heard: [] };
for (let round = -2; round < ROUNDS; round++) {
	const [one, two, three] = [await bare(), await node(false), await node(true)];
	if (round < 0) continue;
	times.bare.push(one);
	times.added.push(two);
	times.heard.push(three);
}
const total = (list: Times[]) => median(list.map((time) => time.total));
const first = (list: Times[]) => median(list.map((time) => time.first));
const speed = (list: Times[]) => (CHUNKS / total(list)) * 1_000;
const row = (name: string, list: Times[]): Row => ({
	name,
	own: `${amount(speed(list))} chunks/s`,
	beside: 'bare undici reader',
	other: `${amount(speed(times.bare))} chunks/s`,
	ratio: (speed(list) / speed(times.bare)).toFixed(2),
	bar: '',
});
printRows([
	row('chat streamed, text added up', times.added),
	row('chat streamed, each chunk to a chat', times.heard),
	{
		name: 'chat streamed, time to the first chunk',
		own: `${first(times.heard).toFixed(1)} ms`,
		beside: 'bare undici reader',
		other: `${first(times.bare).toFixed(1)} ms`,
		ratio: (first(times.heard) / first(times.bare)).toFixed(1),
		bar: '',
	},
]);
server.close();
server.closeAllConnections();
