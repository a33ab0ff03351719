import { EVERY_OPERATION, type Interruption, type LogWorld } from '../logWorld.mts';
import type { Relaxation } from '../world.mts';

/** From the middle of a first line to more than all known ones, so that a search takes several connections. */
const interruptions: Interruption[] = [
	[1, 1, 1],
	[200, 1, 1, 5, 400],
	[300, 7, 3, 90, 60, 1, 500],
	[90, 1, 1, 1, 1, 120, 1, 1, 200, 1],
	[2_000, 5],
].map((bytes) => ({ kind: 'short', bytes }));

const STOP_WHILE_COUNTED: Relaxation = {
	law: 'no line comes twice',
	scenario: 'heartbeat',
	why: 'A stop before equal lines are counted to the end: those that have come are delivered, and come again at the next start',
};

/** A bad line: each connection is lost within some bytes, which are fewer than those of the entries that prove the place. */
export default [
	{ name: 'entries' },
	{ name: 'bytes', resume: { unit: 'bytes' as const }, options: { offsetUnit: 'bytes' } },
	{ name: 'event IDs', resume: { unit: 'eventId' as const }, options: { offsetUnit: 'eventId' } },
].map(({ name, ...habits }): LogWorld => ({
	...habits,
	name: `connections of some bytes, offset in ${name}`,
	interruptions,
	mustSucceed: EVERY_OPERATION,
	relaxed: [STOP_WHILE_COUNTED],
}));
