import { confirmAbsent, type Listing } from '../intelligence/retrieval/absence';
import { resultsOf } from '../intelligence/retrieval/envelope';
import { RAG } from '../intelligence/retrieval/paths';
import { parseAnswer } from '../shared/json';
import { isFalse, isRecord } from '../shared/guards';
import { ownWords, type NodeError } from '../shared/http/errors';
import { saysError } from '../shared/http/refusal';
import { isSuccess, type Answer, type Reply } from '../shared/http/reply';
import { replyError, send } from '../shared/http/request';
import { contextError, pause, type OperationContext } from '../shared/operation/context';
import { isConfirmed, isRejected, LOOK_PAUSES_MS } from '../shared/operation/sendOnce';

/** What fills a path. */
export type Ids = Record<string, string>;

/** What can be deleted, and where it would show. */
export interface DeletePath {
	path: string;
	/** The list that would have it; default: the one at the path without the last ID, whose entries have it as `id`. */
	listing?: (ids: Ids) => Listing;
	/** Whether a GET of the same path reads it. */
	hasDetails?: true;
}

/** What became of a deletion, for the output: done, or taken by the service, and not seen to be done. */
export type Deletion =
	| { deleted: true; already_gone: boolean }
	| { deleted: null; accepted: true; already_gone: false; hint: string };

/** For so long, in milliseconds, what was deleted may still show: a copy of the service is behind, or its work waits in a queue. */
const DELETE_LOOK_PAUSES_MS = LOOK_PAUSES_MS.slice(0, 3);

/**
 * Deletes one thing, and looks whether it is gone.
 * @returns `already_gone` where the service answers the first try with 404, and does not list it
 * @throws as {@link sendDeletion}
 */
export async function destroy(
	context: OperationContext,
	target: DeletePath,
	ids: Ids,
): Promise<Deletion> {
	const told = await sendDeletion(context, target, ids);
	if (told.already_gone) return told;
	const [seen] = await lookAt(context, target, [ids]);
	return asSeen(told, seen);
}

/**
 * Deletes one thing.
 * @returns what the service says, which may be a yes to what it does later or not at all
 * @throws the error of any other reply that is no success, or in which a flag says that it is kept
 */
export async function sendDeletion(
	context: OperationContext,
	{ path, listing = (params) => listingOf(path, params) }: DeletePath,
	ids: Ids,
): Promise<Deletion> {
	const reply = await send(context, {
		method: 'DELETE',
		path: `${RAG}${path}`,
		params: ids,
		retry: 'teardown',
	});
	const isNotFound = reply.kind === 'answer' && reply.status === 404;
	const no = noOf(context, reply);
	if (no && !isNotFound && !mayBeDone(reply)) throw no;
	if (no) await confirmAbsent(context, listing(ids), no);
	else if (reply.kind === 'answer' && reply.status === 202) return taken('takes it to do it later');
	// Where the answer of an earlier try is lost, the 404 is that to what it has deleted
	return { deleted: true, already_gone: isNotFound && !reply.isToRetry };
}

/** The error of a reply that is no yes. */
function noOf(context: OperationContext, reply: Reply): NodeError | undefined {
	if (!isConfirmed(reply)) return replyError(context, reply);
	const kept = keptIn(reply);
	if (kept === undefined) return undefined;
	return contextError(context, {
		message: `The service answered ${reply.status}, but says no: ${kept}`,
	});
}

/** Whether a no may be that to what an earlier try has deleted, whose answer is lost. */
function mayBeDone(reply: Reply): boolean {
	if (reply.kind !== 'answer' || !reply.isToRetry) return false;
	return isSuccess(reply.status) || isRejected(reply);
}

function taken(how: string): Deletion {
	const hint = `The service ${how}. Look again later (Get): until it shows no more, searches and answers may use it.`;
	return { deleted: null, accepted: true, already_gone: false, hint };
}

function listingOf(path: string, params: Ids): Listing {
	const [, above = '', name = ''] = /^(.*)\/\{(.*)\}$/.exec(path) ?? [];
	return { list: { path: above, params }, fields: { id: params[name] ?? '' } };
}

/** What a look shows of a thing; `unread` where a later one may show more, `hidden` where none will. */
export type Seen = 'gone' | 'shown' | 'unread' | 'hidden';

/**
 * Looks whether things show no more that the service says it has deleted.
 * @param pausesMs between the looks at what still shows
 */
export async function lookAt(
	context: OperationContext,
	target: DeletePath,
	things: Ids[],
	pausesMs: number[] = DELETE_LOOK_PAUSES_MS,
): Promise<Seen[]> {
	if (!target.hasDetails) return things.map(() => 'hidden');
	const seen = things.map((): Seen => 'unread');
	for (const pauseMs of [0, ...pausesMs]) {
		await pause(context, pauseMs);
		for (const [index, params] of things.entries()) {
			if (seen[index] === 'gone' || seen[index] === 'hidden') continue;
			const request = {
				method: 'GET' as const,
				path: `${RAG}${target.path}`,
				params,
				retry: 'idempotent' as const,
			};
			seen[index] = seenIn(await send(context, request));
		}
		if (!seen.some((one) => one === 'shown' || one === 'unread')) break;
	}
	return seen;
}

function seenIn(reply: Reply): Seen {
	if (reply.kind !== 'answer' || reply.status >= 500) return 'unread';
	if (reply.status === 404 || reply.status === 410) return 'gone';
	const content = isConfirmed(reply) ? resultsOf(parseAnswer(reply.text)) : undefined;
	// A conversation is read as the list of its messages, which may be empty before, too
	return isRecord(content) || (Array.isArray(content) && content.length > 0) ? 'shown' : 'hidden';
}

/** A deletion as it is seen. Where nothing can be seen, the word of the service counts. */
export function asSeen(told: Deletion, seen: Seen | undefined): Deletion {
	if (seen === 'shown') return taken('confirms the deletion, but still shows it');
	return seen === 'gone' && !told.deleted ? { deleted: true, already_gone: false } : told;
}

/**
 * Fields that tell whether a deletion was done, or how much was deleted. What goes with a thing is not among them: a document without
 * chunks has no `deleted_chunks`.
 */
const TELLING =
	/^(?:success|ok|(?:is|was|num|number|count|total)?_?(?:of_)?(?:deleted|removed)(?:_?(?:count|number|total|ids?|items?|objects?))?)$/i;

/** In words, the no in an answer to a deletion, in its envelope or in what that holds; undefined where there is none. */
export function keptIn({ text }: Answer): string | undefined {
	const answer = parseAnswer(text);
	const { data, results } = isRecord(answer) ? answer : {};
	const no = [answer, data, results].flat().filter(isRecord).find(saysKept);
	return no && (ownWords('', JSON.stringify({ ...no, detail: no.detail ?? no.reason })) || 'no');
}

/** Whether one field says that nothing was deleted, or that some of it was not, whatever is beside it. */
function saysKept(said: Record<string, unknown>): boolean {
	const isNothing = ([key, value]: [string, unknown]) => TELLING.test(key) && isNone(value);
	return saysError(said.failed) || Object.entries(said).some(isNothing);
}

function isNone(value: unknown): boolean {
	return Array.isArray(value) ? value.length === 0 : isFalse(value);
}
