import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

const UNKNOWABLE = 'A new log of equal lines looks like the old one';

/** The container starts again and again, each time with the same first lines and then fewer or more lines than before. */
export default {
	name: 'restart with the same first lines',
	banner: ['starting worker', 'model loaded', 'listening on :8080'],
	interruptions: [{ kind: 'restart' }],
	mustSucceed: EVERY_OPERATION,
	relaxed: [
		{ law: 'no line is lost', scenario: 'heartbeat', why: UNKNOWABLE },
		{ law: 'no line comes twice', scenario: 'heartbeat', why: UNKNOWABLE },
	],
} satisfies LogWorld;
