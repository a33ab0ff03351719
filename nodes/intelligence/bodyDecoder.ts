import { isRecord } from '../shared/guards';
import { parseAnswer } from '../shared/json';
import type { SseEvent } from '../shared/stream/sseDecoder';
import { SseDecoder } from '../shared/stream/sseDecoder';

/** A comment before anything else that is longer is one of an event stream. */
const MAX_COMMENT_CHARACTERS = 4_096;
/** Longer than the words of an error that follows events. */
const MAX_TAIL_CHARACTERS = 4_096;

/**
 * Takes apart the body of a stream of JSON, whatever its content type says: events, JSON a line, or a single JSON text in place
 * of a stream. What the first character is decides, after blanks and comments.
 */
export class BodyDecoder {
	private sse?: SseDecoder;
	private hasJson = false;
	private readonly utf8 = new TextDecoder();
	private readonly encoder = new TextEncoder();
	/** What is not an event yet; of events, the end of what came. */
	private text = '';
	/** Whether each line so far was JSON. */
	private isLines = true;

	/** Whether the body is JSON, or a page, and not events. */
	get isJson(): boolean {
		return this.hasJson;
	}

	/** Returns the events that the next bytes complete. */
	push(bytes: Uint8Array): SseEvent[] {
		const piece = this.utf8.decode(bytes, { stream: true });
		this.text += piece;
		if (this.sse) return this.takeEvents(this.sse, piece);
		if (!this.hasJson) {
			// Blanks or comments without end keep a connection open, also before JSON: they are not kept
			this.text = this.text.replace(/^(?:\s|:[^\r\n]*[\r\n])+/, '');
			if (this.text === '') return [];
			if (this.text.startsWith(':') && this.text.length < MAX_COMMENT_CHARACTERS) return [];
			this.hasJson = /^[{[<]/.test(this.text);
		}
		if (this.hasJson) return piece.includes('\n') ? this.takeLines() : [];
		this.sse = new SseDecoder();
		return this.takeEvents(this.sse, this.text);
	}

	/**
	 * Returns what the body has ended within: an event needs no empty line after it then. Of events, that may be JSON, which is no
	 * field of an event: the error of a service that does not know of the stream any more.
	 */
	end(): SseEvent[] {
		if (this.sse) {
			const events = this.sse.push(this.encoder.encode('\n\n'));
			const last = /[\r\n](\{.*)/s.exec(this.text)?.[1];
			return last && isRecord(parseAnswer(last)) ? [...events, eventOf(last)] : events;
		}
		return this.hasJson && this.text.trim() !== '' ? [eventOf(this.text)] : [];
	}

	private takeEvents(sse: SseDecoder, piece: string): SseEvent[] {
		this.text = this.text.slice(-MAX_TAIL_CHARACTERS);
		return sse.push(this.encoder.encode(piece));
	}

	private takeLines(): SseEvent[] {
		const events: SseEvent[] = [];
		while (this.isLines) {
			const end = this.text.indexOf('\n');
			if (end < 0) break;
			const line = this.text.slice(0, end);
			this.isLines = line.trim() === '' || parseAnswer(line) !== undefined;
			if (!this.isLines) break;
			if (line.trim() !== '') events.push(eventOf(line));
			this.text = this.text.slice(end + 1);
		}
		return events;
	}
}

function eventOf(data: string): SseEvent {
	return { type: 'message', data, lastEventId: '' };
}

/** Some services leave out the empty line between events: each line of data is one then. */
export function linesOf(event: SseEvent): SseEvent[] {
	const end = event.data.indexOf('\n');
	const isJoined = end >= 0 && isRecord(parseAnswer(event.data.slice(0, end)));
	return isJoined ? event.data.split('\n').map((data) => ({ ...event, data })) : [event];
}
