/**
 * `npm run test:documents [-- --documents N --files N --mebibytes N]`: many documents through `create` in n8n's engine with
 * Retry On Fail. First large files from n8n's file store, the service in another process: the memory that is alive grows by
 * what is under way, and no more. Then many with faults: each is ingested once, and the order is kept.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { outputOf, startEngine } from '../engine/engine.mts';
import { fileItem, rag } from '../engine/nodes.mts';
import { sandboxCredentials, startFixture } from '../engine/start.mts';
import { useSandboxTime } from '../engine/time.mts';
import { errorForms, type Fault, type Sandbox } from '../sandbox/index.mts';
import { openFileStore, storedItem } from './files.mts';
import { Peak } from './memory.mts';

const { values: options } = parseArgs({
	options: {
		documents: { type: 'string', default: '2000' },
		files: { type: 'string', default: '40' },
		mebibytes: { type: 'string', default: '8' },
	},
});
const MEBIBYTE = 1024 * 1024;
/** Items of a node that run at once (nodes/Rag/crud.ts). */
const AT_ONCE = 5;
/** What the engine, the sockets and the outputs take besides the files. */
const REST = 4 * MEBIBYTE;
/** One upload in ten meets a fault. */
const FAULT_EVERY = 10;

const CREATE = { method: 'POST', path: /\/documents$/ };
const FAULTS: Fault[] = [
	{ drop: 'after' },
	{ ...errorForms.detailString(500), afterWork: true },
	{ drop: 'before' },
	{ ...errorForms.empty(504), afterWork: true },
	{ ...errorForms.tooManyRequests(1) },
	{ emptyBody: true },
	{ ...errorForms.html(502) },
	{ cutBodyAt: 5 },
];

const create = rag(
	'document',
	'create',
	{ source: 'file', binaryPropertyName: 'data', additionalFields: { runWithOrchestration: false } },
	{ retryOnFail: true, maxTries: 5, waitBetweenTries: 1 },
);

let failed = 0;
function check(holds: boolean, what: string): void {
	process.stdout.write(`${holds ? '✓' : 'x'} ${what}\n`);
	if (!holds) failed++;
}

async function withFaults(count: number): Promise<void> {
	const { sandbox, engine } = await startFixture();
	const time = useSandboxTime(sandbox);
	for (let index = 0; index * FAULT_EVERY < count; index++)
		sandbox.faults.add({
			match: CREATE,
			skip: index * FAULT_EVERY,
			...FAULTS[index % FAULTS.length],
		});
	const items = Array.from({ length: count }, (_, index) =>
		fileItem(`document-${index}.txt`, `This is document ${index}.`),
	);
	const began = performance.now();
	const run = await engine.runItems(create, items);
	const seconds = (performance.now() - began) / 1000;
	const met = sandbox.faults.used().length;
	const output = outputOf(run);
	const stored = outputOf(await engine.run(rag('document', 'getAll', { returnAll: true })));
	const titles = new Map(stored.map(({ json }) => [json.id, json.title]));
	const uploads = sandbox.requests.filter(
		({ method, path }) => method === 'POST' && CREATE.path.test(path),
	);
	check(
		met >= count / FAULT_EVERY / 2,
		`${met} faults met ${count} documents, ${uploads.length} uploads in ${seconds.toFixed(1)} s`,
	);
	check(stored.length === count, `${stored.length} documents are stored, each once`);
	const again = uploads.filter(({ status }) => status === 409).length;
	check(again === 0, `${again} uploads of a document that was there already`);
	check(
		output.length === count &&
			output.every(
				({ json, pairedItem }, index) =>
					titles.get(json.document_id) === `document-${index}.txt` &&
					JSON.stringify(pairedItem) === `{"item":${index}}`,
			),
		'the output has the order of the items, each paired with its own',
	);
	time.restore();
	await sandbox.close();
}

async function memory(count: number, fileBytes: number): Promise<void> {
	const child = fork(new URL('service.mts', import.meta.url), {
		execArgv: ['--import', 'tsx'],
		env: { ...process.env, NODE_OPTIONS: '' },
	});
	const [service] = (await once(child, 'message')) as [Sandbox];
	const store = await openFileStore();
	const engine = await startEngine(sandboxCredentials(service));
	const items = [];
	for (let index = 0; index < count; index++)
		items.push(await storedItem(store, `file-${index}.bin`, Buffer.alloc(fileBytes, index)));
	// The first runs load code and open pools
	outputOf(
		await engine.runItems(create, [await storedItem(store, 'first.txt', Buffer.from('first'))]),
	);
	const peak = new Peak(250);
	const output = outputOf(await engine.runItems(create, items));
	const most = peak.end();
	const bound = AT_ONCE * fileBytes + REST;
	const inMiB = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
	check(output.length === count, `${count} files of ${inMiB(fileBytes)} ingested`);
	check(
		most <= bound,
		`alive beyond the start: ${inMiB(most)} at most in ${peak.looks} looks; ${AT_ONCE} x ${inMiB(fileBytes)} and ${inMiB(REST)} for the rest are allowed`,
	);
	check(most >= fileBytes, 'the looks saw files under way');
	const closed = once(child, 'exit');
	child.disconnect();
	await closed;
}

// First the memory: what the many documents leave behind would be counted as alive at its start
await memory(Number(options.files), Number(options.mebibytes) * MEBIBYTE);
await withFaults(Number(options.documents));
process.stdout.write(`${failed === 0 ? 'All laws hold' : `${failed} laws are broken`}\n`);
process.exitCode = failed === 0 ? 0 : 1;
