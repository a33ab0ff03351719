import type { IDataObject } from 'n8n-workflow';
import {
	integer,
	json,
	readOption,
	unlessBlank,
	type Option,
} from '../../../shared/operation/option';
import type { Parameters } from '../../../shared/operation/parameters';

const chunkSize = integer({
	displayName: 'Chunk Size',
	name: 'chunkSize',
	limits: { min: 1 },
	default: 1024,
	description: 'Number of characters in a chunk',
});

const chunkOverlap = integer({
	displayName: 'Chunk Overlap',
	name: 'chunkOverlap',
	limits: { min: 0 },
	default: 512,
	description:
		'Number of characters that a chunk shares with the one before. Default: half a chunk.',
});

const ingestionConfig = unlessBlank(
	json({
		displayName: 'Ingestion Config (JSON)',
		name: 'ingestionConfig',
		placeholder: 'e.g. {"skip_document_summary": true}',
		description: "Settings of the ingestion in the service's own form",
	}),
);

/** How the service cuts a document into chunks, and the rest of its `ingestion_config` (beyond-the-spec.md section 9). */
export const configOptions: Option[] = [chunkOverlap, chunkSize, ingestionConfig];

/**
 * The `ingestion_config` of the options that were added, or undefined. With a small chunk size the engine's own overlap would be
 * larger than a chunk, and the ingestion would fail.
 */
export function readConfig(more: Parameters): IDataObject | undefined {
	const size = readOption(more, chunkSize);
	const overlap = readOption(more, chunkOverlap) ?? (size && Math.floor(size / 2));
	if (size !== undefined && overlap !== undefined && overlap >= size)
		more.fail(chunkOverlap.field.name, `must be less than Chunk Size, got ${overlap}`);
	const config = {
		...readOption(more, ingestionConfig),
		...(size !== undefined && { chunk_size: size }),
		...(overlap !== undefined && { chunk_overlap: overlap }),
	};
	return Object.keys(config).length > 0 ? config : undefined;
}
