import { readFileSync } from 'node:fs';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { outputOf, PROJECT, type RunOptions, type WorkflowJson } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, rag, textDocument } from '../engine/nodes.mts';
import { jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();

const FILES = [
	['billing.md', 'text/markdown'],
	['network.html', 'text/html'],
	['handbook.pdf', 'application/pdf'],
] as const;

const readExample = (name: string): WorkflowJson =>
	JSON.parse(readFileSync(`${PROJECT}/examples/${name}.json`, 'utf8')) as WorkflowJson;

interface Question {
	question: string;
	expected_source: string;
}

/** What people ask, and the document that knows: the questions of the evaluation. */
const { questions: QUESTIONS } = JSON.parse(
	String(
		readExample('rag-evaluation').nodes.find(({ name }) => name === 'Questions')?.parameters
			.jsonOutput,
	),
) as { questions: Question[] };

const content = (name: string) => readFileSync(`${PROJECT}/examples/documents/${name}`);
const files = (field: string): INodeExecutionData[] =>
	FILES.map(([name, mimeType]) => ({
		json: {},
		binary: {
			[field]: fileItem(name, content(name), mimeType).binary?.data ?? { data: '', mimeType },
		},
	}));

async function runExample(name: string, options: RunOptions): Promise<IRun> {
	const workflow = readExample(name);
	for (const node of workflow.nodes)
		if (node.waitBetweenTries !== undefined) node.waitBetweenTries = 1;
	return await fixture.engine.runWorkflow(workflow, options);
}

const ask = async (name: string, chatInput: string) =>
	await runExample(name, { start: 'When a Question Is Asked', items: [{ json: { chatInput } }] });
const items = (run: IRun, node: string): IDataObject[] =>
	(run.data.resultData.runData[node] ?? [])
		.flatMap((task) => task.data?.main?.[0] ?? [])
		.map(({ json }) => json);
const documents = async () =>
	jsonOf(await fixture.run(rag('document', 'getAll', { returnAll: true })));

describe('RAG from files', () => {
	beforeEach(async () => {
		const run = await runExample('rag-from-files', {
			start: 'When a Document Is Dropped In',
			items: files('Document'),
		});
		expect(outputOf(run, 'Add to Collection')).toHaveLength(3);
	});

	it('three ingested documents are in the collection', async () => {
		const [collection] = jsonOf(
			await fixture.run(rag('collection', 'getAll', { returnAll: true })),
		).filter(({ name }) => name === 'handbook');
		expect(collection?.document_count).toBe(3);
		expect(
			(await documents()).map(({ title, ingestion_status }) => [title, ingestion_status]),
		).toEqual(FILES.map(([name]) => [name, 'success']));
		expect(fixture.sent('POST', /\/collections$/)).toHaveLength(1);
	});

	it('ten questions: the right source first in at least nine', async () => {
		const right = [];
		for (const { question, expected_source: source } of QUESTIONS) {
			fixture.sandbox.requests.length = 0;
			const [answer] = items(await ask('rag-from-files', question), 'Ask');
			const sources = answer?.sources as IDataObject[];
			if (sources[0]?.source === source) right.push(question);
			const [sent] = fixture.sent('POST', /rag\/generate$/);
			expect(sent?.body).toEqual({
				prompt_name: 'rag',
				inputs: { query: question, context: sources.map(({ text }) => text).join('\n') },
			});
			expect(answer?.answer).toContain(`To "${question}" the context says: `);
		}
		process.stdout.write(`right source first: ${right.length} of ${QUESTIONS.length}\n`);
		expect(QUESTIONS).toHaveLength(10);
		expect(right.length).toBeGreaterThanOrEqual(9);
	});

	it('answers that nothing was found, without a model', async () => {
		expect(items(await ask('rag-from-files', 'Zebras?'), 'Ask')).toEqual([
			expect.objectContaining({ found: false, answer: 'Our documents say nothing about that.' }),
		]);
		expect(fixture.sent('POST', /rag\/generate$/)).toEqual([]);
	});

	it('a file of the same name from somebody else is another document, and twice the same one is one', async () => {
		const drop = async (text: string) =>
			await runExample('rag-from-files', {
				start: 'When a Document Is Dropped In',
				items: [
					{
						json: {},
						binary: {
							Document: fileItem('billing.md', text).binary?.data ?? { data: '', mimeType: '' },
						},
					},
				],
			});
		for (const text of ['My invoice.', 'Your invoice.', 'My invoice.'])
			expect(items(await drop(text), 'Add to Collection')).toHaveLength(1);
		expect((await documents()).filter(({ title }) => title === 'billing.md')).toHaveLength(3);
		expect(fixture.sent('DELETE', /./)).toEqual([]);
	});
});

/** The nightly program takes 2,000. */
const COUNT = Number(process.env.REINDEX_FILES ?? 200);

describe('nightly re-index', () => {
	const nightly = async () => await runExample('rag-nightly-reindex', { items: files('data') });
	const index = async () =>
		(await documents()).map(({ id, title, created_at }) => ({ id, title, created_at }));

	it('sends what is new or changed, and deletes the earlier version', async () => {
		expect(items(await nightly(), 'Ingest Again')).toHaveLength(3);
		const first = await index();
		fixture.sandbox.clock.advance(86_400_000);
		expect(items(await nightly(), 'Ingest Again')).toMatchObject(
			FILES.map(() => ({ existing: true, content_changed: false })),
		);
		expect(await index()).toEqual(first);
		const changed = [fileItem('billing.md', 'Invoices are sent by post.', 'text/markdown')];
		const run = await runExample('rag-nightly-reindex', { items: changed });
		expect(items(run, 'Ingest Again')).toEqual([
			expect.objectContaining({
				replaced_deleted: first.find(({ title }) => title === 'billing.md')?.id,
			}),
		]);
		// The other files are gone from the folder
		expect(items(run, 'Delete Vanished')).toHaveLength(FILES.length - 1);
		expect((await index()).map(({ title }) => title)).toEqual(['billing.md']);
	});

	it('a night without the service ends in the report, and the next night repairs it', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST', path: '/documents' },
			times: Infinity,
			...errorForms.detailString(403, 'closed'),
		});
		const run = await nightly();
		expect([
			items(run, 'Delete Vanished'),
			run.data.resultData.runData['Report Failures']?.[0]?.data?.main?.[0]?.length,
		]).toEqual([[], 3]);
		fixture.sandbox.faults.clear();
		expect(items(await nightly(), 'Ingest Again')).toHaveLength(3);
	});
});

describe('ask with a fallback', () => {
	it('answers from the documents where they know, and from the web where they do not', async () => {
		onlyJson(await fixture.run(textDocument('The first hour is never refunded.')));
		const known = await ask('rag-ask-with-fallback', 'Is the first hour refunded?');
		expect([items(known, 'Reply'), items(known, 'Reply from the Web')]).toEqual([
			[expect.objectContaining({ found: true })],
			[],
		]);
		const unknown = await ask('rag-ask-with-fallback', 'Zebras?');
		expect([items(unknown, 'Reply'), items(unknown, 'Reply from the Web')]).toEqual([
			[],
			[expect.objectContaining({ generated_answer: expect.any(String) })],
		]);
		expect(fixture.sent('POST', /retrieval\/rag$/)[0]?.body).toMatchObject({
			query: 'Zebras?',
			include_web_search: true,
		});
	});

	it(`${COUNT} files, of which 10 change and 5 go: 10 uploads and 15 deletions, 10 of them of earlier versions`, async () => {
		const folder = (changed: number, gone: number) =>
			Array.from({ length: COUNT - gone }, (_, index) => {
				const text = `Page ${index}${index < changed ? ', changed' : ''}`;
				const file = fileItem(`page-${index}.txt`, text).binary?.data;
				return { json: {}, binary: { data: file ?? { data: '', mimeType: '' } } };
			});
		await runExample('rag-nightly-reindex', { items: folder(0, 0) });
		const { library } = fixture.sandbox;
		const before = new Map(library.documents);
		expect(before.size).toBe(COUNT);
		fixture.sandbox.requests.length = 0;
		const run = await runExample('rag-nightly-reindex', { items: folder(10, 5) });
		expect(items(run, 'Delete Vanished')).toHaveLength(5);
		expect(fixture.sent('POST', /\/documents$/)).toHaveLength(10);
		expect(fixture.sent('DELETE', /\/documents\//)).toHaveLength(15);
		const kept = [...library.documents.keys()].filter((id) => before.has(id));
		expect([library.documents.size, kept.length]).toEqual([COUNT - 5, COUNT - 15]);
	});
});
