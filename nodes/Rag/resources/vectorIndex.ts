import type { IDataObject } from 'n8n-workflow';
import type { Resource } from '../../shared/operation/operation';
import { listIn, objectsOf } from '../../intelligence/retrieval/envelope';
import { idField, textField } from '../../intelligence/retrieval/fields';
import { getMany, getOne, remove, write } from '../crud';
import { isRecord } from '../../shared/guards';

const path = '/indices/{tableName}/{indexName}';
const ids = [
	idField('Table Name', 'tableName', 'Table of the index, as returned by Get Many', 'e.g. chunks'),
	idField(
		'Index Name',
		'indexName',
		'Name of the index, as returned by Get Many',
		'e.g. ix_vector_cosine_ops_hnsw',
	),
];

/** An index with its fields at the top, too. */
function flat(entry: IDataObject): IDataObject {
	return isRecord(entry.index) ? { ...entry, ...(entry.index as IDataObject) } : entry;
}

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

/** Indices of chunk embeddings; their list is one level deeper than others (beyond-the-spec.md section 6 "Indices"). */
export const vectorIndex: Resource = {
	value: 'index',
	name: 'Index',
	operations: [
		getMany('indices', {
			path: '/indices',
			entries(page) {
				const list = listIn(page, 'indices');
				return Array.isArray(list) ? objectsOf(list).map(flat) : undefined;
			},
		}),
		getOne('index', { path, ids }, flat),
		remove('index', { path, ids }),
		create,
	],
};
