import { isPage, ownWords } from '../shared/http/errors';
import type { Answer, Reply } from '../shared/http/reply';
import { isRejected } from '../shared/operation/sendOnce';

/** What a 404 of the service itself may be about. */
const OWN_THINGS =
	/hardware|gpu|location|node.?pool|replica|\bvms?\b|container|deployment|cluster|image|stock|sold.?out|capacity/i;

/**
 * Whether a purchase was certainly refused. A gateway answers 404 as well, also one that has passed the request on, while its routes
 * change: only one that names what it is about is the service's, and no path that was asked for counts as that.
 */
export function isClearNo(reply: Reply): boolean {
	return reply.kind === 'answer' && reply.status === 404 ? namesThing(reply) : isRejected(reply);
}

/** Whether the service says that it does not know what was asked for (any more), which a gateway without a way to it does not. */
export function isUnknownToService(reply: Reply): boolean {
	return reply.kind === 'answer' && [404, 410].includes(reply.status) && namesThing(reply);
}

function namesThing({ contentType, text }: Answer): boolean {
	const words = ownWords(contentType, text).replace(/\S*\/\S*/g, '');
	return !isPage(contentType, text) && OWN_THINGS.test(words);
}

/** Words for what the service has done, or is about to do, already. */
const KNOWN =
	/\bexists?\b|already|duplicat|repeat|progress|process|pending|conflict|unique|name.*(taken|in use)|name (is )?not available/i;

/**
 * Whether a no may be that to the second try of a proxy, the first of which was done: the service knows the request, or what it made.
 * A page is the proxy's own.
 */
export function mayBeDone(reply: Reply): boolean {
	if (reply.kind !== 'answer') return false;
	const { status, contentType, text } = reply;
	if (isPage(contentType, text)) return status !== 429;
	if (![400, 409, 422].includes(status)) return false;
	const words = ownWords(contentType, text);
	return words === '' ? status === 409 : KNOWN.test(words);
}
