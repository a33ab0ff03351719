import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** An offset at the end of the log or beyond it is refused until the log has grown. */
export default ([416, 422] as const).map((refusesEnd): LogWorld => ({
	name: `offset at the end refused: ${refusesEnd}`,
	resume: { refusesEnd },
	mustSucceed: EVERY_OPERATION,
}));
