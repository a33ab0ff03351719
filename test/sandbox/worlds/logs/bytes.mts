import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** The offset counts bytes of bare lines. */
export default {
	name: 'bytes as offsets',
	format: 'lines',
	resume: { unit: 'bytes' },
	options: { offsetUnit: 'bytes' },
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
