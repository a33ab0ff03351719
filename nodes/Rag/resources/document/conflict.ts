import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { answerProblem } from '../../../shared/http/errors';
import type { Answer, Reply } from '../../../shared/http/reply';
import { replyError } from '../../../shared/http/request';
import { contextError, withKnown, type OperationContext } from '../../../shared/operation/context';
import type { DocumentInput } from './createFields';
import { isChanged, type Identity } from './documentId';
import { findListed } from './listed';
import { ownerOf, sameDocument } from './owner';
import { findDocument } from './presence';
import { afterRefusal, firstVersion, type Version } from './versions';

/** Whether the service has a document with the same ID, name or text. */
export function isConflict(reply: Reply): reply is Answer {
	return reply.kind === 'answer' && reply.status === 409;
}

/**
 * The document that an upload has made although it is answered with a conflict; undefined for that of another execution.
 * @param isAgain whether an earlier try may have sent it: a conflict is then the proof that it did
 */
export async function findOwn(
	context: OperationContext,
	input: DocumentInput,
	documentId: string,
	isAgain: boolean,
): Promise<IDataObject | undefined> {
	// Skip calls it existing, whoever has made it
	if (input.ifExists === 'skip' && !isAgain) return undefined;
	const found = await findDocument(context, documentId).catch(() => undefined);
	const changed = found && (await isChanged(context, input, documentId, found, true));
	return changed === false || (isAgain && changed === null) ? found : undefined;
}

/**
 * The document that a conflict is about, as far as this item may skip or replace it. The response may name its ID; where it names
 * none, the list of documents shows one with the same identity, or name.
 * @throws the error of the conflict for any other document
 */
export async function conflictingVersion(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
	documentId: string,
	reply: Answer,
): Promise<Version> {
	const named = reply.text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi) ?? [];
	const current =
		(await firstVersion(context, input, [documentId, ...named])) ??
		(named.length === 0 ? await listedVersion(context, input, identity) : undefined);
	if (!current || input.ifExists === 'error')
		throw withKnown(replyError(context, reply), { document_id: current?.id ?? null });
	const { n8n_identity: key } = (current.document.metadata ?? {}) as IDataObject;
	const isOwn = identity.ids.includes(current.id) || key === identity.ids[0];
	if (input.ifExists === 'skip' && (isOwn || input.identity === 'fileName')) return current;
	if (!isOwn)
		throw contextError(
			context,
			{
				...answerProblem(409, reply.contentType, reply.text),
				description: `Document ${current.id} is not an earlier version of this one, so it is not replaced. Delete it (Document > Delete), or give this one another file name.`,
			},
			{ document_id: current.id },
		);
	const owner = await ownerOf(context, current.id);
	if (owner !== context.itemIndex) throw sameDocument(context, input, current.id, owner);
	return current;
}

/** The only document that a conflict without an ID can be about; undefined where there are several. */
async function listedVersion(
	context: OperationContext,
	input: DocumentInput,
	identity: Identity,
): Promise<Version | undefined> {
	const listed = await findListed(context, input, identity).catch(() => undefined);
	const [document, ...others] = listed ? [...listed.same, ...listed.unclear] : [];
	if (!document || others.length > 0) return undefined;
	const id = String(document.id);
	const changed =
		input.ifExists === 'error' ? null : await isChanged(context, input, id, document, true);
	return afterRefusal({ id, document, isChanged: changed });
}

/** The error of an item whose document is there already, before anything was sent. */
export function existsError(context: OperationContext, documentId: string): NodeApiError {
	return contextError(
		context,
		{
			...answerProblem(409, '', `Document ${documentId} already exists`),
			description: 'Nothing was sent. To skip or replace it, set If Exists in Options.',
		},
		{ document_id: documentId },
	);
}
