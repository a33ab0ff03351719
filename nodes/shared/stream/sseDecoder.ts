/** One event of an event stream. */
export interface SseEvent {
	/** `message` unless an `event` field names another. */
	type: string;
	/** The data lines, joined by line feeds. */
	data: string;
	/** Of the latest `id` field in the stream so far; empty before the first. */
	lastEventId: string;
}

/**
 * Decodes Server-Sent Events exactly as the WHATWG HTML standard parses them ("Interpreting an event stream"): a field that it does
 * not know is ignored, and so is an event that the stream ends within. It holds one event in memory: whoever reads the body limits it.
 */
export class SseDecoder {
	/** The reconnection time in milliseconds: of the latest `retry` field. */
	retryMs?: number;
	private readonly utf8 = new TextDecoder();
	/** The line that is still arriving. */
	private partialLine = '';
	/** Whether the last chunk ended with CR: an LF at the start of the next one belongs to it. */
	private skipsLineFeed = false;
	private dataLines: string[] = [];
	private type = '';
	private lastEventId = '';

	/** Returns the events that the next chunk completes. */
	push(bytes: Uint8Array): SseEvent[] {
		let text = this.utf8.decode(bytes, { stream: true });
		if (text === '') return [];
		if (this.skipsLineFeed && text.startsWith('\n')) text = text.slice(1);
		this.skipsLineFeed = text.endsWith('\r');
		const lines = text.split(/\r\n?|\n/);
		lines[0] = this.partialLine + lines[0]!;
		this.partialLine = lines.pop()!;
		return lines.flatMap((line) => this.processLine(line));
	}

	private processLine(line: string): SseEvent[] {
		if (line === '') return this.dispatchEvent();
		const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
		if (name === 'data') this.dataLines.push(value);
		else if (name === 'event') this.type = value;
		else if (name === 'id' && !value.includes('\0')) this.lastEventId = value;
		else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
		return [];
	}

	/** At a blank line: returns the event that was read, if it has data. */
	private dispatchEvent(): SseEvent[] {
		const { dataLines, lastEventId } = this;
		const type = this.type || 'message';
		this.dataLines = [];
		this.type = '';
		return dataLines.length === 0 ? [] : [{ type, data: dataLines.join('\n'), lastEventId }];
	}
}
