import type { IDataObject } from 'n8n-workflow';
import { create } from '../../nodes/Rag/resources/document/create.ts';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import { digestOf, identityOf } from '../../nodes/Rag/resources/document/documentId.ts';
import { contextOf, textInput } from './rag-parts.mts';
import { outcomeOf, Uploads } from './rag-service.mts';

/** A document that is told by a key, so that two IDs are its own. */
export const keyed = (ifExists: DocumentInput['ifExists'], more: Partial<DocumentInput> = {}) =>
	textInput('text', { ifExists, identity: 'key', key: 'k', ...more });

/** What becomes of the document of an item at a service. */
export async function creation(input: DocumentInput, service = new Uploads()) {
	const context = await contextOf({ documents: service, inputs: [input] });
	const { ids } = await identityOf(context, 0, input);
	const [first = '', second = ''] = ids;
	const hash = await digestOf(context, input.source);
	const run = async () => (await create.run(context, input))[0] as IDataObject;
	const fails = async () => (await outcomeOf(run())).error;
	return { service, context, run, fails, first, second, hash };
}
