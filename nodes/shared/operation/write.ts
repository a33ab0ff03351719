import { isPage } from '../http/errors';
import { knownError, type Call } from './execute';
import { parseJson } from '../json';
import { causeOf, wasDone, wasRefused } from './outcome';
import { failure, send, type ApiRequest } from '../http/request';

/**
 * Sends a write that cannot be looked up afterwards at most once for this item of this execution: when its outcome is
 * unknown, the item fails and says so, and n8n's Retry On Fail does not send it again.
 * @param what what it does, for the message: `Create of collection "manuals"`
 * @returns the parsed answer; undefined where a 2xx has none, which is a success too (a web page is no answer of the service)
 */
export async function writeOnce(
	call: Call,
	spec: Omit<ApiRequest, 'retry'>,
	what: string,
): Promise<unknown> {
	if (call.journal.open()) throw unknownOutcome(call, what, causeOf(undefined));
	call.journal.note({ what });
	const outcome = await send(call, { ...spec, retry: 'once' });
	if (wasDone(outcome)) {
		if (outcome.kind !== 'answer') return undefined;
		if (!isPage(outcome.contentType, outcome.text)) return parseJson(outcome.text);
	}
	if (wasRefused(outcome)) {
		call.journal.clear();
		throw failure(call, outcome);
	}
	if (outcome.kind === 'cancelled') {
		call.log(`Cancelled while this was under way: ${what}. The service may have done it.`, {
			what,
		});
		throw failure(call, outcome);
	}
	throw unknownOutcome(call, what, causeOf(outcome));
}

function unknownOutcome(call: Call, what: string, cause: string) {
	return knownError(
		call,
		{
			message: `${what}: outcome unknown. ${cause}`,
			description:
				'The service may have done it. Look for it (Get Many) before you run this again. This item does not send it again.',
		},
		{ outcome: 'unknown' },
	);
}
