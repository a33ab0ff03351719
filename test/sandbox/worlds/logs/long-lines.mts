import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Now and then a line of 1 MB, just below the largest that the trigger takes by default. */
export default {
	name: 'lines of 1 MB',
	format: 'lines',
	line: (text, number) => (number % 10 === 3 ? text.padEnd(1_000_000, '.') : text),
	mustSucceed: EVERY_OPERATION,
} satisfies LogWorld;
