import { describe, expect, it } from 'vitest';
import { digestOf, identityOf } from '../../nodes/Rag/resources/document/documentId.ts';
import {
	described,
	documentIntent,
	lookInList,
} from '../../nodes/Rag/resources/document/documentIntent.ts';
import { noteRemoved } from '../../nodes/Rag/resources/document/note.ts';
import { ownerOf, sameDocument } from '../../nodes/Rag/resources/document/owner.ts';
import type { Reply } from '../../nodes/shared/http/reply.ts';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { contextOf, Documents, textInput } from './rag-parts.mts';
import { answer } from './replies.mts';

const CREATED_AT = '2026-07-01T08:00:00Z';
const LOST: Reply = { kind: 'lost', reason: 'The connection broke' };
const ABSENT = { state: 'absent', problem: 'the service does not have it' };

/** What tells the outcome of the upload of a text, whose answer was this. */
async function intent(documents: Documents, reply?: Reply, more = {}) {
	const input = textInput('text', more);
	const context = await contextOf({ documents, inputs: [input] });
	const identity = await identityOf(context, 0, input);
	const hash = await digestOf(context, input.source);
	const id = identity.ids[0] ?? '';
	const made = documentIntent(context, input, identity, id, { document_id: id }, () => reply);
	const { evidence } = made;
	const look = async () => (typeof evidence === 'object' ? await evidence.look() : undefined);
	return { context, id, hash, intent: made, look, input, identity };
}

describe('an upload whose outcome is open', () => {
	it('is told by what was sent', async () => {
		const { intent: made, id } = await intent(new Documents());
		expect(made).toMatchObject({
			what: `Document ${id}`,
			note: { document_id: id },
			facts: { document_id: id },
			evidence: { source: 'the document' },
			advice:
				'Execute the node again (Retry On Fail does): it looks for this ID first and sends only what is not there.',
			cancelled: 'Cancelled while a document was uploaded: the service may have it.',
		});
		expect(made.isYes?.(answer(200))).toBe(false);
	});

	it.each<[Reply, object | undefined]>([
		[answer(200, '{"results": {"document_id": "d1"}}'), { document_id: 'd1' }],
		[answer(202, '{"document_id": "d1", "message": "x"}'), { document_id: 'd1', message: 'x' }],
		[answer(200, '{"results": {"document_id": null}}'), undefined],
		[answer(200, '{}'), undefined],
		[answer(409, '{"results": {"document_id": "d1"}}'), undefined],
		[LOST, undefined],
	])('is proved by an answer: %j', async (reply, item) => {
		const { intent: made } = await intent(new Documents());
		expect(made.proof(reply)).toEqual(item);
	});

	it.each<[string, Reply | undefined]>([
		['lost', LOST],
		['not begun', undefined],
		['refused', answer(422, '{"detail": "no"}')],
	])('is made where it shows, by its ID: %s', async (_, reply) => {
		const documents = new Documents();
		const { look, id, hash } = await intent(documents, reply);
		documents.add(id, { title: 'a', ingestion_status: 'pending', metadata: { n8n_sha256: hash } });
		expect(await look()).toEqual({
			state: 'made',
			item: { document_id: id, title: 'a', ingestion_status: 'pending' },
		});
	});

	it('is not made by what shows after a conflict: that may be of another execution', async () => {
		const documents = new Documents();
		const { look, id, hash } = await intent(documents, answer(409));
		documents.add(id, { metadata: { n8n_sha256: hash } });
		expect(await look()).toEqual(ABSENT);
		expect(documents.asked).toEqual([]);
	});

	it('is not made by a document with another content', async () => {
		const documents = new Documents();
		const { look, id } = await intent(documents, LOST);
		documents.add(id, { metadata: { n8n_sha256: 'of another', n8n_identity: 'other' } });
		expect(await look()).toEqual(ABSENT);
	});

	it('is looked for in the list only where it was not refused', async () => {
		for (const [reply, state] of [
			[LOST, 'made'],
			[answer(422), 'absent'],
			[answer(503), 'made'],
		] as const) {
			const documents = new Documents();
			const { look, id, hash } = await intent(documents, reply);
			documents.add('chosen', { metadata: { n8n_identity: id, n8n_sha256: hash } });
			expect(await look()).toMatchObject({ state });
		}
	});
});

describe('a document under an ID of the service', () => {
	it('is told by its identity and its content, unless it was deleted before', async () => {
		const documents = new Documents();
		const { context, input, identity, id, hash } = await intent(documents);
		const document = {
			created_at: CREATED_AT,
			metadata: { n8n_identity: id, n8n_sha256: hash },
		};
		documents.add('chosen', document);
		const look = async () => await lookInList(context, input, identity, id);
		expect(await look()).toEqual({
			state: 'made',
			item: { document_id: 'chosen', title: null, ingestion_status: null },
		});
		noteRemoved(context, document);
		expect(await look()).toEqual(ABSENT);
		documents.add('later', { ...document, created_at: '2026-07-02T08:00:00Z' });
		expect(await look()).toMatchObject({ state: 'made', item: { document_id: 'later' } });
	});

	it('cannot be told where one has its name or a similar one, and another content cannot be seen', async () => {
		const documents = new Documents().add('other', { title: 'N/A', size_in_bytes: 4 });
		const { context, input, identity, id } = await intent(documents);
		documents.instead = (request) => (request.endsWith('/download') ? { status: 500 } : undefined);
		expect(await lookInList(context, input, identity, id)).toEqual({
			state: 'unknown',
			problem:
				'it cannot be told whether other, which has its name or a similar one, is this document',
		});
	});

	it('is absent where the list has none', async () => {
		const { context, input, identity, id } = await intent(new Documents().add('x', { title: 'y' }));
		expect(await lookInList(context, input, identity, id)).toEqual(ABSENT);
	});
});

it.each([
	[{ title: 'a', ingestion_status: 'success', more: 1 }, 'a', 'success'],
	[{}, null, null],
])('the output for the document %j', (document, title, ingestion_status) =>
	expect(described('d', document, { existing: true })).toEqual({
		document_id: 'd',
		title,
		ingestion_status,
		existing: true,
	}),
);

describe('the item that a document belongs to', () => {
	it('is the first one with its identity', async () => {
		const inputs = [undefined, textInput('a'), textInput('b'), textInput('a')];
		const context = await contextOf({ itemIndex: 3, inputs });
		const idOf = async (index: number) =>
			(await identityOf(context, index, inputs[index] ?? textInput(''))).ids[0] ?? '';
		expect(await ownerOf(context, await idOf(3))).toBe(1);
		expect(await ownerOf(context, await idOf(2))).toBe(2);
		expect(await ownerOf(context, 'of nobody')).toBe(3);
	});

	it('is the one that has created it in an earlier try', async () => {
		const flow = {};
		const inputs = [textInput('a'), textInput('b')];
		const context = await contextOf({ itemIndex: 1, inputs, flow });
		openJournals(context.functions)(0).done([{ document_id: 'made' }]);
		expect(await ownerOf(context, 'made')).toBe(0);
	});

	it('is known once for all items', async () => {
		const context = await contextOf({ inputs: [textInput('a')] });
		const keys: string[] = [];
		const { once } = context;
		context.once = async (key, load) => {
			keys.push(key);
			return await once(key, load);
		};
		await ownerOf(context, 'x');
		await ownerOf(context, 'y');
		expect(keys.filter((key) => key === 'owners')).toHaveLength(2);
		expect(keys).toContain('document x');
	});

	it.each([
		[{ identity: 'key' as const, key: 'k' }, 'a', 'a', 'another Document Key'],
		[{}, 'a', 'a', 'another file name or text'],
		[{ documentId: 'd' }, 'a', 'b', 'its own Document ID'],
		[{ documentId: 'd' }, 'a', 'a', 'another file name or text'],
	])('twice is an error of the later one: %j', async (more, first, second, advice) => {
		const [one, other] = [textInput(first, more), textInput(second, more)];
		const inputs = [one, textInput('c'), other];
		const context = await contextOf({ itemIndex: 2, inputs });
		const error = sameDocument(context, other, 'd', 0);
		expect(error.message).toBe(
			'Items 0 and 2 of this execution are the same document: same file name, text or Document ID',
		);
		expect(error.description).toBe(`Give one of them ${advice}.`);
		expect(error.context.known).toEqual({ document_id: 'd' });
		const before = await contextOf({ itemIndex: 0, inputs });
		expect(sameDocument(before, one, 'd', 2).message).toContain('Items 0 and 2');
	});
});
