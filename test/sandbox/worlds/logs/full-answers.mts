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
				why: 'An equal line behind the last one may be that one, sent again by a service that has no more',
			},
		],
	},
] satisfies LogWorld[];
