import type { NodeApiError } from 'n8n-workflow';
import { contextError, type OperationContext } from '../../../shared/operation/context';
import { openJournals } from '../../../shared/operation/journal';
import type { DocumentInput } from './createFields';
import { contentKey, identityOf } from './documentId';

/** The item of this execution that a document belongs to: Replace must not delete what another item, or an earlier try, has created. */
export async function ownerOf(context: OperationContext, documentId: string): Promise<number> {
	return await context.once(
		`document ${documentId}`,
		async () =>
			(await context.once('owners', async () => await owners(context))).get(documentId) ??
			context.itemIndex,
	);
}

async function owners(context: OperationContext): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	const journalOf = openJournals(context.functions);
	for (const [index, value] of context.inputs.entries()) {
		if (value === undefined) continue;
		const input = value as DocumentInput;
		const done = journalOf(index).results()?.[0]?.document_id;
		// A file that cannot be read fails its own item
		const ids = await identityOf(context, index, input).then(
			(identity) => identity.ids,
			() => [],
		);
		for (const one of [done, ...ids])
			if (typeof one === 'string' && !found.has(one)) found.set(one, index);
	}
	return found;
}

/** The error of an item whose document another item of this execution has created. */
export function sameDocument(
	context: OperationContext,
	input: DocumentInput,
	documentId: string,
	owner: number,
): NodeApiError {
	const contents = [input, context.inputs[owner] as DocumentInput].map(({ source }) =>
		JSON.stringify(contentKey(source)),
	);
	const isAlike = documentId !== input.documentId || contents[0] === contents[1];
	const [first, second] = [owner, context.itemIndex].sort((a, b) => a - b);
	return contextError(
		context,
		{
			message: `Items ${first} and ${second} of this execution are the same document: same file name, text or Document ID`,
			description: `Give one of them ${input.identity === 'key' ? 'another Document Key' : isAlike ? 'another file name or text' : 'its own Document ID'}.`,
		},
		{ document_id: documentId },
	);
}
