import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Each answer has the whole log, and ends. */
export default {
	name: 'offset ignored, stream ends after each answer',
	resume: { ignoresOffset: true },
	stream: { endsWhenIdle: true },
	interruptions: [{ kind: 'none' }],
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
