import type { IBinaryData, IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { create } from '../../nodes/Rag/resources/document/create.ts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';

const ID = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';
const FILE: IBinaryData = { data: 'dGV4dA==', mimeType: 'text/plain', fileName: 'a.txt' };

/** The input of a form with these values. */
const read = (values: IDataObject) =>
	create.input(formOf(create, { source: 'rawText', rawText: 'text', ...values }), (name) =>
		name === 'data' ? FILE : undefined,
	);

describe('the form of a new document', () => {
	it('needs a source alone', () => {
		expect(read({})).toEqual({
			source: { rawText: 'text' },
			collectionIds: [],
			fields: {},
			ifExists: 'error',
			identity: 'fileName',
		});
		expect(read({ source: 'file', binaryPropertyName: 'data' })).toMatchObject({
			source: { file: FILE },
		});
	});

	it('takes an ID in the letters of the service', () => {
		const input = read({ additionalFields: { documentId: ID.toUpperCase() } });
		expect(input).toMatchObject({ documentId: ID });
		expect(message(() => read({ additionalFields: { documentId: '7' } }))).toBe(
			'Additional Fields: Document ID must be a UUID such as 4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7, got "7"',
		);
	});

	it('keeps the white space of a text', () => {
		expect(read({ rawText: '  a\n\n' })).toMatchObject({ source: { rawText: '  a\n\n' } });
	});

	it.each<[unknown]>([['["a", " b\\n"]'], [['a', ' b\n']]])(
		'takes chunks as they are: %j',
		(chunks) => {
			expect(read({ source: 'chunks', chunks: chunks as string })).toMatchObject({
				source: { chunks: ['a', ' b\n'] },
			});
		},
	);

	it.each<[unknown, string]>([
		['{"a": 1}', 'Chunks must be a JSON list such as ["a", "b"], got {"a":1}'],
		[[], 'Chunks must contain at least one text, got an empty list'],
		[['a', ''], 'Chunks must contain texts that are not empty, got "" at position 2'],
		[['  '], 'Chunks must contain texts that are not empty, got "  " at position 1'],
		[['a', 7], 'Chunks must contain texts that are not empty, got 7 at position 2'],
		[['a', null], 'Chunks must contain texts that are not empty, got nothing at position 2'],
	])('takes no other chunks: %j', (chunks, problem) => {
		expect(message(() => read({ source: 'chunks', chunks: chunks as string }))).toBe(problem);
	});

	it('is identified by a key where there is one', () => {
		expect(read({ options: { documentKey: 'k' } })).toMatchObject({ identity: 'key', key: 'k' });
		expect(read({ options: { documentKey: 'k', identity: 'content' } })).toMatchObject({
			identity: 'content',
		});
		expect(message(() => read({ options: { identity: 'key' } }))).toBe(
			'Options: Document Key is required where Identify By is Document Key',
		);
	});

	it('takes a title as metadata', () => {
		const more = { metadataJson: { title: 'b', year: 1 }, title: 'T' };
		expect(read({ additionalFields: more })).toMatchObject({ metadata: { title: 'T', year: 1 } });
	});
});
