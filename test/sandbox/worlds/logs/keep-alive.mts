import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Comments keep a connection alive that gets no entries any more. */
export default {
	name: 'keep-alives hide a dead source',
	stream: { keepAliveMs: 500 },
	options: { idleTimeout: 10 },
	interruptions: [{ kind: 'stall' }],
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
