/** One event of an event stream, as far as chat completions need it. */
export interface StreamEvent {
	event?: string;
	data: string;
}

/**
 * The events of a body in the event-stream format, however its bytes are cut: inside a character, between CR and LF,
 * inside a field name. Comments (keep-alives) are dropped, and so is a last event without its empty line, as the format
 * wants it.
 */
export async function* events(body: AsyncIterable<Uint8Array>): AsyncIterable<StreamEvent> {
	const decoder = new TextDecoder();
	let line = '';
	let afterCr = false;
	let fields: { event?: string; data?: string } = {};
	for await (const bytes of body) {
		const decoded = decoder.decode(bytes, { stream: true });
		if (decoded === '') continue;
		const lines = (afterCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded).split(/\r\n|\r|\n/);
		afterCr = decoded.endsWith('\r');
		lines[0] = line + (lines[0] ?? '');
		line = lines.pop() ?? '';
		for (const whole of lines) {
			if (whole !== '') readField(whole, fields);
			else if (fields.data !== undefined) yield { event: fields.event, data: fields.data };
			if (whole === '') fields = {};
		}
	}
}

function readField(line: string, fields: { event?: string; data?: string }): void {
	const colon = line.indexOf(':');
	const name = colon < 0 ? line : line.slice(0, colon);
	const value = colon < 0 ? '' : line.slice(line.startsWith(' ', colon + 1) ? colon + 2 : colon + 1);
	if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
	if (name === 'event') fields.event = value;
}
