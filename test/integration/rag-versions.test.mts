import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, rag } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { AT_ONCE, documentsOf } from './documents.mts';

const fixture = useFixture();
const { createFrom, createText, deletions, stored, uploads } = documentsOf(fixture);
const OWN = '11111111-2222-4333-8444-555555555555';
const LOOK = { method: 'GET', path: /documents\/[^/]+$/ };
const REPLACE = { ifExists: 'replace' };
const create = async (text: string, options: IDataObject = REPLACE, fields: IDataObject = {}) =>
	await createFrom([fileItem('a.txt', text)], { options, additionalFields: fields });
const { additionalFields: atOnce } = AT_ONCE;
const waits = () => fixture.time.waits.filter((ms) => ms > 0);

describe('replace while an earlier version is being ingested', () => {
	it.each([
		['an ID is free', {}],
		['there is one ID alone', { documentId: OWN }],
	])('where %s, nothing is waited for', async (_, fields) => {
		onlyJson(await create('one', {}, fields));
		fixture.sandbox.clock.advance(1_000);
		const item = onlyJson(await create('two', REPLACE, { ...fields, ...atOnce }));
		expect(item).toMatchObject({ ingestion_status: 'success' });
		expect([waits(), deletions().length]).toEqual([[], 1]);
		expect(await stored()).toHaveLength(1);
	});

	it('where no ID is free, it is waited for until the time is over', async () => {
		const first = onlyJson(await create('one', {}, atOnce)).document_id;
		fixture.sandbox.faults.add({ match: { method: 'DELETE' }, ...errorForms.empty(403) });
		errorOf(await create('two', REPLACE, atOnce));
		const second = (await stored()).find(({ id }) => id !== first)?.id;
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: new RegExp(`/documents/${String(second)}$`) },
			times: 3,
			status: 200,
			body: { results: { id: second, ingestion_status: 'embedding' } },
		});
		const wait = { ...REPLACE, waitUntilIngested: true, pollInterval: 2, timeout: 4 };
		const third = onlyJson(await create('three', wait, atOnce));
		expect(third).toMatchObject({ document_id: second, replaced_deleted: first });
		expect(waits()).toEqual([2_000, 2_000]);
	});
});

it('a deletion that does not show: the earlier document is not said to be deleted', async () => {
	onlyJson(await create('one', {}, { documentId: OWN, ...atOnce }));
	fixture.sandbox.faults.add({
		match: LOOK,
		times: Infinity,
		status: 200,
		body: { results: { id: OWN, ingestion_status: 'success', metadata: { n8n_sha256: 'x' } } },
	});
	const error = errorOf(await create('two', REPLACE, { documentId: OWN, ...atOnce }));
	expect([error.message, error.description, error.context.known]).toEqual([
		`The service confirms the deletion of document ${OWN}, but still shows it`,
		'Delete it with Document > Delete, or run the item again.',
		{ document_id: OWN },
	]);
	expect(uploads()).toHaveLength(1);
});

it('what a copy that is behind shows of the document that was deleted is not the new one', async () => {
	onlyJson(await create('one', {}, { documentId: OWN, ...atOnce }));
	const [before] = await stored();
	fixture.sandbox.clock.advance(1_000);
	const uploaded = create('two', REPLACE, { documentId: OWN });
	// The look after the deletion is answered by the copy that is up to date
	fixture.sandbox.faults.add({
		match: LOOK,
		skip: 2,
		times: 3,
		status: 200,
		body: { results: before },
	});
	const item = onlyJson(await uploaded);
	expect(item).toMatchObject({ document_id: OWN, ingestion_status: 'success', replaced: OWN });
	expect((item.progress as IDataObject[])[0]).toMatchObject({
		ingestion_status: 'an earlier version',
	});
});

describe('the collections of an ingested document', () => {
	const collection = async (name: string) =>
		String(onlyJson(await fixture.run(rag('collection', 'create', { name }))).id);
	/** Uploads a document for two collections, of which the service shows the first one alone. */
	async function placed() {
		const ids = [await collection('first'), await collection('second')];
		fixture.sandbox.faults.add({
			match: LOOK,
			skip: 1,
			times: Infinity,
			status: 200,
			body: { results: { ingestion_status: 'success', collection_ids: ids.slice(0, 1) } },
		});
		const run = await createText('a', {
			additionalFields: { collectionIds: ids.join(), ...atOnce },
			options: { waitUntilIngested: true },
		});
		const additions = fixture.sent('POST', /\/collections\/[^/]+\/documents\/[^/]+$/);
		return { run, ids, additions };
	}
	const ADD = { method: 'POST', path: /\/collections\/[^/]+\/documents\/[^/]+$/ };

	it.each([
		['is added', undefined, 1],
		['is in it already', errorForms.detailString(409, 'Already there'), 1],
		['is added although the answer is lost', { drop: 'after' as const }, 2],
	])('it %s, to the one that is missing', async (_, fault, times) => {
		if (fault) fixture.sandbox.faults.add({ match: ADD, ...fault });
		const { run, ids, additions } = await placed();
		const { document_id: id } = onlyJson(run);
		expect(additions.map(({ path }) => path.split('/').slice(-3))).toEqual(
			Array.from({ length: times }, () => [ids[1], 'documents', id]),
		);
	});

	it('one that is refused is an error', async () => {
		fixture.sandbox.faults.add({ match: ADD, ...errorForms.detailString(403, 'not yours') });
		const { run } = await placed();
		expect(errorOf(run).message).toBe('Permission denied (403): not yours');
	});
});
