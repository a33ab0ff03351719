import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { RunOptions } from '../engine/engine.mts';
import type { Fixture } from '../engine/fixture.mts';
import { rag } from '../engine/nodes.mts';
import { jsonOf } from '../engine/results.mts';

/** The upload of a document. */
export const CREATE = { method: 'POST', path: /\/documents$/ };
export const REPLACE = { ifExists: 'replace' };
export const AT_ONCE = { additionalFields: { runWithOrchestration: false } };

/** What tests of documents do with the service of a fixture. */
export function documentsOf(fixture: Fixture) {
	const run = async (operation: string, parameters: IDataObject, settings = {}) =>
		await fixture.run(rag('document', operation, parameters, settings));
	const createFrom = async (
		items: INodeExecutionData[],
		parameters: IDataObject = {},
		settings = {},
		options: RunOptions = {},
	) =>
		await fixture.engine.runItems(
			rag(
				'document',
				'create',
				{ source: 'file', binaryPropertyName: 'data', ...AT_ONCE, ...parameters },
				settings,
			),
			items,
			options,
		);
	const createText = async (rawText: string, parameters: IDataObject = {}, settings = {}) =>
		await run('create', { source: 'rawText', rawText, ...AT_ONCE, ...parameters }, settings);
	const deletions = () => fixture.sent('DELETE', /./);
	const uploads = () => fixture.sent('POST', CREATE.path);
	const stored = async () => jsonOf(await run('getAll', { returnAll: true }));
	const chunksOf = async (documentId: IDataObject['x']) =>
		jsonOf(await run('getChunks', { documentId, returnAll: true })).map(({ text }) => text);
	return { run, createFrom, createText, deletions, uploads, stored, chunksOf };
}
