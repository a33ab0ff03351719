import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Connections die without a word. */
export default {
	name: 'connections die in silence',
	options: { idleTimeout: 10 },
	interruptions: [{ kind: 'stall' }],
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
