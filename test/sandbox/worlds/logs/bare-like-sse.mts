import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

const LOOKALIKES = [
	(text: string) => `id: ${text}`,
	(text: string) => `: ${text}`,
	() => '',
	(text: string) => `data: ${text}`,
	(text: string) => `event: ${text}`,
	(text: string) => text,
	(text: string) => text,
];

/** Plain text whose lines look like fields of server-sent events. */
export default {
	name: 'bare lines that look like SSE',
	format: 'lines',
	contentType: 'text/plain',
	banner: ['retry: connecting…', 'no field at all'],
	line: (text, number) => LOOKALIKES[number % LOOKALIKES.length]?.(text) ?? text,
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
