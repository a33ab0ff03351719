import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { create } from '../../nodes/Rag/resources/document/create.ts';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import { digestOf, identityOf } from '../../nodes/Rag/resources/document/documentId.ts';
import { noted, noteRemoved } from '../../nodes/Rag/resources/document/note.ts';
import { contextOf, textInput } from './rag-parts.mts';
import { changes, MORNING, outcomeOf, UPLOAD, Uploads } from './rag-service.mts';
import { ended, useStillTime } from './still-time.mts';

const WAIT = { pollInterval: 2, timeout: 10 };

/** An item whose document was sent by an earlier try. */
async function sentBefore(more: Partial<DocumentInput>, shown?: IDataObject) {
	const input = textInput('text', more);
	const service = new Uploads();
	const context = await contextOf({ documents: service, inputs: [input] });
	const { ids } = await identityOf(context, 0, input);
	const [first = '', second = ''] = ids;
	const hash = await digestOf(context, input.source);
	if (shown) service.add(first, shown);
	context.journal.note({ document_id: first });
	const run = async () => (await create.run(context, input))[0];
	const fails = async () => (await outcomeOf(run())).error;
	return { service, context, run, fails, first, second, hash };
}

const KEY = { identity: 'key', key: 'k' } as const;

describe('a document that an earlier try has sent', () => {
	it('is that one where the service shows it', async () => {
		const shown = { title: 'a', ingestion_status: 'failed' };
		const { service, run, first } = await sentBefore({}, shown);
		expect(await run()).toEqual({ document_id: first, ...shown, recovered: true });
		expect(service.asked).toEqual([`GET /documents/${first}`]);
	});

	it('is sent again where the service does not have it', async () => {
		const { service, run, first } = await sentBefore({});
		expect(await run()).toEqual({ document_id: first });
		expect(service.asked).toEqual([`GET /documents/${first}`, 'GET /documents', UPLOAD]);
	});

	it('may be in the list alone, which is read once', async () => {
		const { service, run, first, hash } = await sentBefore({});
		service.add('chosen', { title: 'a', metadata: { n8n_identity: first, n8n_sha256: hash } });
		expect(await run()).toEqual({
			document_id: 'chosen',
			title: 'a',
			ingestion_status: null,
			recovered: true,
		});
		expect(service.asked).toEqual([`GET /documents/${first}`, 'GET /documents']);
	});

	it('is looked for again where the list cannot be read', async () => {
		const { service, run, first, hash } = await sentBefore({});
		service.add('chosen', { metadata: { n8n_identity: first, n8n_sha256: hash } });
		let looks = 0;
		service.instead = (request) =>
			request === 'GET /documents' && looks++ === 0 ? { status: 403, json: {} } : undefined;
		expect(await run()).toMatchObject({ document_id: 'chosen', recovered: true });
		expect(changes(service)).toEqual([]);
	});

	it.each(['replace', 'replaceIfChanged'] as const)(
		'and whose ingestion has failed is sent once more: %s',
		async (ifExists) => {
			const shown = { ingestion_status: 'failed', created_at: MORNING };
			const { service, run, first } = await sentBefore({ ifExists }, shown);
			expect(await run()).toEqual({ document_id: first });
			expect(changes(service)).toEqual([`DELETE /documents/${first}`, UPLOAD]);
		},
	);

	it('is not the one that was deleted since, which a copy that is behind still shows', async () => {
		const shown = { ingestion_status: 'failed', created_at: MORNING };
		const { service, context, run, first } = await sentBefore({ ifExists: 'replace' }, shown);
		noteRemoved(context, shown);
		expect(await run()).toEqual({ document_id: first });
		expect(changes(service)).toEqual([UPLOAD]);
	});

	it('is the only version under a Document ID, whatever its content', async () => {
		const shown = { ingestion_status: 'success', metadata: { n8n_sha256: 'of another' } };
		const documentId = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';
		const { service, run } = await sentBefore({ ifExists: 'replace', documentId }, shown);
		expect(await run()).toMatchObject({ document_id: documentId, recovered: true });
		expect(service.asked).toEqual([`GET /documents/${documentId}`]);
	});
});

describe('a document whose ID another execution has used since', () => {
	const other = {
		ingestion_status: 'success',
		created_at: MORNING,
		metadata: { n8n_sha256: 'of another' },
	};

	it('is sent under its other ID, and replaces that one', async () => {
		const { service, run, first, second } = await sentBefore(
			{ ifExists: 'replace', ...KEY },
			other,
		);
		service.shown = { ingestion_status: 'success', created_at: '2026-07-02T08:00:00Z' };
		expect(await run()).toMatchObject({ document_id: second, replaced_deleted: first });
		expect(changes(service)).toEqual([UPLOAD, `DELETE /documents/${first}`]);
	});

	it('is no document of this item any more where its content is there already', async () => {
		const wait = { pollInterval: 2, timeout: 0 };
		const input = { ifExists: 'replaceIfChanged', wait, ...KEY } as const;
		const { service, context, fails, first, second, hash } = await sentBefore(input, other);
		service.add(second, { ingestion_status: 'parsing', metadata: { n8n_sha256: hash } });
		expect((await fails())?.message).toContain(`Document ${second} was still "parsing"`);
		expect(noted(context)).toMatchObject({ replaces: [first] });
		expect(noted(context).document_id).toBeUndefined();
		expect(changes(service)).toEqual([]);
	});
});

describe('a failed document that still shows after its deletion', () => {
	useStillTime();

	const failedAs = (hash: string) => ({
		ingestion_status: 'failed',
		created_at: MORNING,
		metadata: { n8n_sha256: hash },
	});

	it('in a copy that is behind, is not taken for the new one', async () => {
		const { service, run, first, hash } = await sentBefore({ ifExists: 'replace', wait: WAIT });
		const failed = failedAs(hash);
		service.add(first, failed);
		let isBehind = true;
		service.instead = (request) => {
			if (!service.asked.includes(UPLOAD) || !request.startsWith('GET') || !isBehind)
				return undefined;
			isBehind = false;
			return { json: { results: failed } };
		};
		expect((await ended(run())).value).toMatchObject({
			ingestion_status: 'success',
			progress: [
				{ ingestion_status: 'an earlier version', after_seconds: 0 },
				{ ingestion_status: 'success', after_seconds: 2 },
			],
		});
	});

	it('is not called deleted: the new one under its ID fails as it does', async () => {
		const { service, run, first, hash } = await sentBefore({ ifExists: 'replace', wait: WAIT });
		const shown = failedAs(hash);
		service.instead = (request) =>
			request === UPLOAD ? undefined : { json: { results: { id: first, ...shown } } };
		const { error } = await ended(run());
		expect(error).toMatchObject({ message: `The service could not ingest document ${first}` });
		expect(changes(service)).toEqual([`DELETE /documents/${first}`, UPLOAD]);
	});
});
