/** Many at once: items of one execution, containers of one trigger; and the turn of an agent beside n8n's OpenAI model. */
import { createRequire } from 'node:module';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';
import { installation } from '../e2e/install.mts';
import { outputOf, PROJECT, startEngine } from '../engine/engine.mts';
import { logRequests, logsTrigger } from '../engine/logs.mts';
import { chatModel, deployment, deployParameters } from '../engine/nodes.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { findAiNodeSdk } from '../engine/supply.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { until } from '../e2e/until.mts';
import { startSandbox } from '../sandbox/index.mts';
import { amount, finish, isQuick, median, type Row } from './bars.mts';

const ITEMS = isQuick ? 2_000 : 10_000;
const FEW_ITEMS = ITEMS / 10;
const CONTAINERS = 100;
const LINES_EACH = isQuick ? 200 : 1_000;
const TURNS = isQuick ? 20 : 100;
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const LONGEST_MS = 300_000;
const MB = 1_048_576;

/** As much of a LangChain model as is called. */
interface Model {
	bindTools(tools: object[], options?: object): Model;
	invoke(messages: unknown): Promise<{ tool_calls?: Array<{ id: string }>; content: unknown }>;
}

findAiNodeSdk();
const sandbox = await startSandbox();
const credentials = sandboxCredentials(sandbox);
const engine = await startEngine(credentials, PROJECT);

/** Milliseconds of the processor for an item of a dry run. */
async function dryRun(items: number): Promise<number> {
	const node = deployment('deploy', deployParameters({ safety: { dryRun: true } }));
	const input = Array.from({ length: items }, () => ({}));
	const begin = process.cpuUsage();
	const output = outputOf(await engine.run(node, input));
	const { user, system } = process.cpuUsage(begin);
	if (output.length !== items || output.some(({ json }) => json.dry_run !== true))
		throw new Error(`A dry run of ${items} items put out ${output.length}`);
	return (user + system) / 1_000 / items;
}

async function items(): Promise<Row> {
	await dryRun(FEW_ITEMS);
	const few = await dryRun(FEW_ITEMS);
	const many = await dryRun(ITEMS);
	return {
		name: `Deploy, dry run of ${amount(ITEMS)} items`,
		own: `${many.toFixed(2)} ms/item`,
		beside: `the same of ${amount(FEW_ITEMS)} items`,
		other: `${few.toFixed(2)} ms/item`,
		ratio: (many / few).toFixed(2),
		bar: '<= 1.5',
	};
}

/** The most requests for logs in one second. */
function mostInASecond(): number {
	const times = logRequests(sandbox).map(({ at }) => at);
	return Math.max(
		...times.map((at) => times.filter((one) => one >= at && one < at + 1_000).length),
	);
}

async function containers(): Promise<Row[]> {
	const ids = Array.from({ length: CONTAINERS }, (_, index) => `many-${index}`);
	const running = sandbox.books.seeded.find(
		({ order, isGone }) => order.name === 'inference-api' && !isGone,
	);
	const logs = ids.map((id) => sandbox.logs.open(running?.id ?? '', id));
	const areFollowed = () => logs.every(({ connections }) => connections.size > 0);
	let lines = 0;
	const trigger = new ActiveTrigger(
		engine,
		logsTrigger({
			deploymentId: { __rl: true, mode: 'id', value: running?.id ?? '' },
			containerIds: ids,
			startFrom: 'beginning',
		}),
		(received: IDataObject[]) => void (lines += received.length),
	);
	global.gc?.();
	const heapBefore = process.memoryUsage().heapUsed;
	sandbox.requests.length = 0;
	await trigger.activate();
	await until('all logs are followed', areFollowed, LONGEST_MS);
	const begin = process.cpuUsage();
	for (let number = 0; number < LINES_EACH; number++)
		for (const log of logs) log.append('stdout', `line ${number}`);
	await until('all lines have come', () => lines >= CONTAINERS * LINES_EACH, LONGEST_MS);
	const { user, system } = process.cpuUsage(begin);
	const most = mostInASecond();
	trigger.executions.length = 0;
	global.gc?.();
	const heap = (process.memoryUsage().heapUsed - heapBefore) / MB;
	for (const log of logs) for (const connection of log.connections) connection.break();
	sandbox.requests.length = 0;
	await until(
		'all are requested again',
		() => logRequests(sandbox).length >= CONTAINERS,
		LONGEST_MS,
	);
	const mostAgain = mostInASecond();
	await trigger.deactivate();
	const saved = JSON.stringify(trigger.saved).length / CONTAINERS;
	const name = `${CONTAINERS} containers at once`;
	const row = (what: string, ratio: string, bar: string): Row => ({
		name: `${name}: ${what}`,
		own: '',
		beside: '',
		other: '',
		ratio,
		bar,
	});
	const perLine = (user + system) / (CONTAINERS * LINES_EACH);
	return [
		row('requests in one second', `${most}`, '<= 10'),
		row('the same when all connections break', `${mostAgain}`, '<= 10'),
		row(
			'memory for each container',
			`${((heap * 1_024) / CONTAINERS).toFixed(0)} kB`,
			'<= 1024 kB',
		),
		row('processor for a line, service and engine included', `${perLine.toFixed(0)} µs`, ''),
		row('static data for each container', `${saved.toFixed(0)} bytes`, '<= 1024 bytes'),
	];
}

const TOOLS = ['machine_list', 'machine_price'].map((name) => ({
	type: 'function',
	function: {
		name,
		description: name,
		parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
	},
}));

/** A turn of an agent: the model calls tools, gets their results and answers. */
async function turn(model: Model): Promise<void> {
	const question = ['human', 'Which machine?'];
	const asked = await model.invoke([question]);
	const results = (asked.tool_calls ?? []).map(({ id }) => ({
		role: 'tool',
		tool_call_id: id,
		content: '[]',
	}));
	if (results.length !== TOOLS.length) throw new Error('The model did not call its tools');
	await model.invoke([question, asked, ...results]);
}

async function agent(): Promise<Row> {
	const own = (await engine.supply(chatModel(MODEL))).response as Model;
	const n8nRequire = createRequire(path.join(installation, 'node_modules', 'n8n', 'package.json'));
	const langchain = createRequire(n8nRequire.resolve('@n8n/n8n-nodes-langchain/package.json'));
	const { ChatOpenAI } = langchain('@langchain/openai') as {
		ChatOpenAI: new (options: object) => Model;
	};
	const { apiKey, baseUrl } = credentials['compute-intelligence']?.data ?? {};
	const other = new ChatOpenAI({
		model: MODEL,
		apiKey,
		configuration: { baseURL: `${String(baseUrl)}/api/v1` },
	});
	const models = [own, other].map((model) => model.bindTools(TOOLS, { tool_choice: 'auto' }));
	const times: number[][] = [[], []];
	for (let round = -5; round < TURNS; round++)
		for (const [index, model] of models.entries()) {
			const begin = performance.now();
			await turn(model);
			if (round >= 0) times[index]?.push(performance.now() - begin);
		}
	const [mine = 0, theirs = 0] = times.map(median);
	return {
		name: "an agent's turn at the model: calls of tools, then the answer",
		own: `${mine.toFixed(1)} ms`,
		beside: "ChatOpenAI, as n8n's OpenAI Chat Model supplies it",
		other: `${theirs.toFixed(1)} ms`,
		ratio: (mine / theirs).toFixed(2),
		bar: '<= 2',
	};
}

try {
	finish([await items(), ...(await containers()), await agent()]);
} finally {
	await sandbox.close();
}
