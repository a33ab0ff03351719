import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { CREATE, documentsOf } from './documents.mts';

const fixture = useFixture();
const { createFrom, createText, uploads } = documentsOf(fixture);

describe('wrong parameters: an error, and nothing is sent', () => {
	const huge = {
		json: {},
		binary: {
			data: {
				data: 'filesystem-v2',
				id: 'filesystem-v2:x',
				bytes: 100 * 1024 * 1024 + 1,
				fileName: 'big.pdf',
				mimeType: 'application/pdf',
			},
		},
	};
	it.each<[string, INodeExecutionData, IDataObject, string]>([
		[
			'a missing binary field',
			{ json: {} },
			{},
			'Input Binary Field must name a field with a file, but the item has no file in "data"',
		],
		[
			'a wrong binary field',
			fileItem('a.txt', 'a'),
			{ binaryPropertyName: 'file' },
			'Input Binary Field must name a field with a file, but the item has no file in "file"',
		],
		...['constructor', '__proto__'].map(
			(field): [string, INodeExecutionData, IDataObject, string] => [
				`what all objects have (${field})`,
				fileItem('a.txt', 'a'),
				{ binaryPropertyName: field },
				`Input Binary Field must name a field with a file, but the item has no file in "${field}"`,
			],
		),
		[
			'an empty file',
			fileItem('a.txt', ''),
			{},
			'Input Binary Field must name a field with a file, but a.txt is empty',
		],
		[
			'a file above the limit',
			huge,
			{},
			'Input Binary Field must be a file of at most 100 MiB, got 100.1 MiB',
		],
		[
			'an empty text',
			{ json: {} },
			{ source: 'rawText', rawText: ' ' },
			'Text is required and must not be empty',
		],
		[
			'no chunks',
			{ json: {} },
			{ source: 'chunks', chunks: '[]' },
			'Chunks must contain at least one text, got an empty list',
		],
		[
			'an empty chunk',
			{ json: {} },
			{ source: 'chunks', chunks: '["a",""]' },
			'Chunks must contain texts that are not empty, got "" at position 2',
		],
		[
			'chunks that are no list',
			{ json: {} },
			{ source: 'chunks', chunks: '{}' },
			'Chunks must be a JSON list such as ["a", "b"], got {}',
		],
		[
			'broken metadata',
			fileItem('a.txt', 'a'),
			{ additionalFields: { metadataJson: '{"a":' } },
			'Additional Fields: Metadata (JSON) must be valid JSON, got "{"a":"',
		],
		[
			'metadata that is a list',
			fileItem('a.txt', 'a'),
			{ additionalFields: { metadataJson: '[1]' } },
			'Additional Fields: Metadata (JSON) must be a JSON object such as {"key": "value"}, got [1]',
		],
		[
			'metadata without a key',
			fileItem('a.txt', 'a'),
			{ metadata: { values: [{ key: '', value: 'a' }] } },
			'Metadata 1: Key is required and must not be empty',
		],
		[
			'an id that is no UUID',
			fileItem('a.txt', 'a'),
			{ additionalFields: { documentId: 'manual' } },
			'Additional Fields: Document ID must be a UUID such as 4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7, got "manual"',
		],
	])('%s', async (_, item, parameters, message) => {
		const error = errorOf(
			await createFrom(
				[fileItem('good.txt', 'good'), item].slice(parameters.source ? 1 : 0),
				parameters,
			),
		);
		expect(error.message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('a file that the service finds too large', async () => {
		const error = errorOf(
			await createFrom([fileItem('big.txt', Buffer.alloc(17 * 1024 * 1024, 'a'))]),
		);
		expect(error.message).toMatch(/^Request too large \(413\)/);
	});

	it('a collection that does not exist', async () => {
		const error = errorOf(
			await createText('a', {
				additionalFields: { collectionIds: '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7' },
			}),
		);
		expect(error.message).toBe('Not found (404): Collection not found');
		expect(error.context.known).toMatchObject({ document_id: expect.any(String) });
	});

	it.each([400, 403, 422, 429])(
		'a %i is final, and the next execution may send',
		async (status) => {
			fixture.sandbox.faults.add({ match: CREATE, ...errorForms.detailMessage(status, 'no') });
			expect(errorOf(await createText('a')).message).toContain('no');
			expect(uploads()).toHaveLength(1);
			onlyJson(await createText('a'));
		},
	);
});
