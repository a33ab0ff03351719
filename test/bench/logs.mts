import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { TriggerContext } from 'n8n-core';
import type { IDataObject, INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { request } from 'undici';
import { LogDecoder } from '../../nodes/shared/stream/logDecoder.ts';
import { PROJECT, startEngine } from '../engine/engine.mts';
import { locator } from '../engine/nodes.mts';
import { logsTrigger } from '../engine/logs.mts';
import { amount, finish, isQuick, median, type Row } from './bars.mts';

/** The logs trigger beside the limit (a bare reader) and beside what n8n has. Both sides of a row run right after each other. */
const LINES = isQuick ? 300_000 : 1_000_000;
const ROUNDS = isQuick ? 5 : 15;

const server = fork(new URL('./log-server.mts', import.meta.url), { execArgv: process.execArgv });
const [port] = (await once(server, 'message')) as [number];
const url = `http://127.0.0.1:${port}`;
const engine = await startEngine(
	{
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl: url, service: 'svc', apiKey: 'key-of-the-benchmark' },
		},
	},
	PROJECT,
);
const rows: Row[] = [];

async function compare(
	name: string,
	run: () => Promise<number> | number,
	other: string,
	runOther: () => Promise<number> | number,
	bar?: number,
): Promise<void> {
	const rounds: Array<{ own: number; theirs: number }> = [];
	const clean = async (side: () => Promise<number> | number) => {
		// Neither side clears up what the other has just left. A full collection would also throw away what V8 has compiled for items,
		// of which there are none between two sides; while a log is followed there always are some
		globalThis.gc?.({ type: 'minor' });
		return await side();
	};
	// V8 compiles in the first rounds what runs often
	for (let round = -2; round < ROUNDS; round++) {
		const before = round % 2 === 0 ? await clean(run) : undefined;
		const theirs = await clean(runOther);
		const own = before ?? (await clean(run));
		if (round >= 0) rounds.push({ own, theirs });
	}
	// Each round has its own ratio: what else the machine does in it slows both sides
	const ratio = median(rounds.map(({ own, theirs }) => own / theirs));
	const [own, theirs] = [
		median(rounds.map((round) => round.own)),
		median(rounds.map((round) => round.theirs)),
	];
	rows.push({
		name,
		own: `${amount(own)} lines/s`,
		beside: other,
		other: `${amount(theirs)} lines/s`,
		ratio: ratio.toFixed(2),
		bar: bar === undefined ? '' : `>= ${bar}`,
	});
}

const perSecond = (lines: number, begin: number) => lines / ((performance.now() - begin) / 1000);

async function follow(
	format: string,
	lines: number,
	consume: (items: INodeExecutionData[]) => Promise<void> | void,
	maxEntries = 1_000,
	output = 'entries',
): Promise<number> {
	const node = {
		...logsTrigger({
			authentication: 'apiKey',
			deploymentId: locator(`${format}-${lines}`),
			containerIds: ['c'],
			startFrom: 'beginning',
			batch: { maxEntries, maxWaitMs: 1_000 },
			options: { output },
		}),
		id: 'trigger',
		name: 'Trigger',
		typeVersion: 1,
		position: [0, 0] as [number, number],
	};
	const { workflow, additionalData } = engine.activation({ nodes: [node], connections: {} }, {});
	let count = 0;
	let tell: () => void = () => undefined;
	const all = new Promise<void>((resolve) => {
		tell = resolve;
	});
	const emit: ITriggerFunctions['emit'] = ([items = []], _, done) => {
		count += output === 'batch' ? Number(items[0]?.json.count ?? 0) : items.length;
		void Promise.resolve(consume(items)).then(() => {
			done?.resolve({ status: 'success' } as IRun);
			if (count >= lines) tell();
		});
	};
	const ctx = new TriggerContext(
		workflow,
		workflow.getNode('Trigger') ?? node,
		additionalData,
		'trigger',
		'activate',
		emit,
	);
	const begin = performance.now();
	const response = await workflow.expression.withIsolate(
		async () => await engine.nodeType('caasLogsTrigger').trigger?.call(ctx),
	);
	await all;
	const speed = perSecond(count, begin);
	await response?.closeFunction?.();
	return speed;
}

// 1. Memory, with a consumer ten times slower than the stream; before the rest, whose pages could hide a growth
async function memory(): Promise<Row> {
	const speed = await follow('lines', LINES, () => undefined);
	globalThis.gc?.();
	let most = 0;
	let base = 0;
	let count = 0;
	await follow('lines', LINES, async (items) => {
		count += items.length;
		if (count % 50_000 === 0) globalThis.gc?.();
		const { rss } = process.memoryUsage();
		if (count <= 100_000) base = Math.max(base, rss);
		else most = Math.max(most, rss);
		await pause((items.length / speed) * 10 * 1000);
	});
	const grown = (most - base) / 1024 / 1024;
	const ratio = `${grown > 0 ? '+' : ''}${grown.toFixed(1)} MB`;
	return {
		name: `memory over ${LINES.toLocaleString('en')} lines, slow consumer`,
		own: '',
		beside: 'after the first 100,000',
		other: '',
		ratio,
		bar: '<= +32 MB',
	};
}
const memoryRow = await memory();

// 2. The decoder alone
const events = Buffer.from(
	Array.from(
		{ length: LINES / 2 },
		(_, index) => `id: ${index}\ndata: ${'x'.repeat(60)} ${index}\n\n`,
	).join(''),
);
const chunks = Array.from({ length: Math.ceil(events.length / 65_536) }, (_, index) =>
	events.subarray(index * 65_536, (index + 1) * 65_536),
);
await compare(
	'decoder, events',
	() => {
		const begin = performance.now();
		let count = 0;
		const decoder = new LogDecoder({}, () => count++);
		for (const chunk of chunks) decoder.push(chunk);
		return perSecond(count, begin);
	},
	'eventsource-parser 4',
	() => {
		const begin = performance.now();
		let count = 0;
		const parser = createParser({ onEvent: () => count++ });
		const text = new TextDecoder();
		for (const chunk of chunks) parser.feed(text.decode(chunk, { stream: true }));
		return perSecond(count, begin);
	},
	0.65,
);

// 3. From the socket to the item. Without items, the bare reader shows what the socket and the decoding of text cost; with them, what
// any trigger has to do: n8n gets nothing but items
async function bare(format: string, makesItems = false): Promise<number> {
	const begin = performance.now();
	const { body } = await request(
		`${url}/enterprise/v1/svc-cloud/caas/deployment/${format}-${LINES}/log/c`,
	);
	const text = new TextDecoder();
	let rest = '';
	let count = 0;
	let items: INodeExecutionData[] = [];
	for await (const chunk of body) {
		const lines = (rest + text.decode(chunk as Buffer, { stream: true })).split('\n');
		rest = lines.pop() ?? '';
		if (makesItems) {
			const receivedAt = new Date().toISOString();
			for (const line of lines) {
				if (format === 'sse' && !line.startsWith('data: ')) continue;
				const json: IDataObject = {};
				json.line = format === 'sse' ? line.slice(6) : line;
				json.stream = 'stdout';
				json.deployment_id = format;
				json.container_id = 'c';
				json.offset = count++;
				json.received_at = receivedAt;
				if (items.push({ json }) >= 1_000) items = [];
			}
		} else count += format === 'sse' ? lines.length / 2 : lines.length;
		if (count >= LINES) break;
	}
	return perSecond(count, begin);
}

for (const [format, what] of [
	['lines', 'bare lines'],
	['sse', 'events'],
] as const) {
	const own = async () => await follow(format, LINES, () => undefined);
	await compare(
		`socket to item, ${what}`,
		own,
		'bare undici reader that makes items',
		async () => await bare(format, true),
		0.65,
	);
	await compare(
		`socket to item, ${what}`,
		own,
		'bare undici reader, no items',
		async () => await bare(format),
	);
}

// 4. Through the engine: one run for 100 lines, beside the client of n8n's SSE Trigger with one run for each line. A run of one item
// each is like for like; a run of 100 items costs n8n half as much again, since it copies each of them at each node
const workflow = (type: string, parameters = {}) => ({
	nodes: [
		{
			id: 'a',
			name: 'Start',
			type,
			typeVersion: 1,
			position: [0, 0] as [number, number],
			parameters,
		},
		{
			id: 'b',
			name: 'End',
			type: 'n8n-nodes-base.noOp',
			typeVersion: 1,
			position: [0, 0] as [number, number],
			parameters: {},
		},
	],
	connections: { Start: { main: [[{ node: 'End', type: 'main' as const, index: 0 }]] } },
});
const engineRun = async (items: INodeExecutionData[]) =>
	void (await engine.runFrom(workflow('n8n-nodes-base.manualTrigger'), items));

async function sseTrigger(lines: number): Promise<number> {
	const EventSource = createRequire(import.meta.url)('eventsource') as new (address: string) => {
		onmessage?: (event: { data: string }) => void;
		close(): void;
	};
	const begin = performance.now();
	const source = new EventSource(`${url}/deployment/sse-${lines}/log/c`);
	const runs: Array<Promise<void>> = [];
	await new Promise<void>((resolve) => {
		source.onmessage = ({ data }) => {
			runs.push(engineRun([{ json: { data } }]));
			if (runs.length === lines) resolve();
		};
	});
	await Promise.all(runs);
	source.close();
	return perSecond(lines, begin);
}

for (const { name, output, bar } of [
	{ name: 'in the engine, 100 lines a run, in one item', output: 'batch', bar: 100 },
	{ name: 'in the engine, 100 lines a run, an item each', output: 'entries', bar: 75 },
]) {
	await compare(
		name,
		async () => await follow('sse', 200_000, engineRun, 100, output),
		'SSE Trigger client, 1 line a run',
		async () => await sseTrigger(3_000),
		bar,
	);
}

finish([...rows, memoryRow]);
server.disconnect();
