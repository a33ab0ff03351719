import { EVERY_OPERATION, type LogWorld } from '../logWorld.mts';

/** Each answer ends, and has room for little: behind the last line that a client knows, another one may not fit. */
export default [
	{
		name: 'a line that fills an answer',
		format: 'lines',
		stream: { endsWhenIdle: true, longestAnswer: 1_000_001 },
		interruptions: [{ kind: 'none' }],
		line: (text, number) => (number % 10 === 3 ? text.padEnd(1_000_000, '.') : text),
		mustSucceed: EVERY_OPERATION,
	},
	{
		name: 'answers of one line',
		stream: { endsWhenIdle: true, longestAnswer: 1 },
		interruptions: [{ kind: 'none' }],
		mustSucceed: EVERY_OPERATION,
		relaxed: [
			{
				law: 'no line is lost',
				scenario: 'heartbeat',
				why: 'Equal lines do not show that the service honours the offset, and another one may send its last line again',
			},
		],
	},
] satisfies LogWorld[];
