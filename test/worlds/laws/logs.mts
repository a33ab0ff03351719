import type { LogRecord } from '../logRecord.mts';
import type { Law } from '../stage.mts';

type LogLaw = Law<LogRecord>;

/** Longest time in seconds without a request while a log is interrupted. */
const LONGEST_SILENCE_S = 60;
const MOST_REQUESTS_A_SECOND = 10;
/** Examples of what contradicts a law. */
const EXAMPLES = 5;

/** How often each line stands in a list. */
function count(lines: string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
	return counts;
}

/** Lines that stand in `lines` more often than in `others`. */
function excess(lines: string[], others: string[], word: string): string[] {
	const known = count(others);
	let sum = 0;
	const examples: string[] = [];
	for (const [line, times] of count(lines)) {
		const more = times - (known.get(line) ?? 0);
		if (more <= 0) continue;
		sum += more;
		examples.push(`${JSON.stringify(line.slice(0, 40))} × ${more}`);
	}
	if (sum === 0) return [];
	return [`${sum} of ${lines.length} ${word}: ${examples.slice(0, EXAMPLES).join(', ')}`];
}

/** Offered lines that the options let pass, in the form in which they are compared. */
function wanted({ world }: LogRecord, lines: string[]): string[] {
	const { isWanted = () => true, essence = (line) => line } = world;
	return lines.filter(isWanted).map(essence);
}

function delivered({ world, delivered: lines }: LogRecord): string[] {
	return lines.map(world.essence ?? ((line) => line));
}

const succeeds: LogLaw = {
	name: 'what must succeed, succeeds',
	broken: ({ world, refusals }) =>
		refusals
			.filter(({ operation }) => world.mustSucceed.some((name) => name === operation))
			.map(({ operation, reason }) => `${operation}: ${reason}`),
};

const nothingLost: LogLaw = {
	name: 'no line is lost',
	broken: (record) => excess(wanted(record, record.offered), delivered(record), 'lost'),
};

const nothingTwice: LogLaw = {
	name: 'no line comes twice',
	broken(record) {
		const written = wanted(record, record.written);
		const known = new Set(written);
		const lines = delivered(record).filter((line) => known.has(line));
		return excess(lines, written, 'came too often');
	},
};

const nothingMadeUp: LogLaw = {
	name: 'no line is made up',
	broken(record) {
		const known = new Set([...wanted(record, record.written), ...(record.world.greetings ?? [])]);
		const alien = delivered(record).filter((line) => !known.has(line));
		return excess(alien, [], 'never written');
	},
};

const neverSilent: LogLaw = {
	name: 'it is never silent',
	broken({ silences, outages, hasToldEnd }) {
		const problems = [...silences];
		for (const { asked, seconds, reports } of outages) {
			const times = [0, ...asked, seconds];
			const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
			if (longest > LONGEST_SILENCE_S)
				problems.push(`in an outage of ${seconds} s it asked for nothing for ${longest} s`);
			if (reports === 0) problems.push(`an outage of ${seconds} s left no failed execution`);
		}
		if (!hasToldEnd) problems.push('nothing told that the log has ended');
		return problems;
	},
};

const gentle: LogLaw = {
	name: 'at most 10 requests a second',
	broken({ requests }) {
		let most = 0;
		let first = 0;
		requests.forEach((at, index) => {
			while ((requests[first] ?? at) <= at - 1_000) first++;
			most = Math.max(most, index - first + 1);
		});
		return most > MOST_REQUESTS_A_SECOND ? [`${most} requests in one second`] : [];
	},
};

/** Every law of the logs trigger, in the order of the table. */
export const logLaws: readonly LogLaw[] = [
	succeeds,
	nothingLost,
	nothingTwice,
	nothingMadeUp,
	neverSilent,
	gentle,
];
