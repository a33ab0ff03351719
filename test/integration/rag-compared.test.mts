import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';
import { AT_ONCE, documentsOf } from './documents.mts';

const fixture = useFixture();
const { createFrom } = documentsOf(fixture);
const MIB = 1024 * 1024;
const downloads = () => fixture.sent('GET', /download$/);

/**
 * Creates a document, takes its hash away and creates it again, with Skip.
 * @param shown what the service shows of it then
 */
async function createdTwice(text: string, parameters: IDataObject = {}, shown?: IDataObject) {
	const create = async () =>
		onlyJson(
			await createFrom([fileItem('a.txt', text)], {
				...AT_ONCE,
				...parameters,
				options: { ifExists: 'skip' },
			}),
		);
	const { document_id: id } = await create();
	for (const document of fixture.sandbox.library.documents.values()) document.metadata = {};
	if (shown)
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: `/documents/${String(id)}` },
			status: 200,
			body: { results: { id, ...shown } },
		});
	return await create();
}

it.each([
	['1 MiB', MIB, false, 1],
	['more', MIB + 1, null, 0],
])('a document of %s without a hash is compared, or not', async (_, bytes, changed, times) => {
	const item = await createdTwice('x'.repeat(bytes));
	expect(item).toMatchObject({ existing: true, content_changed: changed });
	expect(downloads()).toHaveLength(times);
});

it('a document of chunks without a hash is not compared: it has no file', async () => {
	const documentId = '11111111-2222-4333-8444-555555555555';
	const item = await createdTwice('', {
		source: 'chunks',
		chunks: '["a", "b"]',
		additionalFields: { ...AT_ONCE.additionalFields, documentId },
	});
	expect(item).toMatchObject({ existing: true, content_changed: null });
	expect(downloads()).toEqual([]);
});

it('a document whose size the service counts in another way is compared by its content', async () => {
	const item = await createdTwice('Grüße', {}, { size_in_bytes: 99 });
	expect(item).toMatchObject({ existing: true, content_changed: false });
});

it('a file whose answer is lost is read again', async () => {
	fixture.sandbox.faults.add({ match: { path: /download$/ }, drop: 'before' });
	expect(await createdTwice('a')).toMatchObject({ existing: true, content_changed: false });
	expect(downloads()).toHaveLength(2);
});
