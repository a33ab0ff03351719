import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../shared/guards';
import { listIn, objectsOf } from './envelope';
import type { ResultList } from './list';

/** All indices; their list is one level deeper than others (beyond-the-spec.md section 6 "Indices"). */
export const INDICES: ResultList = {
	path: '/indices',
	entries(page) {
		const list = listIn(page, 'indices');
		return Array.isArray(list) ? objectsOf(list).map(flatIndex) : undefined;
	},
};

/** An index with its fields at the top, too. */
export function flatIndex(entry: IDataObject): IDataObject {
	return isRecord(entry.index) ? { ...entry, ...(entry.index as IDataObject) } : entry;
}
