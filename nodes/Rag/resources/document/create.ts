import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { answerProblem } from '../../../shared/http/errors';
import { knownError, withKnown, type Call } from '../../../shared/operation/execute';
import { openJournal } from '../../../shared/operation/journal';
import { parseJson } from '../../../shared/json';
import { causeOf, PATIENCE_MS, wasDone, wasRefused } from '../../../shared/operation/outcome';
import type { Operation } from '../../../shared/operation/operation';
import { failure, type Outcome } from '../../../shared/http/request';
import { delay } from '../../../shared/time';
import { isRecord } from '../../../shared/operation/parameters';
import { itemOf } from '../../envelope';
import { documentFields, readDocument, type DocumentInput } from './fields';
import { findDocument, waitUntilIngested } from './ingestion';
import { destroy, WRITES_AT_ONCE } from '../../crud';
import { contentKey, derivedId, upload } from './upload';

/**
 * `POST /documents`. The node chooses the document's id, so that what became of a lost answer can be looked up exactly,
 * and the same id is sent again in the next try: no document is ingested twice.
 */
export const create: Operation<DocumentInput> = {
	value: 'create',
	name: 'Create',
	action: 'Create a document',
	description: 'Ingest a document from a file, a text or chunks, so that it can be searched',
	effect: 'write',
	atOnce: WRITES_AT_ONCE,
	triesAll: true,
	names: ['document_id'],
	fields: documentFields,
	input: readDocument,
	async run(call, input) {
		try {
			if (call.signal?.aborted) throw failure(call, { kind: 'cancelled' });
			const created = await ingest(call, input);
			if (!input.wait) return [created];
			const { document_id: sent, ...noted } = call.journal.open() ?? {};
			// A service may have chosen an ID of its own, by which a retry has to find the document
			call.journal.note({
				...noted,
				...(sent !== undefined && { document_id: created.document_id }),
				is_stored: true,
			});
			return [
				{ ...created, ...(await waitUntilIngested(call, String(created.document_id), input.wait)) },
			];
		} catch (error) {
			throw withDeleted(call, error as NodeApiError);
		}
	},
};

/** Says in an error that the earlier document is gone, also where an earlier try has deleted it; not where the new one is in and only takes its time. */
function withDeleted(call: Call, thrown: NodeApiError): NodeApiError {
	const id = deleted(call);
	// n8n's own errors, of a file that is gone, have no context
	const error = thrown.context ? thrown : knownError(call, { message: thrown.message }, {});
	const known: IDataObject = {
		...(error.context.known as IDataObject | undefined),
		replaced_deleted: id,
	};
	if (id === undefined || (call.journal.open()?.is_stored && known.ingestion_status !== 'failed'))
		return thrown;
	error.message = `${error.message.replace(/\.$/, '')}. The earlier document was deleted already`;
	if (call.signal?.aborted) call.log(error.message, known);
	return withKnown(error, known);
}

function deleted({ journal }: Call): IDataObject['x'] {
	return journal.open()?.replaced_deleted;
}

/** The service has nothing of the document: the next run may send it. */
function mayBeSent(call: Call): void {
	call.journal.note({ replaced_deleted: deleted(call) });
}

async function ingest(call: Call, input: DocumentInput): Promise<IDataObject> {
	const sentBefore = call.journal.open()?.document_id;
	const documentId =
		typeof sentBefore === 'string' ? sentBefore : await idOf(call, call.itemIndex, input);
	const owner = await ownerOf(call, documentId);
	if (owner !== call.itemIndex && input.ifExists !== 'skip')
		throw sameDocument(call, input, documentId, owner);
	const earlier = await findDocument(call, documentId);
	// What failed stays failed: Replace sends it anew, as its error advises
	const isLeft = input.ifExists === 'replace' && earlier?.ingestion_status === 'failed';
	if (earlier && sentBefore !== undefined && !isLeft)
		return described(documentId, earlier, { recovered: true });
	if (earlier && input.ifExists !== 'replace') return keepEarlier(call, input, documentId, earlier);
	const outcome = await replace(call, input, documentId, earlier && documentId);
	if (outcome.kind !== 'answer' || outcome.status !== 409)
		return await concluded(call, documentId, outcome);
	const found = await findDocument(call, documentId);
	if (found && sentBefore !== undefined) return described(documentId, found, { recovered: true });
	mayBeSent(call);
	return await resolveConflict(call, input, documentId, found, outcome);
}

async function idOf(call: Call, itemIndex: number, input: DocumentInput): Promise<string> {
	return (
		input.documentId ??
		(await call.once(`id of ${itemIndex}`, async () => await derivedId(call, input)))
	);
}

/** The item of this run that a document belongs to: Replace must not delete what another item, or an earlier try, has put there. */
async function ownerOf(call: Call, documentId: string): Promise<number> {
	return await call.once(
		`document ${documentId}`,
		async () =>
			(await call.once('owners', async () => await owners(call))).get(documentId) ?? call.itemIndex,
	);
}

async function owners(call: Call): Promise<Map<string, number>> {
	const found = new Map<string, number>();
	for (const [index, value] of call.inputs.entries()) {
		if (value === undefined) continue;
		const input = value as DocumentInput;
		const done = openJournal(call.ctx, index).results()?.[0]?.document_id;
		// A file that cannot be read fails its own item
		const id = await idOf(call, index, input).catch(() => undefined);
		for (const one of [done, id])
			if (typeof one === 'string' && !found.has(one)) found.set(one, index);
	}
	return found;
}

/** Success, an answer that is lost or says nothing and is looked after, or the service's refusal. */
async function concluded(call: Call, documentId: string, outcome: Outcome): Promise<IDataObject> {
	const answer =
		wasDone(outcome) && outcome.kind === 'answer' ? parseJson(outcome.text) : undefined;
	if (isRecord(answer)) {
		const created = { document_id: documentId, ...itemOf(answer) };
		// A service may choose an ID of its own
		await call.once(`document ${String(created.document_id)}`, async () => call.itemIndex);
		return created;
	}
	if (!wasRefused(outcome)) return await findLost(call, documentId, outcome);
	mayBeSent(call);
	throw withKnown(failure(call, outcome), { document_id: documentId });
}

async function findLost(call: Call, documentId: string, outcome: Outcome): Promise<IDataObject> {
	let problem = 'the service does not have it';
	for (const pauseMs of [0, ...PATIENCE_MS]) {
		await delay(pauseMs, call.signal);
		if (call.signal?.aborted) {
			call.log('Cancelled while a document was uploaded: the service may have it.', {
				document_id: documentId,
			});
			throw failure(call, { kind: 'cancelled' });
		}
		try {
			const found = await findDocument(call, documentId);
			if (found) return described(documentId, found, { recovered: true });
		} catch (error) {
			problem = `it could not be looked up: ${(error as Error).message}`;
		}
	}
	throw knownError(
		call,
		{
			message: `Document ${documentId}: outcome unknown. ${causeOf(outcome)}, and ${problem}`,
			description:
				'Run the node again (Retry On Fail does): it looks for this ID first and sends only what is not there.',
		},
		{ document_id: documentId, outcome: 'unknown' },
	);
}

/** Of a hostile answer with thousands. */
const MOST_IDS = 5;

/** The service has the same ID, file name or text, and it is not from this execution; its answer may name the ID. */
async function resolveConflict(
	call: Call,
	input: DocumentInput,
	documentId: string,
	found: IDataObject | undefined,
	outcome: Outcome,
): Promise<IDataObject> {
	const ids =
		outcome.kind === 'answer'
			? (outcome.text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi) ?? [])
			: [];
	let [existingId, existing] = [documentId, found];
	// They may be IDs of a collection or a task
	for (const id of [...new Set(ids)].slice(0, MOST_IDS)) {
		if (existing) break;
		[existingId, existing] = [id, await findDocument(call, id).catch(() => undefined)];
	}
	if (!existing || input.ifExists === 'error')
		throw withKnown(failure(call, outcome), { document_id: existing ? existingId : null });
	if (input.ifExists !== 'replace') return keepEarlier(call, input, existingId, existing);
	const owner = await ownerOf(call, existingId);
	if (owner !== call.itemIndex) throw sameDocument(call, input, existingId, owner);
	return {
		...(await concluded(call, documentId, await replace(call, input, documentId, existingId))),
		replaced: existingId,
	};
}

function keepEarlier(
	call: Call,
	{ ifExists }: DocumentInput,
	documentId: string,
	document: IDataObject,
): IDataObject {
	if (ifExists === 'skip') return described(documentId, document, { existing: true });
	throw existsError(call, documentId);
}

/** Uploads the document, once an earlier one is deleted. */
async function replace(
	call: Call,
	input: DocumentInput,
	documentId: string,
	earlierId: string | undefined,
): Promise<Outcome> {
	return await upload(call, input, documentId, async () => {
		if (earlierId !== undefined) {
			await destroy(call, '/documents/{id}', { id: earlierId }).catch((error: NodeApiError) => {
				throw withKnown(error, { document_id: earlierId });
			});
		}
		// One of this execution whose ingestion failed is no earlier document
		const isOwn = earlierId === call.journal.open()?.document_id;
		call.journal.note({
			document_id: documentId,
			replaced_deleted: (isOwn ? undefined : earlierId) ?? deleted(call),
		});
	});
}

function described(documentId: string, document: IDataObject, more: IDataObject): IDataObject {
	return {
		document_id: documentId,
		title: document.title ?? null,
		ingestion_status: document.ingestion_status ?? null,
		...more,
	};
}

function existsError(call: Call, documentId: string): NodeApiError {
	return knownError(
		call,
		{
			...answerProblem(409, '', `Document ${documentId} already exists`),
			description: 'Nothing was sent. Choose under Options > If Exists to skip or to replace it.',
		},
		{ document_id: documentId },
	);
}

function sameDocument(
	call: Call,
	input: DocumentInput,
	documentId: string,
	owner: number,
): NodeApiError {
	const contents = [input, call.inputs[owner] as DocumentInput].map(({ source }) =>
		JSON.stringify(contentKey(source)),
	);
	const isAlike = documentId !== input.documentId || contents[0] === contents[1];
	const [first, second] = [owner, call.itemIndex].sort((a, b) => a - b);
	return knownError(
		call,
		{
			message: `Items ${first} and ${second} of this run are the same document: same file name, text or Document ID`,
			description: isAlike
				? 'Give one of them another file name or text.'
				: 'Give one of them a Document ID of its own.',
		},
		{ document_id: documentId },
	);
}
