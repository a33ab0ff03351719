import type { Resource } from '../../../shared/operation/operation';
import { getMany, getOne, remove, write } from '../../crud';
import { documentIdField } from '../../../intelligence/retrieval/fields';
import { create } from './create';
import { deleteMany } from './deleteMany';
import { download } from './download';
import { getAll } from './getAll';
import { DOCUMENT } from './presence';
import { search } from './search';
import { updateMetadata } from './updateMetadata';

const ids = [documentIdField];

/** Documents (beyond-the-spec.md sections 6 "Documents" and 9). */
export const document: Resource = {
	value: 'document',
	name: 'Document',
	operations: [
		getAll,
		create,
		deleteMany,
		search,
		remove('document', { ...DOCUMENT, ids }),
		download,
		getOne('document', { path: '/documents/{documentId}', ids }),
		getMany('chunks of a document', {
			path: '/documents/{documentId}/chunks',
			ids,
			value: 'getChunks',
			name: 'Get Chunks',
		}),
		...(['entities', 'relationships'] as const).map((part) =>
			getMany(`${part} of a document`, {
				path: `/documents/{documentId}/${part}`,
				ids,
				value: part === 'entities' ? 'getEntities' : 'getRelationships',
				name: part === 'entities' ? 'Get Entities' : 'Get Relationships',
			}),
		),
		updateMetadata,
		write({
			value: 'extract',
			name: 'Extract',
			action: 'Extract entities from document',
			description:
				'Find entities and relationships in one document, for graphs. The service works in the background.',
			path: '/documents/{documentId}/extract',
			ids,
		}),
	],
};
