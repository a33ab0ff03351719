import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** The service has no past: what is written while nobody is connected is gone. */
export default {
	name: 'live only',
	resume: { keeps: 0 },
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
