import type { IBinaryData, IDataObject, NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	conflictingVersion,
	existsError,
	findOwn,
	isConflict,
} from '../../nodes/Rag/resources/document/conflict.ts';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import { digestOf, identityOf } from '../../nodes/Rag/resources/document/documentId.ts';
import { findListed, othersOf } from '../../nodes/Rag/resources/document/listed.ts';
import { contextOf, Documents, textInput } from './rag-parts.mts';
import { answer } from './replies.mts';

const CONTENT = 'text';

/** An item whose document is a file of that name and content. */
const fileInput = (fileName: string, more: Partial<DocumentInput> = {}): DocumentInput => ({
	...textInput('', more),
	source: {
		file: {
			fileName,
			mimeType: 'text/plain',
			data: Buffer.from(CONTENT).toString('base64'),
		} as IBinaryData,
	},
	identity: 'fileName',
	...more,
});

async function scene(documents: Documents, input: DocumentInput, inputs = [input], itemIndex = 0) {
	const context = await contextOf({ documents, inputs, itemIndex });
	const identity = await identityOf(context, itemIndex, input);
	const hash = await digestOf(context, input.source);
	const [key = ''] = identity.ids;
	return { context, identity, hash, key, input };
}

describe('the list of documents, for one under an ID of the service', () => {
	/** IDs of what is found there. */
	async function found(documents: Documents, input: DocumentInput, sentId?: string) {
		const { context, identity } = await scene(documents, input);
		const { same, unclear } = await findListed(context, input, identity, sentId);
		return { same: same.map(({ id }) => id), unclear: unclear.map(({ id }) => id) };
	}
	const NONE = { same: [], unclear: [] };

	it('has those with its identity; of an upload that was sent, those with its content alone', async () => {
		const documents = new Documents();
		const { key, hash } = await scene(documents, fileInput('a.txt'));
		documents
			.add('mine', { metadata: { n8n_identity: key, n8n_sha256: hash } })
			.add('other', { metadata: { n8n_identity: key, n8n_sha256: 'x' } })
			.add('named', { title: 'a.txt' });
		expect(await found(documents, fileInput('a.txt'))).toEqual({
			same: ['mine', 'other'],
			unclear: [],
		});
		expect(await found(documents, fileInput('a.txt'), 'sent')).toEqual({
			same: ['mine'],
			unclear: [],
		});
	});

	it.each<[string, DocumentInput, IDataObject]>([
		['its file name', fileInput('dir/a.txt'), { title: 'dir/a.txt' }],
		['its file name without folders', fileInput('dir/a.txt'), { title: 'a.txt' }],
		['its title', fileInput('a.txt', { metadata: { title: 'T' } }), { title: 'T' }],
		[
			'its title with the extension of its file',
			fileInput('a.b.txt', { metadata: { title: 'T' } }),
			{ title: 'T.txt' },
		],
		[
			'its title, of a file without an extension',
			fileInput('a', { metadata: { title: 'T' } }),
			{ title: 'T' },
		],
		['the length of a text without a name', textInput(CONTENT), { size_in_bytes: 4 }],
	])('has one with %s and its content', async (_, input, document) => {
		const documents = new Documents().add('d', document);
		documents.contents.set('d', CONTENT);
		expect(await found(documents, input)).toEqual({ same: ['d'], unclear: [] });
		documents.contents.set('d', 'other');
		expect(await found(documents, input)).toEqual({ same: [], unclear: ['d'] });
		documents.add('d', { ...document, metadata: { n8n_identity: 'of another' } });
		expect(await found(documents, input)).toEqual(NONE);
	});

	it.each<[DocumentInput, IDataObject]>([
		[fileInput('a.txt'), { title: 'b.txt' }],
		[fileInput('a.txt'), {}],
		[fileInput('a.txt'), { title: 'a' }],
		[textInput(CONTENT), { size_in_bytes: 5 }],
		[textInput(CONTENT, { metadata: { title: 'T' } }), { size_in_bytes: 4 }],
	])('has none for %j in %j', async (input, document) => {
		const documents = new Documents().add('d', document);
		documents.contents.set('d', CONTENT);
		expect(await found(documents, input)).toEqual(NONE);
	});

	it('may have one with a similar name, of an upload that was sent', async () => {
		for (const title of ['a', 'A.TXT', 'a (2).txt', 'b/a.txt', 'a_1']) {
			const documents = new Documents().add('d', { title });
			documents.contents.set('d', CONTENT);
			expect(await found(documents, fileInput('a.txt'), 'sent'), title).toEqual({
				same: [],
				unclear: ['d'],
			});
			documents.contents.set('d', 'other');
			expect(await found(documents, fileInput('a.txt'), 'sent'), title).toEqual(NONE);
		}
	});

	it('has one under the ID that was sent', async () => {
		const documents = new Documents().add('sent', { title: 'x' });
		documents.contents.set('sent', CONTENT);
		expect(await found(documents, fileInput('a.txt'), 'sent')).toEqual({
			same: ['sent'],
			unclear: [],
		});
	});

	it('of a nameless text that was sent has those without a name of their own', async () => {
		for (const [title, place] of [
			['N/A', 'same'],
			['te', 'same'],
			['', 'same'],
			['a name', 'unclear'],
		] as const) {
			const documents = new Documents().add('d', { title, size_in_bytes: 4 });
			documents.contents.set('d', CONTENT);
			expect(await found(documents, textInput(CONTENT), 'sent')).toEqual({
				...NONE,
				[place]: ['d'],
			});
		}
	});

	it('compares five; of more it cannot be told', async () => {
		const documents = new Documents();
		for (let number = 1; number <= 7; number++) {
			documents.add(`d${number}`, { title: 'a.txt' });
			documents.contents.set(`d${number}`, CONTENT);
		}
		expect(await found(documents, fileInput('a.txt'))).toEqual({
			same: ['d1', 'd2', 'd3', 'd4', 'd5'],
			unclear: ['d6', 'd7'],
		});
	});

	it('names the others with the same identity', async () => {
		const documents = new Documents();
		const { context, identity, key } = await scene(documents, fileInput('a.txt'));
		documents
			.add('new', { metadata: { n8n_identity: key } })
			.add('old', { metadata: { n8n_identity: key } })
			.add('none', { metadata: null })
			.add('other', { metadata: { n8n_identity: 'x' } });
		expect(await othersOf(context, identity, 'new')).toEqual(['old']);
	});
});

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
