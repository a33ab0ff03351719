import { EQUAL_LINE_MISSING, EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** The offset is the index, from 0, of the last entry that the client has: the service begins after it. */
export default {
	name: 'offset exclusive',
	resume: { repeats: -1 },
	mustSucceed: EVERY_OPERATION,
	relaxed: [EQUAL_LINE_MISSING],
} satisfies LogWorld;
