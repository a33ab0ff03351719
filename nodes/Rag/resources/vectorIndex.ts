import type { IDataObject } from 'n8n-workflow';
import type { Resource } from '../../shared/operation/operation';
import { listIn, objectsOf } from '../../intelligence/retrieval/envelope';
import { idField } from '../../intelligence/retrieval/fields';
import { getMany, getOne, remove } from '../crud';
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
	],
};
