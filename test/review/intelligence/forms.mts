type Json = Record<string, unknown>;

/** What is answered. `silent` keeps the connection open and lets the time of the package pass; `cut` breaks it. */
export interface Answer {
	status?: number;
	type?: string;
	headers?: Record<string, string>;
	json?: unknown;
	/** The body in the pieces in which it is sent. */
	parts?: Array<string | Buffer>;
	end?: 'end' | 'cut' | 'silent';
}

/** The events of a stream, with `[DONE]` where it is asked for. */
export function sse(events: unknown[], isDone = true): string[] {
	const lines = events.map((event) =>
		Array.isArray(event)
			? `event: ${String(event[0])}\ndata: ${JSON.stringify(event[1])}\n\n`
			: `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
	);
	return isDone ? [...lines, 'data: [DONE]\n\n'] : lines;
}

/** A chunk of a streamed completion. */
export function chunk(delta: Json, finish: unknown = null, more: Json = {}): Json {
	return {
		id: 'c',
		object: 'chat.completion.chunk',
		created: 1,
		model: 'm',
		choices: [{ index: 0, delta, finish_reason: finish }],
		...more,
	};
}

export function stream(events: unknown[], end: Answer['end'] = 'end', isDone = true): Answer {
	return { type: 'text/event-stream', parts: sse(events, isDone), end };
}

export function list(all: unknown[], query: URLSearchParams): Answer {
	const offset = Number(query.get('offset') ?? 0);
	return {
		json: {
			results: all.slice(offset, offset + Number(query.get('limit') ?? 100)),
			total_entries: all.length,
		},
	};
}

/** What the service makes of a text. */
export function vectorOf(text: string): number[] {
	return [text.length, text.charCodeAt(0), 0.5];
}

export function parsed(text: string): Json {
	try {
		return JSON.parse(text) as Json;
	} catch {
		return {};
	}
}

export function formOf(raw: string): Record<string, string> {
	const parts = raw.matchAll(
		/name="([^"]+)"(?:; filename="([^"]*)")?[^\r]*\r\n(?:[^\r\n]+\r\n)*\r\n([\s\S]*?)\r\n--/g,
	);
	const form: Record<string, string> = {};
	for (const [, name = '', file, value = ''] of parts) {
		form[name] = value;
		if (file !== undefined) form.file_name = file;
	}
	return form;
}
