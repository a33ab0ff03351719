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

/** Plain lines that look like fields of server-sent events, declared as plain text or, as the contract has it, as events. */
export default ['text/plain', 'text/event-stream'].map((contentType): LogWorld => ({
	name: `bare lines like SSE, ${contentType}`,
	format: 'lines',
	contentType,
	banner: ['retry: connecting…', 'no field at all'],
	line: (text, number) => LOOKALIKES[number % LOOKALIKES.length]?.(text) ?? text,
	mustSucceed: EVERY_OPERATION,
}));
