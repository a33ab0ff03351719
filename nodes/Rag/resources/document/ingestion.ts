import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { replyError, objectOf, send } from '../../../shared/http/request';
import { delay, now } from '../../../shared/time';
import type { Parameters } from '../../../shared/operation/parameters';
import { itemOf } from '../../envelope';
import { RAG } from '../../paths';
import { type OperationContext, contextError } from '../../../shared/operation/context';

/** How long to wait until a document can be found, in seconds. */
export interface Wait {
	pollInterval: number;
	timeout: number;
}

export const waitFields: INodeProperties[] = [
	{
		displayName: 'Poll Interval (Seconds)',
		name: 'pollInterval',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 2,
		description: 'Time between two looks while waiting',
	},
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description: 'How long to wait at most',
	},
	{
		displayName: 'Wait Until Ingested',
		name: 'waitUntilIngested',
		type: 'boolean',
		default: true,
		description: 'Whether to wait until a search can find the document',
	},
];

export function readWait(options: Parameters): Wait | undefined {
	const wait = {
		pollInterval: options.optionalInteger('pollInterval', { min: 1 }) ?? 2,
		timeout: options.optionalInteger('timeout', { min: 1 }) ?? 300,
	};
	return options.flag('waitUntilIngested') ? wait : undefined;
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
	{ pollInterval, timeout }: Wait,
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
		const left = timeout * 1000 - (now() - startedAt);
		if (left <= 0) {
			throw contextError(
				context,
				{
					message: `Document ${documentId} was still "${status}" after ${timeout} seconds`,
					description:
						'The service goes on with it. Wait longer (Timeout), or look later with Document > Get.',
				},
				known,
			);
		}
		await delay(Math.min(pollInterval * 1000, left), context.signal);
		if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
	}
}
