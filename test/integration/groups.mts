import type { IDataObject } from 'n8n-workflow';
import { beforeEach } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag } from '../engine/nodes.mts';
import { jsonOf, onlyJson } from '../engine/results.mts';

/** The parameters of a list without a limit. */
export const ALL = { returnAll: true };

/** The resources of the RAG node, where every test finds one document and the collection that the service has made. */
export function useGroups() {
	const fixture = useFixture();

	const run = async (
		resource: string,
		operation: string,
		parameters: IDataObject = {},
		settings = {},
	) => await fixture.run(rag(resource, operation, parameters, settings));
	const one = async (resource: string, operation: string, parameters: IDataObject = {}) =>
		onlyJson(await run(resource, operation, parameters));
	const many = async (resource: string, operation = 'getAll', parameters: IDataObject = ALL) =>
		jsonOf(await run(resource, operation, parameters));

	let documentId: IDataObject['x'];
	let collectionId: IDataObject['x'];
	beforeEach(async () => {
		({ document_id: documentId } = await one('document', 'create', {
			source: 'rawText',
			rawText: 'In the evening Anna meets Boris in Cologne.\n\nBoats lie there.',
			additionalFields: { runWithOrchestration: false },
		}));
		collectionId = (await many('collection'))[0]?.id;
	});

	return {
		fixture,
		run,
		one,
		many,
		get documentId() {
			return documentId;
		},
		get collectionId() {
			return collectionId;
		},
	};
}
