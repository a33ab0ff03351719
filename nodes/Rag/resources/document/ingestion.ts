import type { IDataObject } from 'n8n-workflow';
import { delay, now } from '../../../shared/time';
import { flag, integer, readOption, type Option } from '../../../shared/operation/option';
import type { Parameters } from '../../../shared/operation/parameters';
import { contextError, type OperationContext } from '../../../shared/operation/context';
import { findDocument, findOrConfirmAbsent } from './presence';

/** How to wait for the ingestion of a document, in seconds. */
export interface Wait {
	pollInterval: number;
	timeout: number;
}

const pollInterval = integer({
	displayName: 'Poll Interval (Seconds)',
	name: 'pollInterval',
	limits: { min: 1 },
	default: 2,
	description: 'Seconds between status checks',
});

const timeout = integer({
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	limits: { min: 1 },
	default: 300,
	description: 'Maximum time to wait',
});

const waitUntilIngestedOption = flag({
	displayName: 'Wait Until Ingested',
	name: 'waitUntilIngested',
	description: 'Whether to wait until the document can be searched',
});

export const waitOptions: Option[] = [pollInterval, timeout, waitUntilIngestedOption];

/** A document that was there and then does not show so often in a row may be gone. */
const GONE_AFTER = 5;

/** How to wait, or undefined if the node does not wait. */
export function readWait(options: Parameters): Wait | undefined {
	const wait = {
		pollInterval: readOption(options, pollInterval) ?? 2,
		timeout: readOption(options, timeout) ?? 300,
	};
	return readOption(options, waitUntilIngestedOption) ? wait : undefined;
}

/** The ingestion status of a document in lower case. */
export function statusOf({ ingestion_status: status }: IDataObject): string {
	return String(status ?? 'unknown to the service').toLowerCase();
}

/**
 * Waits until a document is ingested (beyond-the-spec.md section 6 "Documents").
 * @param isIt tells it from one that had its ID before
 * @returns the document, its final status, the time in seconds, and each status with the seconds after which it was first seen
 * @throws where the ingestion failed or the time is over
 */
export async function waitUntilIngested(
	context: OperationContext,
	documentId: string,
	wait: Wait,
	isIt: (document: IDataObject) => Promise<boolean>,
): Promise<IDataObject & { document: IDataObject }> {
	const startedAt = now();
	const seconds = () => Math.round((now() - startedAt) / 1000);
	const progress: IDataObject[] = [];
	/** Looks since it was seen last; a copy that is behind may not show it yet. */
	let misses: number | undefined;
	for (;;) {
		const shown = await findDocument(context, documentId);
		const found = shown && (await isIt(shown)) ? shown : undefined;
		const status = found ? statusOf(found) : shown ? 'an earlier version' : 'not found (404)';
		misses = found ? 0 : (misses ?? -Infinity) + 1;
		if (progress.at(-1)?.ingestion_status !== status)
			progress.push({ ingestion_status: status, after_seconds: seconds() });
		if (status === 'success')
			return {
				document: found ?? {},
				ingestion_status: status,
				waited_seconds: seconds(),
				progress,
			};
		Object.assign(context.known, {
			document_id: documentId,
			ingestion_status: status,
			progress,
		});
		if (status === 'failed') {
			throw contextError(context, {
				message: `The service could not ingest document ${documentId}`,
				description:
					'Document > Get shows its details. To ingest it again, set If Exists to Replace.',
			});
		}
		if (misses >= GONE_AFTER) {
			// Where its list has it, or cannot be read, its details are behind
			const isThere = await findOrConfirmAbsent(context, documentId).then(Boolean, () => true);
			if (!isThere)
				throw contextError(context, {
					message: `Document ${documentId} was deleted while it was ingested`,
					description: 'Another execution may have replaced it. Execute the node again.',
				});
			misses = 0;
		}
		const left = wait.timeout * 1000 - (now() - startedAt);
		if (left <= 0) {
			throw contextError(context, {
				message: `Document ${documentId} was still "${status}" after ${wait.timeout} seconds`,
				description:
					'The service continues to ingest it. Increase Timeout, or check later with Document > Get.',
			});
		}
		await delay(Math.min(wait.pollInterval * 1000, left), context.signal);
	}
}
