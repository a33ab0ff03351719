import { EQUAL_LINES_REPEAT, EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** The offset names the last entry that the client has, and the service sends that one again. */
export default {
	name: 'offset inclusive',
	resume: { repeats: 1 },
	mustSucceed: EVERY_OPERATION,
	relaxed: [EQUAL_LINES_REPEAT],
} satisfies LogWorld;
