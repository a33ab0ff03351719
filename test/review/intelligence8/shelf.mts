import type { IDataObject } from 'n8n-workflow';
import { rag } from '../../engine/nodes.mts';
import { NOT_FOUND, type Call, type Json, type Said } from '../intelligence7/service.mts';
import type { Stage } from '../intelligence7/stage.mts';

/** Deletes the documents that pass a filter, ten at most. */
export const deleteMany = (filter: unknown, more: IDataObject = {}) =>
	rag('document', 'deleteMany', {
		dryRun: false,
		limit: 10,
		filters: { filtersJson: typeof filter === 'string' ? filter : JSON.stringify(filter) },
		...more,
	});

/** The documents of a service, by their IDs, and what it answers to a deletion in place of doing it. */
export const onShelf =
	({ service }: Stage) =>
	(
		documents: Record<string, Json>,
		instead: (call: Call) => Said | undefined = () => undefined,
	): void => {
		service.answer = (call) => {
			const { line, id, query } = call;
			if (line === 'GET /documents') {
				const asked = query.getAll('ids');
				const ids = Object.keys(documents).filter(
					(one) => asked.length === 0 || asked.includes(one),
				);
				const results = ids.map((one) => ({ id: one, title: one, ...documents[one] }));
				return { body: { results, total_entries: results.length } };
			}
			if (line.startsWith('GET'))
				return id in documents ? { body: { results: { id, ...documents[id] } } } : NOT_FOUND;
			const said = instead(call);
			if (said) return said;
			if (!(id in documents)) return NOT_FOUND;
			delete documents[id];
			return { body: { results: { success: true } } };
		};
	};
