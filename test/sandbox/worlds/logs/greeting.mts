import { EQUAL_LINE_MISSING, EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** A complete event greets each client, then come `data:` lines with a single line feed. */
export default {
	name: 'greeting, then single line feeds',
	format: 'dataLines',
	stream: { greeting: 'event: connected\ndata: {"ready":true}\n\n' },
	greetings: ['{"ready":true}'],
	mustSucceed: EVERY_OPERATION,
	relaxed: [EQUAL_LINE_MISSING],
} satisfies LogWorld;
