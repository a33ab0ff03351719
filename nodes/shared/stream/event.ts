import type { Redact } from '../http/redact';

/** One event of a log stream, or one bare line: a line that is sent without the event-stream format. */
export interface StreamEvent {
	/** The data of an event, its lines joined by line feeds, or the bare line; without line ends. */
	data: string;
	/** Type of the event, `message` unless an `event` field names another; empty for a bare line. */
	type: string;
	/** The last event ID: of the latest `id` field in the stream so far, empty before the first. */
	lastEventId: string;
	/** Whether this event itself has an `id` field. */
	hasOwnId: boolean;
	/** Size in the log: UTF-8 bytes of the data and a line end, or of the bare line as it was sent. 0 unless the decoder counts bytes. */
	bytes: number;
	/** Whether `data` is only the beginning, because the rest exceeds the limit. */
	truncated: boolean;
}

/** An entry with this data, as a bare line is. */
export function entryOf(data: string, bytes: number): StreamEvent {
	return { data, type: '', lastEventId: '', hasOwnId: false, bytes, truncated: false };
}

/** @param isCut whether the data was cut */
export function redactEntry(entry: StreamEvent, redact: Redact, isCut: boolean): void {
	entry.data = redact(entry.data, isCut);
	entry.type = redact(entry.type);
	entry.lastEventId = redact(entry.lastEventId);
}

/** Cuts an entry to so many characters, and none of them in two. */
export function truncate(entry: StreamEvent, length: number): void {
	const last = entry.data.charCodeAt(length - 1);
	const isHalf = last >= 0xd800 && last < 0xdc00;
	entry.data = entry.data.slice(0, isHalf ? length - 1 : length);
	entry.truncated = true;
}
