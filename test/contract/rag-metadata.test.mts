import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag, RETRY, textDocument } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 9, the metadata of a document. */
const fixture = useFixture({ part: 'rag' });
const GONE = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';
const PATCH = { method: 'PATCH' };

let documentId = '';
beforeEach(async () => {
	const values = [
		{ key: 'team', value: 'sales' },
		{ key: 'year', value: '={{ 2025 }}' },
	];
	const created = await fixture.run(textDocument('Anna meets Boris.', { metadata: { values } }));
	documentId = String(onlyJson(created).document_id);
	fixture.sandbox.requests.length = 0;
});

const update = (metadataJson: unknown, parameters: IDataObject = {}, settings = {}) =>
	rag(
		'document',
		'updateMetadata',
		{ documentId, metadataJson: metadataJson as string, ...parameters },
		settings,
	);
const stored = async () => (await fixture.client.get(`/documents/${documentId}`)).json;
const patch = async (body: unknown, id = documentId) =>
	await fixture.client.call(`/documents/${id}/metadata`, { method: 'PATCH', body });
const patches = () => fixture.sent('PATCH', /\/metadata$/);

describe('update metadata', () => {
	it('[document.updateMetadata] a bare list, one object for each key; an object alone is refused', async () => {
		onlyJson(await fixture.run(update('={{ ({ year: 2026, draft: null, place: { a: [1] } }) }}')));
		expect(patches()).toMatchObject([
			{
				path: `/intelligence/api/rag/v3/documents/${documentId}/metadata`,
				query: {},
				headers: { 'content-type': 'application/json' },
				body: [{ year: 2026 }, { draft: null }, { place: { a: [1] } }],
			},
		]);
		expect(violations(await patch({ year: 2026 }))).toEqual(['body: list_type']);
		expect(violations(await patch(['year']))).toEqual(['body.0: dict_type']);
	});

	it('[document.updateMetadata.merge] keys are set or replaced, others stay', async () => {
		onlyJson(await fixture.run(update('{"year":2026,"draft":true}')));
		expect(at(await stored(), 'results', 'metadata')).toEqual({
			team: 'sales',
			year: 2026,
			draft: true,
		});
		await patch([{ draft: false, team: 'support' }, { team: 'law' }]);
		expect(at(await stored(), 'results', 'metadata')).toEqual({
			team: 'law',
			year: 2026,
			draft: false,
		});
	});

	it('[document.updateMetadata.200] the document is the result', async () => {
		const item = onlyJson(await fixture.run(update('{"year":2026}')));
		expect(item).toEqual({
			document_id: documentId,
			...(at(await stored(), 'results') as IDataObject),
		});
		expect(at((await patch([])).json, 'results', 'id')).toBe(documentId);
	});

	it('a search finds the document by its new metadata', async () => {
		const filters = { conditions: [{ field: 'year', operator: '$eq', value: '={{ 2026 }}' }] };
		const search = rag('retrieval', 'search', { query: 'Anna', topK: 1, options: { filters } });
		expect(jsonOf(await fixture.run(search))).toEqual([]);
		onlyJson(await fixture.run(update('{"year":2026}')));
		expect(jsonOf(await fixture.run(search))).toMatchObject([{ document_id: documentId }]);
	});

	it.each([{ results: null }, ''])('an answer of %j is a success too', async (body) => {
		fixture.sandbox.faults.add({ match: PATCH, status: 200, body });
		expect(onlyJson(await fixture.run(update('{"year":2026}')))).toEqual({
			document_id: documentId,
			success: true,
		});
	});
});

describe('update metadata, failing', () => {
	it('a lost answer is sent again, and so is a service that is busy', async () => {
		fixture.sandbox.faults.add({ match: PATCH, drop: 'after' });
		fixture.sandbox.faults.add({ match: PATCH, ...errorForms.html(503) });
		onlyJson(await fixture.run(update('{"year":2026}')));
		expect(patches()).toHaveLength(3);
		expect(at(await stored(), 'results', 'metadata')).toEqual({ team: 'sales', year: 2026 });
	});

	it("n8n's retry does not repeat the item that is done", async () => {
		fixture.sandbox.faults.add({
			match: PATCH,
			skip: 1,
			...errorForms.detailString(403, 'not yours'),
		});
		const items = [{ json: { year: 1 } }, { json: { year: 2 } }];
		const node = update('={{ ({ year: $json.year }) }}', {}, RETRY);
		expect(jsonOf(await fixture.engine.runItems(node, items))).toHaveLength(2);
		expect(patches().map(({ body }) => body)).toEqual([
			[{ year: 1 }],
			[{ year: 2 }],
			[{ year: 2 }],
		]);
	});

	it('a document that is not there, or not yours', async () => {
		expect(errorOf(await fixture.run(update('{"a":1}', { documentId: GONE }))).message).toBe(
			'Not found (404): Document not found',
		);
		expect((await patch([{ a: 1 }], GONE)).status).toBe(404);
		fixture.sandbox.faults.add({ match: PATCH, ...errorForms.detailString(403, 'not yours') });
		expect(errorOf(await fixture.run(update('{"a":1}'))).message).toBe(
			'Permission denied (403): not yours',
		);
	});

	it('metadata that the service refuses', async () => {
		fixture.sandbox.faults.add({ match: PATCH, ...errorForms.detailString(422, 'too long') });
		expect(errorOf(await fixture.run(update('{"a":1}'))).message).toContain('too long');
		expect(patches()).toHaveLength(1);
	});

	it.each<[unknown, string]>([
		['{}', 'must contain at least one key: there is nothing to change'],
		['', 'must be valid JSON, got ""'],
		['{"a":', 'must be valid JSON, got "{"a":"'],
		['[{"a":1}]', 'must be a JSON object such as {"key": "value"}, got [{"a":1}]'],
		['={{ null }}', 'must be a JSON object such as {"key": "value"}, got nothing'],
	])('%j as metadata: nothing is sent', async (metadata, problem) => {
		expect(errorOf(await fixture.run(update(metadata))).message).toBe(`Metadata (JSON) ${problem}`);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('a document ID that is no segment of a path: nothing is sent', async () => {
		expect(errorOf(await fixture.run(update('{"a":1}', { documentId: 'a/b' }))).message).toMatch(
			/^Document must contain only letters, /,
		);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});
