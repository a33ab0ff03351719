import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, rag, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { CREATE, documentsOf, REPLACE } from './documents.mts';

const fixture = useFixture();
const { createFrom, deletions } = documentsOf(fixture);
const create = async (
	item: INodeExecutionData,
	options: IDataObject = {},
	settings = {},
	runOptions: RunOptions = {},
) => await createFrom([item], { options }, settings, runOptions);
const second = fileItem('a.txt', 'two');

describe('the IDs in a 409', () => {
	const first = fileItem('a.txt', 'one');
	const STRANGER = '99999999-2222-4333-8444-555555555555';
	const conflict = (...ids: unknown[]) =>
		fixture.sandbox.faults.add({
			match: CREATE,
			...errorForms.detailString(
				409,
				`Collection ${STRANGER}, task ${STRANGER}: ${ids.map((id) => `document ${String(id)}`).join()}`,
			),
		});
	it('the first that is a document counts, each looked up once', async () => {
		const id = '11111111-2222-4333-8444-555555555555';
		onlyJson(
			await fixture.engine.runItems(
				rag('document', 'create', {
					source: 'file',
					binaryPropertyName: 'data',
					additionalFields: { documentId: id, runWithOrchestration: false },
				}),
				[first],
			),
		);
		conflict(id);
		expect(onlyJson(await create(second, { ifExists: 'skip' }))).toMatchObject({
			document_id: id,
			existing: true,
			title: 'a.txt',
		});
		expect(fixture.sent('GET', new RegExp(STRANGER))).toHaveLength(1);
		conflict(id);
		expect(errorOf(await create(second)).context.known).toEqual({ document_id: id });
		conflict(id);
		expect(errorOf(await create(second, REPLACE)).context.known).toEqual({ document_id: id });
		expect(deletions()).toEqual([]);
	});

	it.each(['error', 'skip', 'replace'])(
		'where none is a document, or the lookup fails, the 409 is the error: %s',
		async (ifExists) => {
			conflict();
			fixture.sandbox.faults.add({
				match: { method: 'GET', path: new RegExp(STRANGER) },
				skip: 1,
				...errorForms.empty(403),
			});
			for (let tries = 0; tries < 2; tries++) {
				const error = errorOf(await create(first, { ifExists }));
				expect([error.message, error.context.known]).toEqual([
					expect.stringMatching(/^Conflict \(409\): Collection /),
					{ document_id: null },
				]);
				conflict();
			}
			expect(deletions()).toEqual([]);
		},
	);

	it('of a hundred IDs only some are looked up', async () => {
		conflict(
			...Array.from(
				{ length: 100 },
				(_, index) => `${String(index).padStart(8, '0')}-2222-4333-8444-555555555555`,
			),
		);
		expect(errorOf(await create(first, { ifExists: 'skip' })).message).toContain('(409)');
		expect(fixture.sent('GET', /documents\/[^/]+$/).length).toBeLessThan(10);
	});
});

describe('a document under an ID that the node did not choose', () => {
	const file = fileItem('a.txt', 'one');
	/** A document of the service that has another ID than the node asks for. */
	const other = (fields: IDataObject = {}) => ({
		id: '99999999-2222-4333-8444-555555555555',
		title: 'a.txt',
		ingestion_status: 'success',
		created_at: '2026-01-01T00:00:00Z',
		metadata: {},
		...fields,
	});
	const LIST = { method: 'GET', path: /\/documents$/ };
	const listed = (...documents: IDataObject[]) =>
		fixture.sandbox.faults.add({
			match: LIST,
			times: Infinity,
			status: 200,
			body: { results: documents, total_entries: documents.length },
		});
	const contents = (text: string) =>
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /\/download$/ },
			times: Infinity,
			status: 200,
			rawBody: text,
		});
	const uploads = () => fixture.sent('POST', CREATE.path);
	const isThere = (...documents: IDataObject[]) => {
		for (const document of documents)
			fixture.sandbox.faults.add({
				match: { method: 'GET', path: new RegExp(`/documents/${String(document.id)}$`) },
				times: Infinity,
				status: 200,
				body: { results: document },
			});
		listed(...documents);
	};
	const lost = () => fixture.sandbox.faults.add({ match: CREATE, drop: 'before' });

	it.each<[string, IDataObject, string | undefined]>([
		['its name and its content', {}, 'one'],
		['its name, content and size', { size_in_bytes: 3 }, 'one'],
		['its name and content, its size counted in another way', { size_in_bytes: 99 }, 'one'],
		['its name and content without metadata', { metadata: null }, 'one'],
	])('a lost answer: the list shows one with %s', async (_, fields, text) => {
		lost();
		isThere(other(fields));
		if (text !== undefined) contents(text);
		expect(onlyJson(await create(file, {}, RETRY))).toMatchObject({
			document_id: other().id,
			recovered: true,
		});
		expect(uploads()).toHaveLength(1);
	});

	it('a lost answer: one with its identity and its hash needs no look at the content', async () => {
		const { document_id: id } = onlyJson(await create(file, { ifExists: 'replaceIfChanged' }));
		const [document] = jsonOf(await fixture.run(rag('document', 'getAll', { returnAll: true })));
		onlyJson(await fixture.run(rag('document', 'delete', { documentId: id })));
		lost();
		isThere(other({ metadata: document?.metadata }));
		expect(onlyJson(await create(file, { ifExists: 'replaceIfChanged' }, RETRY))).toMatchObject({
			document_id: other().id,
			recovered: true,
		});
		expect(uploads()).toHaveLength(2);
		expect(fixture.sent('GET', /download$/)).toEqual([]);
	});

	it('a lost answer: its ID in the list is enough, whatever its name is', async () => {
		const { document_id: id } = onlyJson(await create(file));
		onlyJson(await fixture.run(rag('document', 'delete', { documentId: id })));
		lost();
		listed(other({ id, title: 'renamed' }));
		contents('one');
		expect(onlyJson(await create(file, {}, RETRY))).toMatchObject({
			document_id: id,
			recovered: true,
		});
		expect(uploads()).toHaveLength(2);
	});

	it('a lost answer: of many with its name, five are compared, and no more is known', async () => {
		lost();
		isThere(
			...Array.from({ length: 7 }, (_, index) =>
				other({ id: `9999999${index}-2222-4333-8444-555555555555` }),
			),
		);
		contents('two');
		const error = errorOf(await create(file, { pollInterval: 1 }));
		expect(error.message).toMatch(
			/ it cannot be told whether 99999995-.*, which has its name or a similar one, is this document$/,
		);
		const compared = fixture.sent('GET', /download$/).map(({ path }) => path);
		expect(new Set(compared).size).toBe(5);
	});

	it.each<[string, IDataObject, string]>([
		['another content', {}, 'two'],
		['the mark of another document', { metadata: { n8n_identity: 'another' } }, 'one'],
	])('a lost answer: one with %s is not it, and it is sent again', async (_, fields, text) => {
		lost();
		isThere(other(fields));
		contents(text);
		expect(onlyJson(await create(file, {}, RETRY))).not.toHaveProperty('recovered');
		expect(uploads()).toHaveLength(2);
	});

	it.each([
		['one with its name that cannot be read', () => isThere(other({ size_in_bytes: 2 ** 30 }))],
		[
			'its content under a similar name',
			() => {
				isThere(other({ title: 'a (1).txt' }));
				contents('one');
			},
		],
		[
			'a part of the documents',
			() =>
				fixture.sandbox.faults.add({
					match: LIST,
					times: Infinity,
					status: 200,
					body: { results: [other({ title: 'b.txt' })], total_entries: 2 },
				}),
		],
	])('a lost answer: with %s it is unknown, and not sent again', async (_, prepare) => {
		lost();
		prepare();
		const error = errorOf(await create(file, {}, RETRY));
		expect(error.message).toContain(': outcome unknown. ');
		expect(error.context.known).toMatchObject({ outcome: 'unknown' });
		expect(uploads()).toHaveLength(1);
	});

	const conflict = () =>
		fixture.sandbox.faults.add({
			match: CREATE,
			times: Infinity,
			...errorForms.detailString(409, 'Conflict'),
		});

	it('a conflict that names nothing: the one document with its name is meant', async () => {
		conflict();
		isThere(other());
		contents('two');
		expect(onlyJson(await create(file, { ifExists: 'skip' }))).toMatchObject({
			document_id: other().id,
			existing: true,
			content_changed: true,
		});
		for (const ifExists of ['replace', 'error']) {
			const error = errorOf(await create(file, { ifExists }));
			expect(error.context.known).toEqual({ document_id: other().id });
		}
		expect(deletions()).toEqual([]);
	});

	it.each([
		['several with its name', [other(), other({ id: '88888888-2222-4333-8444-555555555555' })]],
		['one with a similar name', [other({ title: 'a (1).txt' })]],
	])('a conflict that names nothing: of %s, none is taken', async (_, documents) => {
		conflict();
		isThere(...documents);
		contents('two');
		const error = errorOf(await create(file, { ifExists: 'skip' }));
		expect([error.message, error.context.known]).toEqual([
			expect.stringContaining('(409)'),
			{ document_id: null },
		]);
	});

	it('an upload that is answered with another ID replaces those with its mark alone', async () => {
		fixture.sandbox.faults.add({
			match: CREATE,
			status: 200,
			body: { results: { document_id: other().id } },
		});
		isThere(other(), other({ id: '88888888-2222-4333-8444-555555555555', metadata: null }));
		const item = onlyJson(await create(file, { ifExists: 'replaceIfChanged' }));
		expect(item).toMatchObject({ document_id: other().id });
		expect(deletions()).toEqual([]);
	});

	it('after a refusal, the file that the engine hands out may be the one that was refused', async () => {
		conflict();
		contents('one');
		isThere(other());
		expect(onlyJson(await create(file, { ifExists: 'skip' }))).toMatchObject({
			existing: true,
			content_changed: null,
		});
	});
});
