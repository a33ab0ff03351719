import type { IDataObject } from 'n8n-workflow';
import { replyError, objectOf, send } from '../../../shared/http/request';
import { delay, now } from '../../../shared/time';
import { flag, integer, readOption, type Option } from '../../../shared/operation/option';
import type { Parameters } from '../../../shared/operation/parameters';
import { itemOf } from '../../envelope';
import { RAG } from '../../paths';
import { type OperationContext, contextError } from '../../../shared/operation/context';

/** How long to wait until a document can be found, in seconds. */
export interface Wait {
	pollInterval: number;
	timeout: number;
}

const pollInterval = integer({
	displayName: 'Poll Interval (Seconds)',
	name: 'pollInterval',
	limits: { min: 1 },
	default: 2,
	description: 'Time between two looks while waiting',
});

const timeout = integer({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	limits: { min: 1 },
	default: 300,
	description: 'How long to wait at most',
});

const waitUntilIngestedOption = flag({
	displayName: 'Wait Until Ingested',
	name: 'waitUntilIngested',
	description: 'Whether to wait until a search can find the document',
});

export const waitOptions: Option[] = [pollInterval, timeout, waitUntilIngestedOption];

/** How long to wait, or undefined where the node is not to wait. */
export function readWait(options: Parameters): Wait | undefined {
	const wait = {
		pollInterval: readOption(options, pollInterval) ?? 2,
		timeout: readOption(options, timeout) ?? 300,
	};
	return readOption(options, waitUntilIngestedOption) ? wait : undefined;
}

/** `GET /documents/{id}`; undefined when the service does not have it. */
export async function findDocument(
	context: OperationContext,
	documentId: string,
): Promise<IDataObject | undefined> {
	const reply = await send(context, {
		method: 'GET',
		path: `${RAG}/documents/{documentId}`,
		params: { documentId },
		retry: 'idempotent',
	});
	if (reply.kind === 'answer' && reply.status === 404) return undefined;
	return itemOf(objectOf(context, reply));
}

/** Waits until a document is ingested, and tells which states it went through (beyond-the-spec.md section 6 "Documents"). */
export async function waitUntilIngested(
	context: OperationContext,
	documentId: string,
	wait: Wait,
): Promise<IDataObject> {
	const startedAt = now();
	const seconds = () => Math.round((now() - startedAt) / 1000);
	const progress: IDataObject[] = [];
	for (;;) {
		const status = String(
			(await findDocument(context, documentId))?.ingestion_status ?? 'unknown to the service',
		);
		if (progress.at(-1)?.ingestion_status !== status)
			progress.push({ ingestion_status: status, after_seconds: seconds() });
		if (status === 'success')
			return { ingestion_status: status, waited_seconds: seconds(), progress };
		const known = { document_id: documentId, ingestion_status: status, progress };
		if (status === 'failed') {
			throw contextError(
				context,
				{
					message: `The service could not ingest document ${documentId}`,
					description:
						'See Document > Get for what is known of it. If Exists > Replace ingests it anew.',
				},
				known,
			);
		}
		const left = wait.timeout * 1000 - (now() - startedAt);
		if (left <= 0) {
			throw contextError(
				context,
				{
					message: `Document ${documentId} was still "${status}" after ${wait.timeout} seconds`,
					description:
						'The service goes on with it. Wait longer (Timeout), or look later with Document > Get.',
				},
				known,
			);
		}
		await delay(Math.min(wait.pollInterval * 1000, left), context.signal);
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
	}
}
