import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { create } from '../../nodes/Rag/resources/document/create.ts';
import { noted } from '../../nodes/Rag/resources/document/note.ts';
import { ownerOf } from '../../nodes/Rag/resources/document/owner.ts';
import { creation, keyed } from './document-creation.mts';
import { Body, type Answered } from './log-parts.mts';
import { contextOf, textInput } from './rag-parts.mts';
import { changes, MORNING, outcomeOf, UPLOAD, Uploads } from './rag-service.mts';
import { ended, pass, useStillTime } from './still-time.mts';

useStillTime();

const EVENING = '2026-07-01T20:00:00Z';
const NOW = { pollInterval: 2, timeout: 0 };
const OTHER = '11111111-2222-3333-4444-555555555555';
const another = {
	created_at: MORNING,
	ingestion_status: 'success',
	metadata: { n8n_sha256: 'of another' },
};
const conflict = (detail = 'exists'): Answered => ({ status: 409, json: { detail } });

/** Refuses the first uploads, before each of which something happens at the service; as a conflict unless that says otherwise. */
function refuse(service: Uploads, ...before: Array<() => Answered | undefined>): void {
	service.instead = (request) => {
		const next = request === UPLOAD ? before.shift() : undefined;
		return next && (next() ?? conflict());
	};
}

describe('a document that another process creates meanwhile', () => {
	it('may be the same one', async () => {
		const { service, context, run, first, hash } = await creation(textInput('text'));
		refuse(service, () => {
			service.add(first, { ...another, metadata: { n8n_sha256: hash } });
			return undefined;
		});
		expect(await run()).toMatchObject({ document_id: first, recovered: true });
		expect(noted(context).document_id).toBe(first);
	});

	it('is existing for Skip, whatever its content', async () => {
		const { service, run, first } = await creation(textInput('text', { ifExists: 'skip' }));
		refuse(service, () => void service.add(first, another));
		expect(await run()).toMatchObject({ document_id: first, existing: true });
		expect(changes(service)).toEqual([UPLOAD]);
	});

	it.each(['replace', 'replaceIfChanged'] as const)(
		'stays until this one, under the other ID, is ingested: %s',
		async (ifExists) => {
			const { service, run, first, second } = await creation(keyed(ifExists));
			service.shown = { ingestion_status: 'success', created_at: EVENING };
			refuse(service, () => void service.add(first, another));
			expect(await run()).toMatchObject({ document_id: second, replaced_deleted: first });
			expect(changes(service)).toEqual([UPLOAD, UPLOAD, `DELETE /documents/${first}`]);
		},
	);

	it('is not taken for the same one by a file that the service may have got from this one', async () => {
		const { service, run, first, second } = await creation(keyed('replaceIfChanged'));
		service.contents.set(first, 'text');
		refuse(service, () => void service.add(first, { ...another, metadata: {}, size_in_bytes: 99 }));
		expect(await run()).toMatchObject({ document_id: second });
	});

	it('is removed each time where there is no other ID', async () => {
		const { service, run } = await creation(keyed('replace', { documentId: OTHER }));
		const take = () => void service.add(OTHER, another);
		refuse(service, take, take, take);
		expect(await run()).toMatchObject({ document_id: OTHER, replaced: OTHER });
		const removed = [UPLOAD, `DELETE /documents/${OTHER}`];
		expect(changes(service)).toEqual([...removed, ...removed, ...removed, UPLOAD]);
	});

	it('again and again is a conflict after three looks', async () => {
		const { service, fails, first, second } = await creation(keyed('replace'));
		const take = (id: string) => () => void service.add(id, another);
		refuse(service, take(first), take(second), () => {
			for (const id of [first, second]) service.add(id, another);
			return undefined;
		});
		expect((await ended(fails())).value?.message).toContain('Conflict (409): exists');
		expect(changes(service).filter((request) => request === UPLOAD)).toHaveLength(3);
	});
});

describe('a conflict that names an earlier version', () => {
	const named = (id: string) => () => conflict(`Document ${id} exists`);

	it.each(['replace', 'replaceIfChanged'] as const)(
		'is over once that version is gone: %s',
		async (ifExists) => {
			const { service, run, first } = await creation(keyed(ifExists));
			service.add(OTHER, { ...another, metadata: { n8n_identity: first, n8n_sha256: 'x' } });
			refuse(service, named(OTHER));
			expect(await run()).toMatchObject({
				document_id: first,
				ingestion_status: 'success',
				replaced: OTHER,
			});
			expect(changes(service)).toEqual([UPLOAD, `DELETE /documents/${OTHER}`, UPLOAD]);
		},
	);

	it.each<[string, 'replace' | 'replaceIfChanged', string, boolean]>([
		['kept where its content is the same', 'replaceIfChanged', 'success', true],
		['replaced where its ingestion has failed', 'replaceIfChanged', 'failed', false],
		['replaced by Replace', 'replace', 'success', false],
	])('with the same content is %s', async (_, ifExists, ingestion_status, isKept) => {
		const { service, run, first, hash } = await creation(keyed(ifExists));
		const metadata = { n8n_identity: first, n8n_sha256: hash };
		service.add(OTHER, { ...another, ingestion_status, metadata });
		refuse(service, named(OTHER));
		expect((await run()).document_id).toBe(isKept ? OTHER : first);
		expect(service.byId.has(OTHER)).toBe(isKept);
	});

	it('is no matter of the version under its own ID, which stays until the end', async () => {
		const { service, run, first, second } = await creation(keyed('replace'));
		service.add(first, another);
		service.add(OTHER, { ...another, metadata: { n8n_identity: first, n8n_sha256: 'x' } });
		service.shown = { ingestion_status: 'success', created_at: EVENING };
		refuse(service, named(OTHER));
		expect((await run()).document_id).toBe(second);
		expect(changes(service)).toEqual([
			UPLOAD,
			`DELETE /documents/${OTHER}`,
			UPLOAD,
			`DELETE /documents/${first}`,
		]);
	});

	it('deletes that version once', async () => {
		const { service, context, run, first, second } = await creation(keyed('replace'));
		service.add(first, another);
		service.shown = { ingestion_status: 'success', created_at: EVENING };
		refuse(service, named(first));
		expect(await run()).toMatchObject({ document_id: second, replaced_deleted: first });
		expect(changes(service)).toEqual([UPLOAD, `DELETE /documents/${first}`, UPLOAD]);
		expect(noted(context).replaces).toEqual([]);
	});
});

describe('a refusal that is no conflict', () => {
	it('is the error of the service, after which the next try sends again', async () => {
		const { service, context, fails, run, first } = await creation(textInput('text'));
		refuse(service, () => ({ status: 400, json: { detail: 'no' } }));
		expect((await fails())?.message).toBe('Request rejected (400): no');
		expect(service.asked).not.toContain('GET /documents');
		expect(noted(context).document_id).toBeUndefined();
		expect(await run()).toEqual({ document_id: first });
	});

	it('says that the earlier document is gone', async () => {
		const { service, fails, first, hash } = await creation(
			textInput('text', { ifExists: 'replace' }),
		);
		service.add(first, { created_at: MORNING, metadata: { n8n_sha256: hash } });
		refuse(service, () => ({ status: 400, json: { detail: 'no' } }));
		expect((await fails())?.message).toBe(
			'Request rejected (400): no. The earlier document was deleted already',
		);
	});
});

describe('two versions of a document', () => {
	/** Both IDs are taken. */
	async function both(ifExists: 'skip' | 'replace' | 'replaceIfChanged', status = 'success') {
		const made = await creation(keyed(ifExists, { wait: { pollInterval: 2, timeout: 10 } }));
		made.service.add(made.first, { ...another, created_at: EVENING });
		made.service.add(made.second, { ...another, ingestion_status: status });
		return made;
	}

	it('make room: the older one at once, the other one when the new one is ingested', async () => {
		const { service, run, first, second } = await both('replace');
		service.shown = { ingestion_status: 'success', created_at: '2026-07-02T08:00:00Z' };
		expect(await run()).toMatchObject({
			document_id: second,
			ingestion_status: 'success',
			replaced: second,
			replaced_deleted: first,
		});
		expect(changes(service)).toEqual([
			`DELETE /documents/${second}`,
			UPLOAD,
			`DELETE /documents/${first}`,
		]);
	});

	it.each(['replace', 'replaceIfChanged'] as const)(
		'are left alone while one is being ingested: %s',
		async (ifExists) => {
			const { service, run, second } = await both(ifExists, 'parsing');
			const running = ended(run());
			await pass(3_000);
			expect(changes(service)).toEqual([]);
			service.add(second, another);
			expect((await running).value).toMatchObject({ ingestion_status: 'success' });
		},
	);

	it('are not waited for by Skip, but the one that stays', async () => {
		const { service, run, first } = await both('skip', 'parsing');
		expect(await ended(run())).toMatchObject({ value: { document_id: first }, seconds: 0 });
		expect(changes(service)).toEqual([]);
	});

	it('that cannot be deleted are left to the next try', async () => {
		const { service, context, fails, run, first } = await creation(keyed('replace'));
		const metadata = { n8n_identity: first };
		service.add('old', { created_at: MORNING, metadata });
		service.add('older', { created_at: MORNING, metadata });
		service.chosenId = 'chosen';
		service.shown = { ingestion_status: 'success', created_at: EVENING };
		service.instead = (request) =>
			request === 'DELETE /documents/older' ? { status: 403, json: {} } : undefined;
		expect((await fails())?.message).toContain(
			'Document chosen is ingested, but the earlier one is not deleted: Permission denied (403)',
		);
		expect(noted(context)).toMatchObject({ replaces: ['older'], replaced_deleted: ['old'] });
		service.instead = () => undefined;
		expect(await run()).toMatchObject({ replaced_deleted: ['old', 'older'] });
		expect(noted(context).replaces).toEqual([]);
	});

	it('without a hash are compared by their content', async () => {
		const { service, run, first } = await creation(keyed('replaceIfChanged'));
		service.add(first, { ...another, metadata: {} });
		service.contents.set(first, 'text');
		expect(await run()).toMatchObject({ document_id: first, existing: true });
		expect(changes(service)).toEqual([]);
	});
});

describe('the documents of several items', () => {
	it('are one document of the first item, unless it is skipped', async () => {
		const of = async (ifExists: 'replace' | 'skip') => {
			const input = keyed(ifExists);
			const context = await contextOf({
				documents: new Uploads(),
				inputs: [input, input],
				itemIndex: 1,
			});
			return await outcomeOf(create.run(context, input));
		};
		expect((await of('replace')).error?.message).toContain('Items 0 and 1 of this execution');
		expect((await of('skip')).error).toBeUndefined();
	});

	it('belong to them under an ID of the service, too', async () => {
		const { service, context, run } = await creation(textInput('text'));
		service.chosenId = 'chosen';
		await run();
		expect(await ownerOf({ ...context, itemIndex: 1 }, 'chosen')).toBe(0);
	});

	it('are sent side by side, one document once at a time', async () => {
		const service = new Uploads();
		const open = new Body();
		const slow = await creation(textInput('slow'), service);
		refuse(service, () => ({ status: 202, body: open }));
		const running = slow.run();
		await pass();
		const other = await creation(textInput('other'), service);
		expect(await other.run()).toEqual({ document_id: other.first });
		const again = await creation(textInput('slow', { ifExists: 'skip' }), service);
		const waiting = again.run();
		await pass();
		expect(changes(service)).toEqual([UPLOAD, UPLOAD]);
		service.add(slow.first, another);
		open.write(JSON.stringify({ results: { document_id: slow.first } }), undefined);
		expect((await running).document_id).toBe(slow.first);
		expect(await waiting).toMatchObject({ document_id: slow.first, existing: true });
	});
});

describe('an execution that fails before anything is sent', () => {
	it('asks nothing where it was cancelled', async () => {
		const { service, context } = await creation(textInput('text'));
		const signal = AbortSignal.abort();
		const { error } = await outcomeOf(create.run({ ...context, signal }, textInput('text')));
		expect(error?.message).toBe('The execution was cancelled');
		expect(service.asked).toEqual([]);
	});

	it.each<[string, IDataObject, string | undefined]>([
		['that was sent before', { document_id: OTHER }, OTHER],
		['that it would have sent', {}, undefined],
	])('names the document %s', async (_, note, id) => {
		const { service, context, fails, first } = await creation(textInput('text', { wait: NOW }));
		context.journal.note(note);
		service.instead = () => ({ status: 403, json: {} });
		await fails();
		expect(context.known.document_id).toBe(id ?? first);
	});
});
