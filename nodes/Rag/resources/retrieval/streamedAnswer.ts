import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { objectsOf } from '../../../intelligence/retrieval/envelope';
import { linesOf } from '../../../intelligence/bodyDecoder';
import { bodyChunks, type BodyEnd, type BodyLimits } from '../../../intelligence/bodyChunks';
import { firstDelta, isIncomplete, textOf } from '../../../intelligence/choice';
import { FinishReasons } from '../../../intelligence/finishReasons';
import { IDLE_MS } from '../../../intelligence/paths';
import { isRecord } from '../../../shared/guards';
import { LARGEST_BODY_BYTES } from '../../../shared/http/body';
import { duration, ownWords } from '../../../shared/http/errors';
import { saysError } from '../../../shared/http/refusal';
import type { Head, Reply } from '../../../shared/http/reply';
import { redactedIn } from '../../../shared/http/redact';
import { objectOf, replyError, send, type ApiRequest } from '../../../shared/http/request';
import { parseAnswer, parseJson } from '../../../shared/json';
import { contextError, withKnown, type OperationContext } from '../../../shared/operation/context';
import { now } from '../../../shared/time';
import { SseDecoder } from '../../../shared/stream/sseDecoder';
import { GENERATION_DEADLINE_MS } from '../../../intelligence/retrieval/paths';
import { endsIn, truncation } from '../../answer';

const LINE_ENDS = Buffer.from('\n\n');
/** After the final event a service may keep the connection; what it says late is waited for so long, in milliseconds. */
const AFTER_FINAL_MS = 5_000;
/** Far above what an answer has beside its text. */
const MAX_UNREAD_CHARACTERS = 1024 * 1024;
const ENDED_EARLY = 'The response ended early';
const LIMITS: BodyLimits = {
	deadlineMs: GENERATION_DEADLINE_MS,
	idleMs: IDLE_MS,
	maxBytes: LARGEST_BODY_BYTES,
};
const REASONS: Record<BodyEnd, string | undefined> = {
	end: undefined,
	broken: `${ENDED_EARLY}: the connection was lost`,
	idle: `${ENDED_EARLY}: nothing arrived for ${duration(IDLE_MS)}`,
	late: `${ENDED_EARLY}: it took too long`,
	tooLarge: `The response is larger than ${LARGEST_BODY_BYTES / 1024 / 1024} MiB`,
};

/**
 * Sends a request for a streamed answer, yields its text as it arrives and returns it. The engine sends its final event
 * only where the model has stopped by itself (beyond-the-spec.md section 9): an answer that ends without it is `truncated`.
 * @param textOf the answer in a response that came in one piece
 * @returns the response, without an envelope where it was streamed
 * @throws where the connection is lost or the service reports an error; the error carries what came as `partial`
 */
export async function* streamedAnswer(
	context: OperationContext,
	spec: ApiRequest,
	textOf: (response: IDataObject) => string | undefined,
): AsyncGenerator<string, IDataObject> {
	const headers = { Accept: 'text/event-stream' };
	const reply = await send(context, { ...spec, headers, keepsBody: true });
	if (reply.kind !== 'answer' || !reply.head) throw replyError(context, reply);
	const answer = new StreamedAnswer();
	const { problem, text = '' } = yield* readEvents(context, reply.head, answer);
	// A service that cannot stream sends the whole answer at once; the content type says what it would like to send
	const isPlain =
		text.trim() !== '' &&
		(parseAnswer(text) !== undefined || !/event-stream/i.test(reply.contentType));
	if (isPlain) {
		const partial = context.account.redact(text);
		const lost: Reply | undefined = problem ? { kind: 'lost', reason: problem } : undefined;
		try {
			const response = objectOf(context, lost ?? { ...reply, text: partial });
			yield textOf(response) ?? '';
			return response;
		} catch (error) {
			throw withKnown(error as NodeApiError, { partial });
		}
	}
	const message = problem ?? (answer.isEmpty ? ENDED_EARLY : undefined);
	if (message === undefined) return redactedIn(context.account, answer.item());
	const description =
		'The error details contain what arrived, under partial. Run the item again for a complete answer.';
	const partial = redactedIn(context.account, answer.parts());
	throw contextError(context, { message, description }, { partial });
}

/**
 * Reads all events into the answer, and yields its text.
 * @returns what went wrong, and the text of a body without any event
 */
async function* readEvents(
	context: OperationContext,
	head: Head,
	answer: StreamedAnswer,
): AsyncGenerator<string, { problem?: string; text?: string }> {
	const decoder = new SseDecoder();
	const limits = { ...LIMITS };
	const chunks = bodyChunks(context, head, limits);
	const beforeEvents: Uint8Array[] = [];
	let isStream = false;
	let problem: string | undefined;
	function* add(bytes: Uint8Array): Generator<string> {
		for (const { type, data } of decoder.push(bytes).flatMap(linesOf)) {
			isStream = true;
			const added = answer.add(type, context.account.redact(data));
			if (added.text) yield added.text;
			problem ??= added.problem;
		}
	}
	try {
		while (problem === undefined && !answer.isWhole && now() < answer.endsAt) {
			const next = await chunks.next();
			// Some services leave out the blank line after the last event; half an event is no JSON
			yield* add(next.done ? LINE_ENDS : next.value);
			if (answer.isFinal) limits.idleMs = AFTER_FINAL_MS;
			if (!next.done && !isStream) beforeEvents.push(next.value);
			if (!next.done) continue;
			// With its final event it was whole, however its connection has ended
			if (!answer.isFinal) problem ??= REASONS[next.value];
			break;
		}
	} finally {
		await chunks.return('end');
	}
	if (isStream) return { problem };
	return { problem, text: new TextDecoder().decode(Buffer.concat(beforeEvents)) };
}

/** An answer from its events: `search_results`, `message` (pieces of text), `citation`, `final_answer`, then `[DONE]`. */
class StreamedAnswer {
	/** Whether the last event has come. */
	isWhole = false;
	/** Until when further events are waited for, in milliseconds since 1970. */
	endsAt = Infinity;
	private text = '';
	/** Whether the text comes as plain words. */
	private isPlain = false;
	/** What came before the first plain word, and may be one, too. */
	private unclear = '';
	/** Events in which no text was found. They are paid for, so that an error carries them. */
	private readonly unread: string[] = [];
	private unreadCharacters = 0;
	/** Whether an event could not be read, which may be a part of the text. */
	private hasGap = false;
	private readonly ends = new FinishReasons();
	/** The finish reason. */
	private readonly end: IDataObject = {};
	private readonly result: IDataObject = {};
	private readonly citations = new Map<string, IDataObject>();

	/** Whether the final event has come. */
	get isFinal(): boolean {
		return this.endsAt < Infinity;
	}

	get isEmpty(): boolean {
		return this.text === '' && !this.isFinal && !this.isWhole;
	}

	/** Adds an event; returns its text, or the error that it reports. */
	add(type: string, data: string): { text?: string; problem?: string } {
		if (data.trim() === '[DONE]') this.isWhole = true;
		const parsed = parseAnswer(data);
		// In an object, IDs keep all their digits; a number alone may be a word
		const content = isRecord(parsed) ? parsed : parseJson(data);
		const isError =
			type === 'error' || (type === 'message' && isRecord(content) && saysError(content.error));
		// With its final event it was whole, whatever went wrong after it
		if (isError && this.isFinal) return {};
		if (isError)
			return {
				problem: `The service ended the answer with an error: ${ownWords('application/json', data)}`,
			};
		// Some services name the event in its data
		if (type === 'message' && isRecord(content) && isRecord(content.data) && isNamed(content))
			return this.add(String(content.event ?? content.type), JSON.stringify(content.data));
		const text = type === 'message' && !this.isWhole ? this.wordsOf(content, data) : '';
		this.text += text;
		if (text === '') this.keep(data);
		if (content === undefined && OPENS_JSON.test(data)) this.hasGap = true;
		if (!isRecord(content)) return { text };
		if (type === 'message') this.addEnds(content, text);
		else Object.assign(this.result, truncation(content));
		// The agent's answer is continued with it
		if (['string', 'number'].includes(typeof content.conversation_id))
			this.result.conversation_id = String(content.conversation_id);
		if (type === 'search_results')
			this.result.search_results = (content.data ?? content) as IDataObject;
		if (type === 'citation') this.cite(content as IDataObject);
		if (type === 'final_answer') {
			this.endsAt = now() + AFTER_FINAL_MS;
			// A last event that leaves something out does not take back what came
			const given = Object.entries(content).filter(([, value]) => !isBlank(value));
			Object.assign(this.result, Object.fromEntries(given));
		}
		return { text };
	}

	item(): IDataObject {
		const parts = this.parts();
		const isEnded = this.isFinal || this.isWhole;
		const isFilled = typeof this.result.generated_answer === 'string';
		const isMissing = this.hasGap && !this.isPlain && !isFilled;
		return isEnded && !isMissing && !this.isCut ? parts : { ...parts, truncated: true };
	}

	parts(): IDataObject {
		const citations = [...this.citations.values()];
		const parts = { generated_answer: this.text, citations, ...this.result };
		return parts.generated_answer === '' ? { ...parts, events: this.unread } : parts;
	}

	/** Whether the last finish reason says that the answer is not whole; the final event comes after what is no end, too. */
	private get isCut(): boolean {
		const { notEnds, goingOn } = this.ends;
		const isNone = this.isFinal && notEnds.has(this.end.finish_reason);
		return isIncomplete(this.end) && !goingOn.has(this.end) && !isNone;
	}

	/** A finish reason after which more text came is none. */
	private addEnds(content: Record<string, unknown>, text: string): void {
		if (text !== '') this.ends.goOn(this.end);
		for (const { finish_reason: reason, error } of endsIn(content)) {
			this.ends.add(this.end, reason);
			if (isIncomplete({ error })) this.result.truncated = true;
		}
	}

	/** The text of one `message` event: plain words, or in JSON. Among plain words, `42`, `[1]` and a blank are words too. */
	private wordsOf(content: unknown, data: string): string {
		if (isRecord(content)) return deltaOf(content);
		if (typeof content === 'string' && !this.isPlain) return content;
		if (KEEP_ALIVE.test(data)) return '';
		this.isPlain ||= content === undefined && !MAYBE_JSON.test(data);
		this.unclear += data;
		if (!this.isPlain) return '';
		const text = this.unclear;
		this.unclear = '';
		return text;
	}

	private keep(data: string): void {
		this.unreadCharacters += data.length;
		if (this.unreadCharacters <= MAX_UNREAD_CHARACTERS) this.unread.push(data);
	}

	/** A source that is cited again comes with another span, and without what was sent before. */
	private cite(citation: IDataObject): void {
		const id = String(citation.id ?? this.citations.size);
		const before = this.citations.get(id);
		const sent = Object.entries(citation).filter(([, value]) => value !== null);
		const spans = [...((before?.spans as IDataObject[] | undefined) ?? []), citation.span];
		this.citations.set(id, {
			...Object.fromEntries(sent),
			...before,
			...(citation.span && { spans: spans as IDataObject[] }),
		});
		const { citations } = this.result;
		if (Array.isArray(citations) && !objectsOf(citations).some((one) => String(one.id) === id))
			this.result.citations = [...citations, citation] as IDataObject[];
	}
}

function isBlank(value: unknown): boolean {
	return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function isNamed({ event, type }: Record<string, unknown>): boolean {
	return typeof (event ?? type) === 'string';
}

/** What keeps a connection open. */
const KEEP_ALIVE = /^(?:\s*(?:ping|pong|keep-?alive|heartbeat)\s*)?$/i;
/** The beginning of an object. */
const OPENS_JSON = /^\s*\{/;
/** A blank, or what may be the half of an event. */
const MAYBE_JSON = /^\s*(?:[{["]|$)/;

/** The text of one `message` event in JSON: plain, in the parts of a delta, or in the chunk of a completion. */
function deltaOf(content: Record<string, unknown>): string {
	const plain = [content.content, content.text, content.delta].find(
		(one) => typeof one === 'string',
	);
	if (typeof plain === 'string') return plain;
	if (Array.isArray(content.choices)) return firstDelta(content).text ?? '';
	const delta = isRecord(content.delta) ? content.delta.content : undefined;
	if (typeof delta === 'string') return delta;
	if (!Array.isArray(delta)) return '';
	return delta
		.map((part: unknown) =>
			isRecord(part) && isRecord(part.payload) && typeof part.payload.value === 'string'
				? part.payload.value
				: textOf({ content: [part] }),
		)
		.join('');
}
