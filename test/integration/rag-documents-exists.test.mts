import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';
import { CREATE, documentsOf } from './documents.mts';

const fixture = useFixture();
const { createFrom, createText, uploads, stored, chunksOf } = documentsOf(fixture);

describe('If Exists', () => {
	const first = fileItem('manual.md', '# Manual\n\nVersion one.');
	const second = fileItem('manual.md', '# Manual\n\nVersion two.');

	it('error, the default: nothing is sent, and the error names the document', async () => {
		const earlier = onlyJson(await createFrom([first]));
		const error = errorOf(await createFrom([second]));
		expect(error.message).toBe(
			`Conflict (409): Document ${String(earlier.document_id)} already exists`,
		);
		expect(error.context.known).toEqual({ document_id: earlier.document_id });
		expect(uploads()).toHaveLength(1);
	});

	it('skip: the existing document', async () => {
		const earlier = onlyJson(await createFrom([first]));
		expect(onlyJson(await createFrom([second], { options: { ifExists: 'skip' } }))).toEqual({
			document_id: earlier.document_id,
			title: 'manual.md',
			ingestion_status: 'success',
			existing: true,
			content_changed: true,
		});
		expect(await chunksOf(earlier.document_id)).toContain('Version one.');
	});

	it('replace: one document, with the new content', async () => {
		const earlier = onlyJson(await createFrom([first]));
		const replaced = onlyJson(await createFrom([second], { options: { ifExists: 'replace' } }));
		expect(replaced).toMatchObject({
			replaced_deleted: earlier.document_id,
			ingestion_status: 'success',
		});
		expect(replaced.document_id).not.toBe(earlier.document_id);
		expect(replaced).not.toHaveProperty('replaced');
		expect(await stored()).toHaveLength(1);
		expect(await chunksOf(replaced.document_id)).toEqual(['# Manual', 'Version two.']);
	});

	it('replace again: the ID that is free, then the first one', async () => {
		const [one, two] = [
			onlyJson(await createFrom([first])),
			onlyJson(await createFrom([second], { options: { ifExists: 'replace' } })),
		];
		const three = onlyJson(await createFrom([first], { options: { ifExists: 'replace' } }));
		expect(three).toMatchObject({
			document_id: one.document_id,
			replaced_deleted: two.document_id,
		});
		expect(await stored()).toHaveLength(1);
	});

	it('replace with the same content keeps the ID', async () => {
		const earlier = onlyJson(await createFrom([first]));
		const again = onlyJson(await createFrom([first], { options: { ifExists: 'replace' } }));
		expect(again).toMatchObject({
			document_id: earlier.document_id,
			replaced: earlier.document_id,
		});
		expect(again).not.toHaveProperty('replaced_deleted');
	});

	it('replace if changed: what is equal is not sent', async () => {
		const options = { ifExists: 'replaceIfChanged' };
		const earlier = onlyJson(await createFrom([first], { options }));
		expect(onlyJson(await createFrom([first], { options }))).toMatchObject({
			document_id: earlier.document_id,
			existing: true,
			content_changed: false,
		});
		expect(uploads()).toHaveLength(1);
		expect(fixture.sent('GET', /download$/)).toEqual([]);
		expect(onlyJson(await createFrom([second], { options }))).toMatchObject({
			replaced_deleted: earlier.document_id,
		});
		const [document] = await stored();
		expect(document?.metadata).toEqual({
			n8n_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
			n8n_identity: earlier.document_id,
		});
	});

	it('identified by its content, a file of the same name is another document', async () => {
		const options = { ifExists: 'skip', identity: 'content' };
		const [one, two] = [
			onlyJson(await createFrom([first], { options })),
			onlyJson(await createFrom([second], { options })),
		];
		expect(two).not.toHaveProperty('existing');
		expect(two.document_id).not.toBe(one.document_id);
		expect(onlyJson(await createFrom([second], { options }))).toMatchObject({
			document_id: two.document_id,
			existing: true,
			content_changed: false,
		});
	});

	it('a key of its own identifies a document, whatever its name is', async () => {
		const options = (documentKey: string) => ({ ifExists: 'replace', documentKey });
		const a = onlyJson(await createFrom([first], { options: options('a/manual.md') }));
		const b = onlyJson(await createFrom([first], { options: options('b/manual.md') }));
		expect(b.document_id).not.toBe(a.document_id);
		const renamed = fileItem('new.md', 'Version three.');
		expect(
			onlyJson(await createFrom([renamed], { options: options('a/manual.md') })),
		).toMatchObject({ replaced_deleted: a.document_id });
		expect(await stored()).toHaveLength(2);
		expect(errorOf(await createFrom([first], { options: { identity: 'key' } })).message).toBe(
			'Options: Document Key is required where Identify By is Document Key',
		);
	});

	it('the same file twice in one execution is an error', async () => {
		const run = await createFrom([first, second]);
		expect(errorOf(run).message).toBe(
			'Items 0 and 1 of this execution are the same document: same file name, text or Document ID',
		);
		expect(errorOf(run).description).toContain('Item 0 was done: document_id');
	});
});

describe('reconciliation of a lost answer', () => {
	it.each([
		['the connection is cut after the work', { drop: 'after' as const }],
		['a 500 after the work', { ...errorForms.detailString(500), afterWork: true }],
		['a 504 without a body after the work', { ...errorForms.empty(504), afterWork: true }],
		['an empty 2xx', { emptyBody: true }],
		['a 2xx that is cut', { cutBodyAt: 5 }],
		['a 2xx that is HTML', { ...errorForms.html(200), afterWork: true }],
	])('%s: found by its ID, uploaded once', async (_, fault) => {
		fixture.sandbox.faults.add({ match: CREATE, ...fault });
		expect(onlyJson(await createText('once'))).toMatchObject({ recovered: true, title: 'once' });
		expect(uploads()).toHaveLength(1);
	});

	it('a 2xx with a document_id that is null: it is looked up, and no success where it is not there', async () => {
		const body = { results: { message: 'queued', task_id: null, document_id: null } };
		fixture.sandbox.faults.add({ match: CREATE, status: 200, body });
		expect(errorOf(await createText('once')).message).toMatch(
			/: outcome unknown\. The service answered 200, .* and the service does not have it$/,
		);
		fixture.sandbox.faults.add({ match: CREATE, status: 200, body, afterWork: true });
		expect(onlyJson(await createText('once'))).toMatchObject({ recovered: true, title: 'once' });
	});

	it('not found: "outcome unknown" with the ID, and one upload', async () => {
		fixture.sandbox.faults.add({ match: CREATE, drop: 'before' });
		const error = errorOf(await createText('once'));
		expect(error.message).toMatch(
			/^Document [0-9a-f-]{36}: outcome unknown\. The connection .* was lost before a response arrived, and the service does not have it$/,
		);
		expect(error.context.known).toMatchObject({
			document_id: expect.any(String),
			outcome: 'unknown',
		});
		expect(uploads()).toHaveLength(1);
	});

	it('Retry On Fail asks for it first, then sends the same ID again', async () => {
		fixture.sandbox.faults.add({ match: CREATE, drop: 'before' });
		onlyJson(await createText('once', {}, RETRY));
		expect(uploads()).toHaveLength(2);
		const looked = new Set(
			fixture.sent('GET', /\/documents\/[^/]+$/).map(({ path }) => path.split('/').at(-1)),
		);
		const [document, ...others] = await stored();
		expect([[...looked], others]).toEqual([[document?.id], []]);
	});

	it.each<[string, IDataObject]>([
		['a text', {}],
		['a text that is skipped where it exists', { options: { ifExists: 'skip' } }],
		['chunks', { source: 'chunks', chunks: '["once"]' }],
	])('%s that arrives late: the 409 to the retry is a success', async (_, parameters) => {
		const looks = 9;
		fixture.sandbox.faults.add({ match: CREATE, drop: 'after' });
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /\/documents\/[^/]+$/ },
			skip: 1,
			times: looks,
			...errorForms.messageAndType(404),
		});
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /\/documents$/ },
			times: looks,
			status: 200,
			body: { results: [], total_entries: 0 },
		});
		const item = onlyJson(await createText('once', parameters, RETRY));
		expect(item).toMatchObject({ recovered: true });
		expect(item).not.toHaveProperty('existing');
		expect(uploads().map(({ status }) => status)).toEqual([undefined, 409]);
		expect(await stored()).toHaveLength(1);
	});

	it('items that succeeded are not sent again when another fails', async () => {
		fixture.sandbox.faults.add({ match: CREATE, skip: 1, drop: 'before' });
		const output = jsonOf(
			await createFrom(
				[fileItem('a.txt', 'a'), fileItem('b.txt', 'b'), fileItem('c.txt', 'c')],
				{},
				RETRY,
			),
		);
		expect(output).toHaveLength(3);
		expect(uploads()).toHaveLength(4);
		expect(await stored()).toHaveLength(3);
	});

	it('a connection that is refused is an error, with no intent noted', async () => {
		await fixture.sandbox.refuseNext();
		const error = errorOf(await createText('once'));
		await fixture.sandbox.listenAgain();
		expect(error.message).toContain('cannot be reached');
	});

	it('cancelled: the execution ends at once, with the ID in the log', async () => {
		fixture.sandbox.faults.add({ match: CREATE, hang: true });
		const stop = new AbortController();
		const running = createFrom([fileItem('a.txt', 'a')], {}, {}, { cancel: stop.signal });
		await until(() => uploads().length === 1);
		stop.abort();
		expect(errorOf(await running).message).toBe('The execution was cancelled');
		expect(fixture.time.waits).toEqual([]);
		expect(fixture.log).toContainEqual(
			expect.objectContaining({ facts: { document_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } }),
		);
	});
});
