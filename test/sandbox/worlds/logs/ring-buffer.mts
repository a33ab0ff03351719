import { EQUAL_LINES_REPEAT, EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** The service keeps the newest 100 entries and counts offsets from the oldest of them. */
export default {
	name: 'ring buffer of 100',
	resume: { keeps: 100, countsFromKept: true },
	mustSucceed: EVERY_OPERATION,
	relaxed: [EQUAL_LINES_REPEAT],
} satisfies LogWorld;
