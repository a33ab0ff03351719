import type { Fields } from './service.mts';

/** A text whose characters take one to four bytes. */
export const TEXT = 'Zürich – 雪が "降る" 🏔️!';
const PIECES = ['Z', 'ürich', ' – 雪が', ' "降る" ', '🏔️', '!'];

export const USAGE = { prompt_tokens: 3, completion_tokens: 6, total_tokens: 9 };

export function chunkOf(choice: Fields, top: Fields = {}): Fields {
	return {
		id: 'c',
		object: 'chat.completion.chunk',
		created: 1,
		model: 'm',
		choices: [choice],
		...top,
	};
}

export function deltaOf(delta: Fields, reason: string | null = null, index = 0): Fields {
	return chunkOf({ index, delta, finish_reason: reason });
}

const texts = PIECES.map((content) => deltaOf({ content }));
const sse = (events: Fields[], end = '\n', more = ''): string =>
	events.map((event) => `data: ${JSON.stringify(event)}${end}${end}${more}`).join('');
const done = (end = '\n') => `data: [DONE]${end}${end}`;

const plain = [deltaOf({ role: 'assistant', content: '' }), ...texts, deltaOf({}, 'stop')];

/** Whole streams of one text, as services write them. */
export const STREAMS: Array<[world: string, body: string]> = [
	['with [DONE]', sse(plain) + done()],
	['without [DONE]', sse(plain)],
	['with CR and LF', sse(plain, '\r\n') + done('\r\n')],
	['with CR alone', sse(plain, '\r') + done('\r')],
	['with a byte order mark', `\uFEFF${sse(plain)}${done()}`],
	['with comments', `: hello\n\n${sse(plain, '\n', ': ping\n\n')}${done()}`],
	['with escaped characters', escaped(sse(plain)) + done()],
	[
		'with its usage in a last chunk',
		sse([...plain, chunkOf({}, { choices: [], usage: USAGE })]) + done(),
	],
	[
		'with empty deltas and nulls',
		sse(
			plain.flatMap((one) => [
				deltaOf({}),
				deltaOf({ content: null }),
				deltaOf({ content: '' }),
				one,
			]),
		) + done(),
	],
	[
		'with the whole message at its end',
		sse([
			...plain.slice(0, -1),
			chunkOf({
				index: 0,
				delta: {},
				message: { role: 'assistant', content: TEXT },
				finish_reason: 'stop',
			}),
		]) + done(),
	],
	[
		'with the whole message alone at its end',
		sse([
			...plain.slice(0, -1),
			chunkOf({ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }),
		]) + done(),
	],
	['with event names', sse(plain).replaceAll('data:', 'event: message\ndata:') + done()],
	['without blanks after the colons', (sse(plain) + done()).replaceAll('data: ', 'data:')],
	['with IDs and retry', `retry: 10\n${sse(plain).replaceAll('data:', 'id: 1\ndata:')}${done()}`],
	['one JSON a line', plain.map((one) => `${JSON.stringify(one)}\n`).join('')],
	[
		'all at once, as JSON',
		JSON.stringify({
			id: 'c',
			object: 'chat.completion',
			created: 1,
			model: 'm',
			choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
			usage: USAGE,
		}),
	],
	[
		'the reason with the last text',
		sse([...plain.slice(0, -2), deltaOf({ content: '!' }, 'stop')]) + done(),
	],
	['the texts as parts', sse(plain.map((one) => partsIn(one))) + done()],
];

function escaped(text: string): string {
	return text.replace(
		/[^\x20-\x7e\r\n]/g,
		(one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}

function partsIn(event: Fields): Fields {
	const [choice] = event.choices as Array<{ delta: Fields }>;
	const { content } = choice?.delta ?? {};
	if (typeof content !== 'string') return event;
	return chunkOf({ ...choice, delta: { content: [{ type: 'text', text: content }] } });
}
