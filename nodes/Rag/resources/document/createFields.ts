import type { IBinaryData, IDataObject, INodeProperties } from 'n8n-workflow';
import { show } from '../../../shared/guards';
import type { Files } from '../../../shared/operation/operation';
import {
	choice,
	flag,
	option,
	optionsField,
	readOption,
	readOptions,
	text,
	unlessBlank,
} from '../../../shared/operation/option';
import type { Parameters } from '../../../shared/operation/parameters';
import { extraBody } from '../../../intelligence/retrieval/extraBody';
import { collectionOptions } from '../../../intelligence/retrieval/collections';
import { isUuid, textField, UUID } from '../../../intelligence/retrieval/fields';
import { pickFile } from '../../files';
import { metadataField, metadataJson, readMetadata } from '../../metadata';
import { configOptions, readConfig } from './ingestionConfig';
import { readWait, waitOptions, type Wait } from './ingestion';

const SOURCES = ['file', 'rawText', 'chunks'] as const;

/** The content of a new document: exactly one of the three kinds that the engine accepts. */
export type Source = { file: IBinaryData } | { rawText: string } | { chunks: string[] };

/** The checked parameters of one new document. */
export interface DocumentInput {
	source: Source;
	documentId?: string;
	/** Their IDs or names; once the document is created, their IDs. */
	collectionIds: string[];
	metadata?: IDataObject;
	/** Further fields of the form. */
	fields: IDataObject;
	ifExists: 'error' | 'skip' | 'replace' | 'replaceIfChanged';
	/** What makes two documents the same one. */
	identity: 'fileName' | 'content' | 'key';
	/** Of the identity `key`: a path, say. */
	key?: string;
	wait?: Wait;
}

const collections = collectionOptions(
	'to add the document to',
	(parameters, name) => parameters.texts(name),
	' By default, it is the default collection.',
);

const documentId = unlessBlank(
	option(
		textField(
			'Document ID',
			'documentId',
			'UUID for the document. By default, it is derived from the file name or the content, so that the same document is found again.',
			{ placeholder: UUID },
		),
		readUuid,
	),
);

const ingestionMode = unlessBlank(
	choice({
		displayName: 'Ingestion Mode',
		name: 'ingestionMode',
		options: [
			{ name: 'Custom', value: 'custom' },
			{ name: 'Fast', value: 'fast' },
			{ name: 'Hi Res', value: 'hi-res' },
			{ name: 'OCR', value: 'ocr' },
		],
		default: 'custom',
		description: 'How thoroughly the service parses the file',
	}),
);

const runWithOrchestration = unlessBlank(
	flag({
		displayName: 'Run With Orchestration',
		name: 'runWithOrchestration',
		description:
			'Whether the service ingests in the background. Otherwise it responds when the document is ingested.',
	}),
);

const title = unlessBlank(
	text({
		displayName: 'Title',
		name: 'title',
		placeholder: 'e.g. Terms of payment',
		description:
			"Name of the document in lists and sources. For a file, the file's extension is added, since the service takes the title as file name.",
	}),
);

const identity = unlessBlank(
	choice({
		displayName: 'Identify By',
		name: 'identity',
		options: [
			{
				name: 'Content',
				value: 'content',
				description: 'Files with the same name are different documents',
			},
			{ name: 'Document Key', value: 'key', description: 'A key of your own, such as a path' },
			{ name: 'File Name', value: 'fileName', description: 'Without one, the content counts' },
		],
		default: 'fileName',
		description: 'What makes a document the same one as an earlier document',
	}),
);

const documentKey = unlessBlank(
	text({
		displayName: 'Document Key',
		name: 'documentKey',
		placeholder: 'e.g. manuals/2026/billing.pdf',
		description: 'Key that identifies the document, for Identify By Document Key',
	}),
);

const ifExists = unlessBlank(
	choice({
		displayName: 'If Exists',
		name: 'ifExists',
		options: [
			{
				name: 'Replace',
				value: 'replace',
				description: 'Ingest this document, then delete the existing one',
			},
			{
				name: 'Replace If Changed',
				value: 'replaceIfChanged',
				description: 'Keep the existing document if its content is the same',
			},
			{ name: 'Skip', value: 'skip', description: 'Keep the existing document and return it' },
			{ name: 'Stop With an Error', value: 'error' },
		],
		default: 'error',
		description: 'What to do if the document already exists',
	}),
);

export const documentFields: INodeProperties[] = [
	{
		displayName: 'Source',
		name: 'source',
		type: 'options',
		options: [
			{ name: 'Chunks', value: 'chunks', description: 'Text that is already split into chunks' },
			{ name: 'File', value: 'file', description: 'A file of the input item' },
			{ name: 'Text', value: 'rawText', description: 'Text that you enter, or an expression' },
		],
		default: 'file',
		description: 'Where the content comes from',
	},
	textField(
		'Input Binary Field',
		'binaryPropertyName',
		'Name of the input field that contains the file',
		{
			required: true,
			displayOptions: { show: { source: ['file'] } },
			default: 'data',
		},
	),
	textField('Text', 'rawText', 'Content of the document', {
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
		description: 'JSON array of texts, or an expression that returns one',
	},
	metadataField,
	optionsField(
		[
			...[
				collections.typed,
				collections.chosen,
				documentId,
				extraBody,
				ingestionMode,
				metadataJson,
			],
			...[runWithOrchestration, title, ...configOptions],
		],
		{ name: 'additionalFields', displayName: 'Additional Fields', placeholder: 'Add Field' },
	),
	optionsField([documentKey, identity, ifExists, ...waitOptions]),
];

/** Reads and checks the form; of a file, only what is known without reading it. */
export function readDocument(parameters: Parameters, files: Files): DocumentInput {
	const more = parameters.group('additionalFields');
	const options = parameters.group('options');
	const name = readOption(more, title);
	const metadata = {
		...readMetadata(more),
		...readMetadata(parameters),
		...(name !== undefined && { title: name }),
	};
	const key = readOption(options, documentKey);
	const by = readOption(options, identity) ?? (key === undefined ? 'fileName' : 'key');
	if (by === 'key' && key === undefined)
		options.fail(documentKey.field.name, 'is required where Identify By is Document Key');
	return {
		source: readSource(parameters, files),
		documentId: readOption(more, documentId),
		collectionIds: [collections.typed, collections.chosen].flatMap(
			(one) => readOption(more, one) ?? [],
		),
		metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
		fields: {
			...readOptions(more, [ingestionMode, runWithOrchestration]),
			ingestion_config: readConfig(more),
			...readOption(more, extraBody),
		},
		ifExists: readOption(options, ifExists) ?? 'error',
		identity: by,
		key,
		wait: readWait(options),
	};
}

function readUuid(parameters: Parameters, name: string): string {
	const id = parameters.text(name);
	if (!isUuid(id)) {
		parameters.fail(
			name,
			`must be a UUID such as 4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7, got ${show(id)}`,
		);
	}
	return id.toLowerCase();
}

function readSource(parameters: Parameters, files: Files): Source {
	switch (parameters.choice('source', SOURCES)) {
		case 'file':
			return { file: pickFile(parameters, files, 'binaryPropertyName') };
		case 'rawText':
			return { rawText: parameters.text('rawText', { trim: false }) };
		case 'chunks':
			return { chunks: readChunks(parameters) };
	}
}

function readChunks(parameters: Parameters): string[] {
	const chunks = parameters.json('chunks', 'list');
	if (chunks.length === 0)
		parameters.fail('chunks', 'must contain at least one text, got an empty list');
	return chunks.map((chunk, index) => {
		if (typeof chunk !== 'string' || chunk.trim() === '')
			parameters.fail(
				'chunks',
				`must contain texts that are not empty, got ${show(chunk)} at position ${index + 1}`,
			);
		return chunk;
	});
}
