import { CUTS, EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** The documented service, with an offset in entries that it honours. */
export default {
	name: 'offset honoured (default)',
	interruptions: [...CUTS, { kind: 'outage', answer: { status: 503 }, seconds: 5 }],
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
