import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** The service resumes after the event whose ID the client names. */
export default {
	name: 'event IDs as offsets',
	resume: { unit: 'eventId' },
	options: { offsetUnit: 'eventId' },
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
