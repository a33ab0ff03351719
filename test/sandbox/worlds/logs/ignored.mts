import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Every connection brings the whole log. */
export default {
	name: 'offset ignored',
	resume: { ignoresOffset: true },
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
