import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Each answer has the entries that there are, and ends. */
export default {
	name: 'stream ends after each answer',
	stream: { endsWhenIdle: true },
	interruptions: [{ kind: 'none' }],
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
