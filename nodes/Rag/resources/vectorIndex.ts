import { locatorField } from '../../shared/fields';
import type { Resource } from '../../shared/operation/operation';
import { idField, textField } from '../../intelligence/retrieval/fields';
import { flatIndex, INDICES } from '../../intelligence/retrieval/indices';
import { getMany, getOne, remove, write } from '../crud';

const path = '/indices/{tableName}/{indexName}';
const ids = [
	idField('Table Name', 'tableName', 'Table of the index, as returned by Get Many', 'e.g. chunks'),
	locatorField({
		displayName: 'Index',
		name: 'indexName',
		description: 'The index to use',
		placeholder: 'Select an index...',
		searchListMethod: 'searchIndices',
		idPlaceholder: 'e.g. ix_vector_cosine_ops_hnsw',
		idHint: 'Name of the index',
		dependsOn: ['tableName'],
	}),
];

const create = write({
	value: 'create',
	name: 'Create',
	action: 'Create index',
	description: 'Build an index of embeddings. The service works in the background.',
	path: '/indices',
	fields: [
		textField('Table Name', 'indexTable', 'Table whose embeddings are indexed', {
			required: true,
			default: 'chunks',
		}),
		textField('Name', 'name', 'Name of the new index; empty lets the service choose one', {
			placeholder: 'e.g. my_index',
		}),
		textField('Method', 'indexMethod', 'How the index finds neighbors, as the service calls it', {
			required: true,
			default: 'hnsw',
		}),
		textField('Measure', 'indexMeasure', 'How the distance of two vectors is measured', {
			required: true,
			default: 'cosine_distance',
		}),
	],
	body: (parameters) => ({
		config: {
			table_name: parameters.text('indexTable'),
			name: parameters.text('name', { optional: true }),
			index_method: parameters.text('indexMethod'),
			index_measure: parameters.text('indexMeasure'),
		},
	}),
});

/** Indices of chunk embeddings (beyond-the-spec.md section 6 "Indices"). */
export const vectorIndex: Resource = {
	value: 'index',
	name: 'Index',
	operations: [
		getMany('indices', INDICES),
		getOne('index', { path, ids }, flatIndex),
		remove('index', {
			path,
			ids,
			hasDetails: true,
			listing: ({ tableName = '', indexName = '' }) => ({
				list: INDICES,
				fields: { table_name: tableName, name: indexName },
			}),
		}),
		create,
	],
};
