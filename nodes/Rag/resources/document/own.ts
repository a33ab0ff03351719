import type { IDataObject } from 'n8n-workflow';
import type { OperationContext } from '../../../shared/operation/context';
import type { DocumentInput } from './createFields';
import { ownDigest, storedHash } from './documentId';
import { isRemoved } from './note';

/** Whether a document that has the ID of an upload may be what was uploaded, and is none that had the ID before. */
export async function mayBeOwn(
	context: OperationContext,
	{ source }: DocumentInput,
	document: IDataObject,
): Promise<boolean> {
	if (isRemoved(context, document)) return false;
	const hash = storedHash(document);
	return typeof hash !== 'string' || hash === (await ownDigest(context, source));
}
