import type { IBinaryData, IDataObject, INodeProperties } from 'n8n-workflow';
import { collectionField } from '../../../shared/fields';
import { pickFile } from '../../files';
import type { Files } from '../../../shared/operation/operation';
import { type Parameters } from '../../../shared/operation/parameters';
import { textField, UUID } from '../../fields';
import { metadataFields, readMetadata } from '../../metadata';
import { readWait, waitFields, type Wait } from './ingestion';
import { choice } from '../../searchSettings';
import { show } from '../../../shared/guards';

const SOURCES = ['file', 'rawText', 'chunks'] as const;
const INGESTION_MODES = ['custom', 'fast', 'hi-res', 'ocr'] as const;
const IF_EXISTS = ['error', 'skip', 'replace'] as const;

/** The content of a new document: exactly one of the three that the engine takes. */
export type Source = { file: IBinaryData } | { rawText: string } | { chunks: string[] };

export interface DocumentInput {
	source: Source;
	documentId?: string;
	collectionIds: string[];
	metadata?: IDataObject;
	ingestionMode?: string;
	runWithOrchestration?: boolean;
	ifExists: (typeof IF_EXISTS)[number];
	wait?: Wait;
}

export const documentFields: INodeProperties[] = [
	{
		displayName: 'Source',
		name: 'source',
		type: 'options',
		options: [
			{ name: 'Chunks', value: 'chunks', description: 'Texts that are cut already' },
			{ name: 'File', value: 'file', description: 'A file of the item' },
			{ name: 'Text', value: 'rawText' },
		],
		default: 'file',
		description: 'Where the content comes from',
	},
	textField(
		'Input Binary Field',
		'binaryPropertyName',
		'Name of the field of the item that holds the file',
		{
			required: true,
			displayOptions: { show: { source: ['file'] } },
			default: 'data',
		},
	),
	textField('Text', 'rawText', 'The content of the document', {
		required: true,
		placeholder: 'e.g. The first hour is never refunded.',
		displayOptions: { show: { source: ['rawText'] } },
		typeOptions: { rows: 6 },
	}),
	{
		displayName: 'Chunks',
		name: 'chunks',
		type: 'json',
		required: true,
		displayOptions: { show: { source: ['chunks'] } },
		default: '[]',
		description: 'A JSON list of texts, or an expression that gives one',
	},
	...metadataFields.slice(0, 1),
	collectionField('additionalFields', 'Additional Fields', 'Add Field', [
		textField(
			'Collection IDs',
			'collectionIds',
			'Collections to put the document into, separated by commas; empty is the default one',
			{ placeholder: UUID },
		),
		textField(
			'Document ID',
			'documentId',
			'A UUID of your own; without one it is made from the file name or the content, so that the same document is found again',
			{ placeholder: UUID },
		),
		choice(
			'Ingestion Mode',
			'ingestionMode',
			INGESTION_MODES,
			'How thoroughly the service reads the file',
		),
		...metadataFields.slice(1),
		{
			displayName: 'Run With Orchestration',
			name: 'runWithOrchestration',
			type: 'boolean',
			default: true,
			description:
				'Whether the service ingests in the background, or answers when the document is ready',
		},
	]),
	collectionField('options', 'Options', 'Add Option', [
		{
			displayName: 'If Exists',
			name: 'ifExists',
			type: 'options',
			options: [
				{
					name: 'Replace',
					value: 'replace',
					description: 'Delete the earlier document and ingest this one',
				},
				{ name: 'Skip', value: 'skip', description: 'Keep the earlier document and return it' },
				{ name: 'Stop With an Error', value: 'error' },
			],
			default: 'error',
			description: 'What to do when the service has the document already',
		},
		...waitFields,
	]),
];

export function readDocument(parameters: Parameters, files: Files): DocumentInput {
	const more = parameters.group('additionalFields');
	const options = parameters.group('options');
	const documentId = more.optionalText('documentId');
	if (
		documentId !== undefined &&
		!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(documentId)
	) {
		more.fail(
			'documentId',
			`must be a UUID such as 4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7, got ${show(documentId)}`,
		);
	}
	const metadata = { ...readMetadata(more), ...readMetadata(parameters) };
	return {
		source: readSource(parameters, files),
		documentId: documentId?.toLowerCase(),
		collectionIds: more.texts('collectionIds'),
		metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
		ingestionMode: more.has('ingestionMode')
			? more.choice('ingestionMode', INGESTION_MODES)
			: undefined,
		runWithOrchestration: more.has('runWithOrchestration')
			? more.flag('runWithOrchestration')
			: undefined,
		ifExists: options.has('ifExists') ? options.choice('ifExists', IF_EXISTS) : 'error',
		wait: readWait(options),
	};
}

function readSource(parameters: Parameters, files: Files): Source {
	switch (parameters.choice('source', SOURCES)) {
		case 'file':
			return { file: pickFile(parameters, files, 'binaryPropertyName') };
		case 'rawText':
			return { rawText: parameters.verbatim('rawText') };
		case 'chunks':
			return { chunks: readChunks(parameters) };
	}
}

function readChunks(parameters: Parameters): string[] {
	const chunks = parameters.list('chunks');
	if (chunks.length === 0)
		parameters.fail('chunks', 'must hold at least one text, got an empty list');
	return chunks.map((chunk, index) => {
		if (typeof chunk !== 'string' || chunk.trim() === '')
			parameters.fail(
				'chunks',
				`must hold texts that are not empty, got ${show(chunk)} at place ${index + 1}`,
			);
		return chunk;
	});
}
