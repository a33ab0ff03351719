import type { INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { AT_ONCE, documentsOf, REPLACE } from './documents.mts';

const fixture = useFixture();
const { createFrom, deletions, stored } = documentsOf(fixture);

describe('replace deletes the earlier version alone', () => {
	const unnamed = (content: string) => ({
		json: {},
		binary: {
			data: {
				data: Buffer.from(content).toString('base64'),
				fileExtension: 'txt',
				mimeType: 'text/plain',
			},
		},
	});
	const additionalFields = { ...AT_ONCE.additionalFields, documentId: '={{ $json.id ?? "" }}' };
	const createAll = async (items: INodeExecutionData[], settings = {}) =>
		await createFrom(items, { additionalFields, options: REPLACE }, settings);
	const ids = async () => (await stored()).map((one) => one.id);

	it('files without a name are told apart by their content', async () => {
		const created = jsonOf(await createAll([unnamed('one'), unnamed('two'), unnamed('three')])).map(
			(one) => one.document_id,
		);
		expect(new Set(created).size).toBe(3);
		expect(deletions()).toEqual([]);
		expect((await ids()).sort()).toEqual([...created].sort());
		const again = jsonOf(await createAll([unnamed('two')]));
		expect(again[0]?.document_id).toBe(created[1]);
		expect(await ids()).toHaveLength(3);
		const twice = errorOf(await createAll([unnamed('four'), unnamed('four')]));
		expect([twice.message, twice.description]).toEqual([
			expect.stringMatching(/^Items 0 and 1 /),
			expect.stringMatching(/^Give one of them another file name or text\./),
		]);
	});

	const first = '11111111-2222-4333-8444-555555555551';
	it('never one of another item of the execution', async () => {
		for (const settings of [{}, RETRY]) {
			const error = errorOf(
				await createAll(
					[
						fileItem('a.txt', 'one', 'text/plain', { id: first }),
						fileItem('b.txt', 'two', 'text/plain', { id: first }),
					],
					settings,
				),
			);
			expect(error.message).toMatch(/^Items 0 and 1 of this execution are the same document/);
			expect(deletions()).toEqual([]);
			expect(await ids()).toHaveLength(1);
			fixture.sandbox.reset();
		}
		const same = errorOf(
			await createAll([fileItem('a.txt', 'one'), fileItem('a.txt', 'two')], RETRY),
		);
		expect(same.message).toMatch(/^Items 0 and 1 /);
		expect(deletions()).toEqual([]);
	});

	it('two items with the same ID: the error advises another one', async () => {
		const error = errorOf(
			await createAll([
				fileItem('a.txt', 'one', 'text/plain', { id: first }),
				fileItem('b.txt', 'two', 'text/plain', { id: first }),
			]),
		);
		expect(error.description).toContain('Give one of them its own Document ID.');
	});
});
