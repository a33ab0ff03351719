import type { NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	conflictingVersion,
	existsError,
	findOwn,
	isConflict,
} from '../../nodes/Rag/resources/document/conflict.ts';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import { CONTENT, fileInput, scene } from './document-parts.mts';
import { contextOf, Documents, textInput } from './rag-parts.mts';
import { answer } from './replies.mts';

describe('a conflict', () => {
	const conflict = (text = '{"detail": "exists"}') => answer(409, text);
	const OTHER = '11111111-2222-3333-4444-555555555555';

	it('is a 409', () => {
		expect(isConflict(conflict())).toBe(true);
		expect(isConflict(answer(400))).toBe(false);
		expect(isConflict({ kind: 'lost', reason: 'x', status: 409 })).toBe(false);
	});

	it('may be that of an upload that was made', async () => {
		const make = async (more: Partial<DocumentInput>, hash?: string) => {
			const documents = new Documents();
			const made = await scene(documents, textInput(CONTENT, more));
			documents.add(made.key, { metadata: { n8n_sha256: hash ?? made.hash } });
			return await findOwn(made.context, made.input, made.key, false);
		};
		expect(await make({})).toBeDefined();
		expect(await make({}, 'x')).toBeUndefined();
		expect(await make({ ifExists: 'skip' })).toBeUndefined();
	});

	it('is that of an earlier try, also for Skip', async () => {
		const documents = new Documents();
		const { context, input, key, hash } = await scene(
			documents,
			textInput(CONTENT, { ifExists: 'skip' }),
		);
		documents.add(key, { metadata: { n8n_sha256: hash } });
		expect(await findOwn(context, input, key, true)).toBeDefined();
		documents.add(key, { metadata: { n8n_sha256: 'x' } });
		expect(await findOwn(context, input, key, true)).toBeUndefined();
	});

	it('is not that of an upload whose content has another size than the document', async () => {
		const documents = new Documents();
		const { context, input, key } = await scene(documents, textInput(CONTENT));
		documents.contents.set(key, CONTENT);
		documents.add(key, { size_in_bytes: CONTENT.length });
		expect(await findOwn(context, input, key, false)).toBeDefined();
		documents.add(key, { size_in_bytes: 99 });
		expect(await findOwn(context, input, key, false)).toBeUndefined();
	});

	it('is the proof of an earlier try where the content cannot be seen', async () => {
		const documents = new Documents();
		const { context, input, key } = await scene(documents, textInput(CONTENT));
		documents.add(key, { size_in_bytes: 2 * 1024 * 1024 });
		expect(await findOwn(context, input, key, true)).toBeDefined();
		expect(await findOwn(context, input, key, false)).toBeUndefined();
	});

	const version = async (
		documents: Documents,
		input: DocumentInput,
		text?: string,
	): Promise<{ id?: string; isChanged?: boolean | null; error?: NodeApiError }> => {
		const { context, identity, key } = await scene(documents, input);
		try {
			return await conflictingVersion(context, input, identity, key, conflict(text));
		} catch (error) {
			return { error: error as NodeApiError };
		}
	};

	it('is about the document under its own ID', async () => {
		const documents = new Documents();
		const input = fileInput('a.txt', { ifExists: 'replace' });
		const { key } = await scene(documents, input);
		documents.add(key, { metadata: { n8n_sha256: 'x' } });
		expect(await version(documents, input)).toMatchObject({ id: key, isChanged: true });
	});

	it('is about the one that it names, where that has the identity', async () => {
		const documents = new Documents();
		const input = fileInput('a.txt', { ifExists: 'replace' });
		const { key, hash } = await scene(documents, input);
		const text = `{"detail": "Document ${OTHER} exists"}`;
		documents.add(OTHER, { metadata: { n8n_identity: key, n8n_sha256: hash } });
		expect(await version(documents, input, text)).toMatchObject({ id: OTHER, isChanged: false });
		documents.add(OTHER, { metadata: { n8n_identity: 'x' } });
		const { error } = await version(documents, input, text);
		expect(error?.description).toContain(`Document ${OTHER} is not an earlier version of this one`);
		expect(error?.context.known).toEqual({ document_id: OTHER });
		// Skip takes what has the file name, whoever has made it
		const skip = fileInput('a.txt', { ifExists: 'skip' });
		expect(await version(documents, skip, text)).toMatchObject({ id: OTHER });
		const { error: ofContent } = await version(
			documents,
			textInput('x', { ifExists: 'skip' }),
			text,
		);
		expect(ofContent?.context.known).toEqual({ document_id: OTHER });
	});

	it('is about the only one in the list where it names none', async () => {
		const input = fileInput('a.txt', { ifExists: 'skip' });
		const documents = new Documents().add('d', { title: 'a.txt' });
		documents.contents.set('d', CONTENT);
		// What a download gives after a refusal may be what was refused
		expect(await version(documents, input)).toMatchObject({ id: 'd', isChanged: null });
		documents.contents.set('d', 'other');
		expect(await version(documents, input)).toMatchObject({ id: 'd', isChanged: true });
		const { error: named } = await version(documents, input, `{"detail": "${OTHER}"}`);
		expect(named?.context.known).toEqual({ document_id: null });
		documents.add('e', { title: 'a.txt' });
		const { error } = await version(documents, input);
		expect(error?.message).toContain('exists');
		expect(error?.context.known).toEqual({ document_id: null });
	});

	it('is about another content where the size in the list is not that of the item', async () => {
		const documents = new Documents().add('d', { title: 'a.txt', size_in_bytes: 99 });
		documents.contents.set('d', CONTENT);
		const input = fileInput('a.txt', { ifExists: 'skip' });
		expect(await version(documents, input)).toMatchObject({ id: 'd', isChanged: true });
	});

	it('is an error as it is where the list cannot be read', async () => {
		const documents = new Documents();
		documents.instead = (request) =>
			request === 'GET /documents' ? { status: 403, json: {} } : undefined;
		const { error } = await version(documents, fileInput('a.txt', { ifExists: 'replace' }));
		expect(error?.message).toContain('(409): exists');
		expect(error?.context.known).toEqual({ document_id: null });
	});

	it('is compared once, in the list, where If Exists is Error', async () => {
		const documents = new Documents().add('d', { title: 'a.txt' });
		const { error } = await version(documents, fileInput('a.txt'));
		expect(error?.context.known).toEqual({ document_id: 'd' });
		expect(documents.asked.filter((request) => request.endsWith('/download'))).toHaveLength(1);
	});

	it('is an error as it is, with the document, where If Exists is Error', async () => {
		const documents = new Documents();
		const input = fileInput('a.txt');
		const { key } = await scene(documents, input);
		documents.add(key);
		const { error } = await version(documents, input);
		expect(error?.message).toContain('(409): exists');
		expect(error?.context.known).toEqual({ document_id: key });
	});

	it('about the document of an earlier item is an error of this one', async () => {
		const documents = new Documents();
		const input = fileInput('a.txt', { ifExists: 'replace' });
		const { context, identity, key } = await scene(documents, input, [input, input], 1);
		documents.add(key, { metadata: { n8n_sha256: 'x' } });
		await expect(conflictingVersion(context, input, identity, key, conflict())).rejects.toThrow(
			'Items 0 and 1 of this execution are the same document',
		);
	});

	it('that is seen before anything is sent says so', async () => {
		const error = existsError(await contextOf(), 'd');
		expect(error.message).toContain('(409): Document d already exists');
		expect(error.description).toBe(
			'Nothing was sent. To skip or replace it, set If Exists in Options.',
		);
		expect(error.context.known).toEqual({ document_id: 'd' });
	});
});
