import type { IBinaryData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { create } from '../../nodes/Rag/resources/document/create.ts';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import { noted } from '../../nodes/Rag/resources/document/note.ts';
import { creation, keyed } from './document-creation.mts';
import { contextOf, textInput } from './rag-parts.mts';
import { changes, MORNING, UPLOAD, Uploads } from './rag-service.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const EVENING = '2026-07-01T20:00:00Z';
const NOW = { pollInterval: 2, timeout: 0 };
const COLLECTION = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';

describe('a new document', () => {
	it('is uploaded once it is seen not to be there, and not waited for', async () => {
		const { service, run, first } = await creation(textInput('text'));
		expect(await run()).toEqual({ document_id: first });
		expect(service.asked).toEqual([`GET /documents/${first}`, UPLOAD]);
	});

	it('may get an ID of the service; without Replace, nobody looks what has its identity', async () => {
		const { service, run, first } = await creation(keyed('error'));
		service.chosenId = 'chosen';
		expect(await run()).toEqual({ document_id: 'chosen' });
		expect(service.asked).not.toContain('GET /documents');
		expect(service.asked).toContain(`GET /documents/${first}`);
	});

	it('is waited for if the form says so, and nothing is deleted', async () => {
		const { service, run, first } = await creation(textInput('text', { wait: NOW }));
		expect(await run()).toEqual({
			document_id: first,
			ingestion_status: 'success',
			waited_seconds: 0,
			progress: [{ ingestion_status: 'success', after_seconds: 0 }],
		});
		expect(changes(service)).toEqual([UPLOAD]);
	});

	it('is added to the collections that it should be in', async () => {
		const input = textInput('text', { wait: NOW, collectionIds: [COLLECTION] });
		const { service, run, first } = await creation(input);
		service.shown = { ingestion_status: 'success', collection_ids: [] };
		await run();
		expect(changes(service)).toEqual([
			UPLOAD,
			`POST /collections/${COLLECTION}/documents/${first}`,
		]);
	});

	it('is looked for by the ID of the service in the next try', async () => {
		const { service, context, fails, run } = await creation(textInput('text', { wait: NOW }));
		service.chosenId = 'chosen';
		service.shown = { ingestion_status: 'parsing' };
		expect((await fails())?.message).toContain('still "parsing"');
		expect(noted(context).document_id).toBe('chosen');
		service.add('chosen', { ingestion_status: 'success' });
		expect(await run()).toMatchObject({ document_id: 'chosen', recovered: true });
		expect(changes(service)).toEqual([UPLOAD]);
	});

	it('whose file changes while it is read is not sent', async () => {
		const file = { id: 'stored', data: 'filesystem-v2', fileName: 'a.txt', mimeType: 'text/plain' };
		const input = textInput('', { source: { file: file as IBinaryData }, identity: 'fileName' });
		const service = new Uploads();
		const context = await contextOf({ documents: service, inputs: [input] });
		Object.assign(context.functions.helpers, {
			getBinaryMetadata: async () => await Promise.resolve({ fileSize: 9 }),
			getBinaryStream: async () => await Promise.resolve([Buffer.from('shorter')]),
		});
		await expect(create.run(context, input)).rejects.toMatchObject({
			message: 'The file a.txt changed while it was read',
			description: 'Nothing was sent. Execute the node again.',
		});
		expect(changes(service)).toEqual([]);
	});

	it('that is refused as a conflict is not taken for its own where its content cannot be seen', async () => {
		const { service, fails, first } = await creation(textInput('text'));
		service.instead = (request) => {
			if (request !== UPLOAD) return undefined;
			service.add(first, { size_in_bytes: 2 * 1024 * 1024 });
			return { status: 409, json: { detail: 'exists' } };
		};
		expect((await fails())?.message).toBe('Conflict (409): exists');
	});
});

describe('a document that is there already', () => {
	const existing = { ingestion_status: 'success', collection_ids: [], title: 'a' };

	it('is kept as it is by Skip, whatever its content', async () => {
		const input = textInput('text', { ifExists: 'skip', wait: NOW, collectionIds: [COLLECTION] });
		const { service, run, first } = await creation(input);
		service.add(first, { ...existing, metadata: { n8n_sha256: 'of another' } });
		expect(await run()).toMatchObject({
			document_id: first,
			existing: true,
			ingestion_status: 'success',
		});
		expect(changes(service)).toEqual([]);
	});

	it('is existing in the next try, too', async () => {
		const { service, context, fails, run, first } = await creation(keyed('skip', { wait: NOW }));
		service.add(first, { ingestion_status: 'parsing' });
		expect((await fails())?.message).toContain('still "parsing"');
		expect(noted(context).document_id).toBeUndefined();
		service.add(first, existing);
		expect(await run()).toMatchObject({ document_id: first, existing: true });
	});
});

describe('a document that replaces others under an ID of the service', () => {
	/** Two documents with its identity: one under its own ID, and one under another ID. */
	async function replacing(ifExists: DocumentInput['ifExists']) {
		const made = await creation(keyed(ifExists));
		const metadata = { n8n_identity: made.first };
		made.service
			.add('old', { created_at: MORNING, metadata })
			.add('later', { created_at: '2026-07-02T08:00:00Z', metadata });
		made.service.chosenId = 'chosen';
		made.service.shown = { ingestion_status: 'success', created_at: EVENING };
		return made;
	}

	it.each(['replace', 'replaceIfChanged'] as const)(
		'deletes the earlier ones once it can be searched: %s',
		async (ifExists) => {
			const { service, run } = await replacing(ifExists);
			expect(await run()).toMatchObject({
				document_id: 'chosen',
				ingestion_status: 'success',
				replaced_deleted: 'old',
			});
			expect(changes(service)).toEqual([UPLOAD, 'DELETE /documents/old']);
		},
	);

	it('deletes those under its own IDs as well', async () => {
		const { service, run, first } = await replacing('replace');
		service.add(first, { created_at: MORNING, ingestion_status: 'success' });
		expect(await run()).toMatchObject({ replaced_deleted: [first, 'old'] });
		expect(changes(service)).toEqual([
			UPLOAD,
			`DELETE /documents/${first}`,
			'DELETE /documents/old',
		]);
	});

	it('is sent once, even if at first it cannot be told what it replaces', async () => {
		const { service, context, fails, run } = await replacing('replace');
		let isListed = false;
		service.instead = (request) =>
			request === 'GET /documents' && !isListed ? { status: 403, json: {} } : undefined;
		expect((await fails())?.message).toBe(
			'Document chosen is created, but it cannot be told what it replaces: Permission denied (403)',
		);
		expect(context.known.document_id).toBe('chosen');
		expect(noted(context).document_id).toBe('chosen');
		isListed = true;
		expect(await run()).toMatchObject({ document_id: 'chosen', replaced_deleted: 'old' });
		expect(changes(service)).toEqual([UPLOAD, 'DELETE /documents/old']);
	});

	it('is stored: what had its content before is not missed', async () => {
		const { service, fails, first, hash } = await creation(
			textInput('text', { ifExists: 'replace' }),
		);
		service.add(first, { created_at: MORNING, metadata: { n8n_sha256: hash } });
		service.chosenId = 'chosen';
		service.instead = (request) =>
			request === 'GET /documents' ? { status: 403, json: {} } : undefined;
		expect((await fails())?.message).toBe(
			'Document chosen is created, but it cannot be told what it replaces: Permission denied (403)',
		);
		expect(changes(service)).toEqual([`DELETE /documents/${first}`, UPLOAD]);
	});

	it.each([
		['parsing', 'was still "parsing" after 0 seconds', false],
		['failed', 'The service could not ingest', true],
	])('says whether what was deleted is missed: %s', async (state, problem, isMissed) => {
		const input = textInput('text', { ifExists: 'replace', wait: NOW });
		const { service, fails, first, hash } = await creation(input);
		service.add(first, { created_at: MORNING, metadata: { n8n_sha256: hash } });
		service.shown = { ingestion_status: state };
		const error = await fails();
		expect(error?.message).toContain(problem);
		expect(error?.message.endsWith('The earlier document was deleted already')).toBe(isMissed);
		expect(changes(service)).toEqual([`DELETE /documents/${first}`, UPLOAD]);
	});
});
