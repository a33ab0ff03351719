import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import { findListed, othersOf } from '../../nodes/Rag/resources/document/listed.ts';
import { CONTENT, fileInput, scene } from './document-parts.mts';
import { Documents, textInput } from './rag-parts.mts';

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

	it.each<[string, DocumentInput, IDataObject]>([
		['its file name without several folders', fileInput('x/dir/a.txt'), { title: 'a.txt' }],
		['the length of a text in characters', textInput('h\u00f6he'), { size_in_bytes: 4 }],
		['the length of a text in bytes', textInput('h\u00f6he'), { size_in_bytes: '5' }],
	])('has one with %s', async (_, input, document) => {
		const documents = new Documents().add('d', document);
		const text = 'rawText' in input.source ? input.source.rawText : CONTENT;
		documents.contents.set('d', text);
		expect(await found(documents, input)).toEqual({ same: ['d'], unclear: [] });
	});

	it.each<[DocumentInput, IDataObject]>([
		[fileInput('a.txt'), { title: 'undefined.txt' }],
		[fileInput(''), {}],
		[{ ...textInput(''), source: { chunks: [CONTENT] } }, { size_in_bytes: 4 }],
	])('has none for what has no name of its own: %j in %j', async (input, document) => {
		const documents = new Documents().add('d', document);
		documents.contents.set('d', CONTENT);
		expect(await found(documents, input)).toEqual(NONE);
	});

	it.each<[string, string[], string[]]>([
		['a.txt', ['a-12', 'a2', 'a (12).pdf', 'x/a_12.txt'], ['1a', 'a1b', '12', '12.txt', '', 'b']],
		['a.b.txt', ['a.b', 'A.B (3)'], ['a', 'b.txt']],
		['.env', ['ENV'], ['', '12', 'other']],
	])('has those that a service may have made of %s', async (name, similar, others) => {
		for (const title of [...similar, ...others]) {
			const documents = new Documents().add('d', { title });
			documents.contents.set('d', CONTENT);
			for (const input of [fileInput(name), fileInput(name, { metadata: { title: 'T' } })])
				expect(await found(documents, input, 'sent'), title).toEqual({
					...NONE,
					unclear: similar.includes(title) ? ['d'] : [],
				});
		}
	});

	it.each<[string, IDataObject]>([
		['no title', {}],
		['its beginning', { title: ' te' }],
		['all of it', { title: 'text ' }],
	])('has a nameless text that was sent, with %s as its title', async (_, more) => {
		const rawText = ' text';
		const documents = new Documents().add('d', { ...more, size_in_bytes: 5 });
		documents.contents.set('d', rawText);
		expect(await found(documents, textInput(rawText), 'sent')).toEqual({ ...NONE, same: ['d'] });
	});
});
