import type { IDataObject } from 'n8n-workflow';
import { isPage } from '../http/errors';
import { refusalIn } from '../http/refusal';
import type { Answer, Reply } from '../http/reply';
import { replyError, send, type ApiRequest } from '../http/request';
import { parseAnswer } from '../json';
import { delay } from '../time';
import { describeCause, endOf, isAccepted } from './cause';
import { contextError, type OperationContext } from './context';

/**
 * The only way to send what costs money or cannot be undone. The service has no idempotency key (compute-api.md
 * "Deploy VMs"), n8n's Retry On Fail runs a node again, and any answer can get lost. So the intent is noted in the
 * execution before it is sent, it is sent once, and an unclear outcome is looked up at the service instead of sent again.
 */
export interface Intent {
	/** What is sent, for messages: `Deploy of "job"`. */
	what: string;
	/**
	 * What is noted before sending, from which a later try builds this intent again: IDs, names and hashes, no secrets. `isUnique`
	 * says that what shows can be nobody else's.
	 */
	note: IDataObject;
	/** What errors and n8n's log say of it, by the names of the output. */
	facts: IDataObject;
	/** Whether the service says that it did it; default {@link isConfirmed}. */
	isYes?(reply: Reply): boolean;
	/** Whether the service says that it did not; default {@link isRejected}. */
	isNo?(reply: Reply): boolean;
	/** Whether a no may be that to the second try of a proxy, the first of which was done: it is looked for as after a lost answer. */
	mayBeDone?(reply: Reply): boolean;
	/** The output item, where the reply alone proves what was made. */
	proof(reply: Reply): IDataObject | undefined;
	/** How the outcome is looked up, or in words why it cannot be; absent where the service offers no way. */
	evidence?: Lookup | string;
	/** After the message of an unknown outcome, since an AI agent gets the message alone. */
	warning?: string;
	/** What to do about an unknown outcome. */
	advice: string;
	/** What n8n's log says when the execution is cancelled meanwhile. */
	cancelled: string;
}

export interface Lookup {
	/** What is read: `the list of deployments`. */
	source: string;
	/** Reads once. */
	look(): Promise<Evidence>;
}

/**
 * What one look at the service shows; `absent` only where it would show if it had been made. Of one that is not made,
 * `item` is what is there all the same, and `mayBeIt` says that this is new.
 */
export type Evidence =
	| { state: 'made'; item: IDataObject }
	| { state: 'absent' | 'unknown'; problem: string; item?: IDataObject; mayBeIt?: boolean };

/** How an intent ended; an unknown outcome is an error. */
export type Outcome =
	/** It was made; the item has `recovered: true` where it had to be looked up. */
	| { state: 'made'; item: IDataObject; reply?: Reply }
	/** The service says yes, but shows nothing of it. */
	| { state: 'confirmed'; reply: Reply; problem: string; item?: IDataObject }
	/** The service says no, or nothing was sent. */
	| { state: 'rejected'; reply: Reply };

/**
 * Pauses in milliseconds between looks for what does not show, two minutes in all: lists and details may be read from a copy
 * that is behind.
 */
export const LOOK_PAUSES_MS = [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];

/**
 * Milliseconds after which an intent that does not show is taken for never made: the request waited two minutes for its
 * answer at most, and nothing must be held up without end.
 */
export const ASSUME_ABSENT_AFTER_MS = 900_000;

/** What is still sent after an unknown outcome, for the advice of a purchase. */
export const NOT_SENT_AGAIN =
	'It is sent again only after 15 minutes, by a retry or another item, if it still does not show.';

/**
 * Notes an intent, sends it at most once, and finds out what became of it.
 * @param request sends; it must use the retry policy `ifUnsent` or `never`
 * @throws the error "outcome unknown" with the facts of the intent; the note stays, so a retry by n8n looks first
 */
export async function sendOnce(
	context: OperationContext,
	intent: Intent,
	request: () => Promise<Reply>,
): Promise<Outcome> {
	context.journal.note(intent.note);
	const reply = await request();
	const item = intent.proof(reply);
	if (item) return { state: 'made', item, reply };
	if ((intent.isYes ?? isConfirmed)(reply)) {
		const evidence = await lookUp(context, intent, LOOK_PAUSES_MS);
		if (evidence.state === 'made') return { ...evidence, reply };
		return { ...evidence, state: 'confirmed', reply };
	}
	if (!(intent.isNo ?? isRejected)(reply))
		return { state: 'made', item: await reconcile(context, intent, reply) };
	// A gateway may have sent the request twice: then the no is that to its second try
	intent.note.isRefused = intent.note.isUnique !== true;
	const mayBeDone = intent.mayBeDone?.(reply) === true;
	const pausesMs = mayBeDone ? LOOK_PAUSES_MS : [];
	if (reply.kind === 'unsent' || isNo(await lookUp(context, intent, pausesMs), mayBeDone)) {
		context.journal.clear();
		return { state: 'rejected', reply };
	}
	return { state: 'made', item: await reconcile(context, intent, reply) };
}

/**
 * Whether a no stays one: nothing shows that may be what was refused, and the looks for it came to their end. One that may be done
 * all the same needs a look that could be read.
 */
function isNo(evidence: Looked, mayBeDone: boolean): boolean {
	if (evidence.isBrokenOff || (mayBeDone && evidence.isUnread)) return false;
	return evidence.state !== 'made' && !evidence.mayBeIt;
}

/**
 * Finds out what became of an intent whose answer is not known.
 * @param reply undefined for an intent that an earlier try or another call has noted
 * @returns the item, with `recovered: true`
 * @throws as {@link sendOnce}
 */
export async function reconcile(
	context: OperationContext,
	intent: Intent,
	reply?: Reply,
): Promise<IDataObject> {
	const evidence =
		reply?.kind === 'cancelled' ? undefined : await lookUp(context, intent, LOOK_PAUSES_MS);
	const { facts, note } = intent;
	if (reply) note.ended = endOf(reply);
	// After a no, what shows may as well be somebody else's: it is neither passed on nor bought again
	if (evidence?.state === 'made' && !note.isRefused) return { ...evidence.item, recovered: true };
	if (context.signal?.aborted || reply?.kind === 'cancelled') {
		context.log(intent.cancelled, facts);
		throw replyError(context, { kind: 'cancelled' });
	}
	const shown = Object.keys(facts).map((key) => evidence?.item?.[key]);
	const problem =
		evidence?.state === 'made' ? `it shows all the same (${shown.join(', ')})` : evidence?.problem;
	const cause = [describeCause(reply, note), problem].filter(Boolean).join(', and ');
	throw contextError(
		context,
		{
			message: [`${intent.what}: outcome unknown. ${cause}`, intent.warning]
				.filter(Boolean)
				.join('. '),
			description: intent.advice,
		},
		{ ...facts, outcome: 'unknown' },
	);
}

/**
 * Finds out what became of the intent that an earlier try of this item has noted.
 * @returns the item, or undefined where it was certainly never made, so that it may be sent
 * @throws as {@link sendOnce}, for a quarter of an hour
 */
export async function reconcileOwn(
	context: OperationContext,
	intent: Intent,
): Promise<IDataObject | undefined> {
	if (!(await wasNeverMade(context, context.journal, intent)))
		return await reconcile(context, intent);
	context.journal.clear();
	return undefined;
}

async function wasNeverMade(
	context: OperationContext,
	journal: OperationContext['journal'],
	intent: Intent,
): Promise<boolean> {
	if (journal.ageMs() <= ASSUME_ABSENT_AFTER_MS) return false;
	return (await lookUp(context, intent, [])).state === 'absent';
}

/**
 * Finds out what became of the intents of other items and calls of this execution that mean the same thing: it may not
 * show yet, and an AI agent repeats a call that failed.
 * @param intentOf the intent of a note, or undefined where the note is of something else
 * @returns what they have made, the last one first
 * @throws while the outcome of one is unknown, for a quarter of an hour
 */
export async function reconcileOthers(
	context: OperationContext,
	intentOf: (note: IDataObject) => Intent | undefined,
): Promise<Array<{ intent: Intent; item: IDataObject }>> {
	const made: Array<{ intent: Intent; item: IDataObject }> = [];
	for (const other of context.journal.others()) {
		const intent = intentOf(other.intent() ?? {});
		if (!intent) continue;
		if (await wasNeverMade(context, other, intent)) {
			other.clear();
			continue;
		}
		const item = await reconcile(context, intent);
		other.done([item]);
		made.unshift({ intent, item });
	}
	return made;
}

/** What all looks have shown; neither those that a cancel has broken off nor those that all failed have shown that it is not there. */
type Looked = Evidence & { isBrokenOff?: true; isUnread?: boolean };

/** Looks until it shows, with pauses; a look that fails is followed by the next. */
async function lookUp(
	context: OperationContext,
	{ evidence }: Intent,
	pausesMs: number[],
): Promise<Looked> {
	if (typeof evidence !== 'object') return { state: 'unknown', problem: evidence ?? '' };
	let last: Evidence = { state: 'unknown', problem: '' };
	let isUnread = true;
	for (const pauseMs of [0, ...pausesMs]) {
		await delay(pauseMs, context.signal);
		if (context.signal?.aborted) break;
		try {
			last = await evidence.look();
			isUnread = false;
			if (last.state === 'made') break;
		} catch (error) {
			const problem = `${evidence.source} could not be read: ${(error as Error).message}`;
			last = { state: 'unknown', problem };
		}
	}
	if (last.state === 'made' || !context.signal?.aborted) return { ...last, isUnread };
	const problem = `a cancel broke off the look at ${evidence.source}`;
	return { ...last, state: 'unknown', problem, isBrokenOff: true };
}

/** A 2xx whose body is empty, or JSON that does not say no; anything else may be the page of a proxy. */
export function isConfirmed(reply: Reply): reply is Answer {
	if (reply.kind !== 'answer' || !isAccepted(reply)) return false;
	if (reply.text.trim() === '') return true;
	const answer = parseAnswer(reply.text);
	return answer !== undefined && refusalIn(answer) === undefined;
}

/**
 * Statuses with which a service says no before it begins. Others of the four hundreds say that time is up (408, 499), or that the
 * same work is under way (423, 425), or are known to one gateway alone (444, 460).
 */
const REFUSALS = new Set([
	...[400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417],
	...[421, 422, 424, 426, 428, 429, 431, 451],
]);

/** Only a clear no counts: after a 5xx the service may have gone on with the work, and a redirect often follows work that was done. */
export function isRejected(reply: Reply): boolean {
	return reply.kind === 'unsent' || (reply.kind === 'answer' && REFUSALS.has(reply.status));
}

/**
 * Sends a write whose outcome cannot be looked up, at most once for this item of this execution.
 * @param what what it does, for the message: `Create of collection "manuals"`
 * @returns the parsed answer; undefined where a 2xx has none, which is a success too
 * @throws the service's rejection, or the error "outcome unknown"
 */
export async function writeOnce(
	context: OperationContext,
	request: Omit<ApiRequest, 'retry'>,
	what: string,
): Promise<unknown> {
	const intent: Intent = {
		what,
		note: { what },
		facts: {},
		isYes: (reply) =>
			isAccepted(reply) &&
			(reply.kind !== 'answer' ||
				(!isPage(reply.contentType, reply.text) &&
					refusalIn(parseAnswer(reply.text)) === undefined)),
		proof: () => undefined,
		advice:
			'The service may have done it. Look for it (Get Many) before you run this again. This item does not send it again.',
		cancelled: `Cancelled while a request was under way: ${what}. The service may have done it.`,
	};
	if (context.journal.intent()) return await reconcile(context, intent);
	const outcome = await sendOnce(
		context,
		intent,
		async () => await send(context, { ...request, retry: 'ifUnsent' }),
	);
	if (outcome.state === 'rejected') throw replyError(context, outcome.reply);
	return outcome.reply?.kind === 'answer' ? parseAnswer(outcome.reply.text) : undefined;
}
