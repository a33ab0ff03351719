import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../../shared/guards';
import { LARGEST_BODY_BYTES } from '../../../shared/http/body';
import { ownWords } from '../../../shared/http/errors';
import type { Head } from '../../../shared/http/reply';
import { objectOf, replyError, send, type ApiRequest } from '../../../shared/http/request';
import { parseJson } from '../../../shared/json';
import { contextError, type OperationContext } from '../../../shared/operation/context';
import { ByteReader } from '../../../shared/stream/byteReader';
import { SseDecoder } from '../../../shared/stream/sseDecoder';
import { now } from '../../../shared/time';
import { itemOf } from '../../../intelligence/retrieval/envelope';
import { GENERATION_DEADLINE_MS } from '../../../intelligence/retrieval/paths';
import { checkAnswer } from '../../answer';

const LINE_ENDS = Buffer.from('\n\n');
const ENDED_EARLY = 'The response ended early';

/**
 * Sends a request and returns its streamed answer as one item. The engine sends its final event only where the model has stopped
 * by itself (beyond-the-spec.md section 9): an answer that ends without it is `truncated`.
 * @throws where the connection is lost or the service reports an error; the error carries what came as `partial`
 */
export async function streamedAnswer(
	context: OperationContext,
	spec: ApiRequest,
): Promise<IDataObject> {
	const headers = { Accept: 'text/event-stream' };
	const reply = await send(context, { ...spec, headers, keepsBody: true });
	if (reply.kind !== 'answer' || !reply.head) throw replyError(context, reply);
	const answer = new StreamedAnswer();
	const { problem, text = '' } = await readEvents(context, reply.head, answer);
	if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
	// A service that cannot stream sends the whole answer at once; the content type says what it would like to send
	const isPlain =
		text.trim() !== '' &&
		(parseJson(text) !== undefined || !/event-stream/i.test(reply.contentType));
	if (isPlain && problem !== undefined)
		throw replyError(context, { kind: 'lost', reason: problem });
	if (isPlain) {
		const response = objectOf(context, { ...reply, text: context.account.redact(text) });
		checkAnswer(context, response);
		return itemOf(response);
	}
	const message = problem ?? (answer.isEmpty ? ENDED_EARLY : undefined);
	if (message === undefined) {
		const item = answer.item();
		checkAnswer(context, item);
		return item;
	}
	const description =
		'The error details contain what arrived, under partial. Run the item again for a complete answer.';
	throw contextError(context, { message, description }, { partial: answer.parts() });
}

/**
 * Reads all events into the answer.
 * @returns what went wrong, and the text of a body without any event
 */
async function readEvents(
	context: OperationContext,
	head: Head,
	answer: StreamedAnswer,
): Promise<{ problem?: string; text?: string }> {
	const signals = [context.signal, head.deadlineSignal].filter((one) => one !== undefined);
	const reader = new ByteReader(head.body, AbortSignal.any(signals));
	const decoder = new SseDecoder();
	const until = now() + GENERATION_DEADLINE_MS;
	const beforeEvents: Uint8Array[] = [];
	let bytes = 0;
	let isStream = false;
	const add = (chunk: Uint8Array): string | undefined => {
		for (const { type, data } of decoder.push(chunk)) {
			isStream = true;
			const problem = answer.add(type, context.account.redact(data));
			if (problem !== undefined) return problem;
		}
		return undefined;
	};
	const read = async (): Promise<string | undefined> => {
		while (!answer.isWhole) {
			const next = await reader.next(until);
			// Some services leave out the blank line after the last event; half an event is no JSON
			if (next.kind === 'end') return add(LINE_ENDS);
			if (next.kind !== 'chunk')
				return `${ENDED_EARLY}: ${next.kind === 'broken' ? 'the connection was lost' : 'it took too long'}`;
			bytes += next.bytes.byteLength;
			if (bytes > LARGEST_BODY_BYTES)
				return `The response is larger than ${LARGEST_BODY_BYTES / 1024 / 1024} MiB`;
			if (!isStream) beforeEvents.push(next.bytes);
			const problem = add(next.bytes);
			if (problem !== undefined) return problem;
		}
		return undefined;
	};
	try {
		const problem = await read();
		if (!isStream) return { problem, text: new TextDecoder().decode(Buffer.concat(beforeEvents)) };
		return { problem };
	} finally {
		reader.destroy();
	}
}

/** An answer from its events: `search_results`, `message` (pieces of text), `citation`, `final_answer`, then `[DONE]`. */
class StreamedAnswer {
	/** Whether the last event has come. */
	isWhole = false;
	private text = '';
	private isFinal = false;
	private readonly result: IDataObject = {};
	private readonly citations = new Map<string, IDataObject>();

	get isEmpty(): boolean {
		return this.text === '' && !this.isFinal && !this.isWhole;
	}

	/** Adds an event; returns the error that it reports. */
	add(type: string, data: string): string | undefined {
		if (data.trim() === '[DONE]') this.isWhole = true;
		const content = parseJson(data);
		if (type === 'error' || (type === 'message' && isRecord(content) && content.error))
			return `The service ended the answer with an error: ${ownWords('application/json', data)}`;
		if (!isRecord(content)) return undefined;
		if (type === 'search_results')
			this.result.search_results = (content.data ?? content) as IDataObject;
		if (type === 'message') this.text += textOf(content);
		if (type === 'citation') this.cite(content as IDataObject);
		if (type === 'final_answer') {
			this.isFinal = true;
			// A last event that leaves something out does not take back what came
			const given = Object.entries(content).filter(([, value]) => !isBlank(value));
			Object.assign(this.result, Object.fromEntries(given));
		}
		return undefined;
	}

	item(): IDataObject {
		const isEnded = this.isFinal || this.isWhole;
		return isEnded ? this.parts() : { ...this.parts(), truncated: true };
	}

	parts(): IDataObject {
		const citations = [...this.citations.values()];
		return { generated_answer: this.text, citations, ...this.result };
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
	}
}

function isBlank(value: unknown): boolean {
	return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The text of one `message` event: plain, or in the parts of a delta. */
function textOf(content: Record<string, unknown>): string {
	if (typeof content.content === 'string') return content.content;
	const delta = isRecord(content.delta) ? content.delta.content : undefined;
	if (typeof delta === 'string') return delta;
	if (!Array.isArray(delta)) return '';
	return delta
		.map((part: unknown) =>
			isRecord(part) && isRecord(part.payload) && typeof part.payload.value === 'string'
				? part.payload.value
				: '',
		)
		.join('');
}
