import { EQUAL_LINES_REPEAT, EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Bare lines whose first one has the number 1: an offset of 10 is the tenth line. 0 is taken for 1. */
export default {
	name: 'offset one-based',
	format: 'lines',
	resume: { repeats: 1 },
	mustSucceed: EVERY_OPERATION,
	relaxed: [EQUAL_LINES_REPEAT],
} satisfies LogWorld;
