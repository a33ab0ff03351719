import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, rag, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();

const UPLOAD = { method: 'POST', path: /\/documents$/ };
const create = async (
	item: INodeExecutionData,
	options: IDataObject = {},
	settings = {},
	runOptions: RunOptions = {},
) =>
	await fixture.engine.runItems(
		rag(
			'document',
			'create',
			{
				source: 'file',
				binaryPropertyName: 'data',
				additionalFields: { runWithOrchestration: false },
				options,
			},
			settings,
		),
		[item],
		runOptions,
	);
const REPLACE = { ifExists: 'replace' };
const second = fileItem('a.txt', 'two');
const deletions = () => fixture.sent('DELETE', /./);

describe('the IDs in a 409', () => {
	const first = fileItem('a.txt', 'one');
	const STRANGER = '99999999-2222-4333-8444-555555555555';
	const conflict = (...ids: unknown[]) =>
		fixture.sandbox.faults.add({
			match: UPLOAD,
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
	const additionalFields = { runWithOrchestration: false, documentId: '={{ $json.id ?? "" }}' };
	const createAll = async (items: INodeExecutionData[], settings = {}) =>
		await fixture.engine.runItems(
			rag(
				'document',
				'create',
				{ source: 'file', binaryPropertyName: 'data', additionalFields, options: REPLACE },
				settings,
			),
			items,
		);
	const ids = async () =>
		jsonOf(await fixture.run(rag('document', 'getAll', { returnAll: true }))).map((one) => one.id);

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
