import { isPage } from '../http/errors';
import { parseJson } from '../json';
import { describeCause, isAccepted, isRejected } from './outcome';
import { replyError, send, type ApiRequest } from '../http/request';
import { type OperationContext, contextError } from './context';

/**
 * Sends a write that cannot be looked up afterwards at most once for this item of this execution: when its outcome is
 * unknown, the item fails and says so, and n8n's Retry On Fail does not send it again.
 * @param what what it does, for the message: `Create of collection "manuals"`
 * @returns the parsed answer; undefined where a 2xx has none, which is a success too (a web page is no answer of the service)
 */
export async function writeOnce(
	context: OperationContext,
	spec: Omit<ApiRequest, 'retry'>,
	what: string,
): Promise<unknown> {
	if (context.journal.intent()) throw unknownOutcome(context, what, describeCause(undefined));
	context.journal.note({ what });
	const reply = await send(context, { ...spec, retry: 'ifUnsent' });
	if (isAccepted(reply)) {
		if (reply.kind !== 'answer') return undefined;
		if (!isPage(reply.contentType, reply.text)) return parseJson(reply.text);
	}
	if (isRejected(reply)) {
		context.journal.clear();
		throw replyError(context, reply);
	}
	if (reply.kind === 'cancelled') {
		context.log(`Cancelled while this was under way: ${what}. The service may have done it.`, {
			what,
		});
		throw replyError(context, reply);
	}
	throw unknownOutcome(context, what, describeCause(reply));
}

function unknownOutcome(context: OperationContext, what: string, cause: string) {
	return contextError(
		context,
		{
			message: `${what}: outcome unknown. ${cause}`,
			description:
				'The service may have done it. Look for it (Get Many) before you run this again. This item does not send it again.',
		},
		{ outcome: 'unknown' },
	);
}
