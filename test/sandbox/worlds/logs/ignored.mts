import { EQUAL_LINES_REPEAT, EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Every connection brings the whole log. */
export default {
	name: 'offset ignored',
	resume: { ignoresOffset: true },
	mustSucceed: EVERY_OPERATION,
	relaxed: [EQUAL_LINES_REPEAT],
} satisfies LogWorld;
