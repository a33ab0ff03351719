import type { IBinaryData } from 'n8n-workflow';
import type { DocumentInput } from '../../nodes/Rag/resources/document/createFields.ts';
import { digestOf, identityOf } from '../../nodes/Rag/resources/document/documentId.ts';
import { contextOf, textInput, type Documents } from './rag-parts.mts';

export const CONTENT = 'text';

/** An item whose document is a file of that name and content. */
export const fileInput = (fileName: string, more: Partial<DocumentInput> = {}): DocumentInput => ({
	...textInput('', more),
	source: {
		file: {
			fileName,
			mimeType: 'text/plain',
			data: Buffer.from(CONTENT).toString('base64'),
		} as IBinaryData,
	},
	identity: 'fileName',
	...more,
});

/** What an item gets for this input. */
export async function scene(
	documents: Documents,
	input: DocumentInput,
	inputs = [input],
	itemIndex = 0,
) {
	const context = await contextOf({ documents, inputs, itemIndex });
	const identity = await identityOf(context, itemIndex, input);
	const hash = await digestOf(context, input.source);
	const [key = ''] = identity.ids;
	return { context, identity, hash, key, input };
}
