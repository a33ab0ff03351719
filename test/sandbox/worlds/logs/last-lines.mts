import { EQUAL_LINES_REPEAT, EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Every connection begins with the newest 50 entries, as `tail -f` does. */
export default {
	name: 'last 50 lines only',
	resume: { keeps: 50, ignoresOffset: true },
	mustSucceed: EVERY_OPERATION,
	relaxed: [EQUAL_LINES_REPEAT],
} satisfies LogWorld;
