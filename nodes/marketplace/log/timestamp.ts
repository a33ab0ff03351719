import { removeColours } from './colours';
import { jsonObjectOf } from './entry';

/** JSON fields that hold the time of an entry: pino, zap, slog, zerolog, ECS, Serilog, python-json-logger. */
const FIELDS = ['time', 'timestamp', 'ts', '@timestamp', '@t', 'datetime', 'asctime'];
/** A time further in belongs to the message. */
const SEARCHED_CHARACTERS = 64;
/** Longest form, so that a time which begins in the searched characters is read to its end. */
const LONGEST = 64;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const CLOCK = '(?<hour>\\d\\d):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d+))?)?';
/** Hours alone are a zone where one exists: `-15 items removed` is the message. */
const ZONE =
	'(?: ?(?:Z|UTC|GMT)\\b(?![+-]\\d)| ?(?<zone>[+-]\\d\\d:?\\d\\d)\\b| ?(?<zoneHour>[+-](?:0\\d|1[0-4]))\\b(?![-:.,/]?\\d))?';
/** More digits, a clock of 12 hours, a zone such as `+5:30`, or one whose offset its name does not tell for sure: not understood. */
const NO_MORE =
	'(?![:.,]?\\d|\\s?[AaPp]\\.?\\s?[Mm]\\b| ?[+-]\\d:\\d\\d| ?(?:UTC|GMT)[+-]\\d| (?:[ECMP][SD]T|[CEW]ES?T|BST|IST|JST|KST|MSK|HKT|SGT|A[CEKW][SD]T|NZ[SD]T|HST|PKT|WI[BT]|ICT|PHT|[CEW]AT|SAST|[AB]RT|CLS?T)\\b)';
const FORMS = [
	// ISO 8601 and RFC 3339; with blanks, commas or slashes as logback, Python, Go and nginx write it
	`(?<year>\\d{4})([-/])(?<month>\\d\\d)\\2(?<day>\\d\\d)(?:[T_]|,? )${CLOCK}${ZONE}${NO_MORE}`,
	// 22/Nov/2026:10:00:00 +0000 (access logs), 22-Nov-2026 10:00:00 (Tomcat, PHP), Sun, 22 Nov 2026 10:00:00 GMT, Redis
	`(?<day>\\d\\d?)([/ -])(?<month>${MONTHS.join('|')})\\2(?<year>\\d{4})[: ]${CLOCK}${ZONE}${NO_MORE}`,
	// Sun Nov 22 10:00:00.123456 2026 (ctime, Apache)
	`\\b(?<month>${MONTHS.join('|')}) {1,2}(?<day>\\d\\d?) ${CLOCK}(?: (?:UTC|GMT))? (?<year>\\d{4})\\b`,
].map((form) => new RegExp(`(?<![\\d:.])${form}`));

/** Units of a count since 1970 by its size, in milliseconds: seconds up to the year 5138, then a thousandth each time. */
const UNITS: Array<[below: number, milliseconds: number]> = [
	[1e8, NaN],
	[1e11, 1_000],
	[1e14, 1],
	[1e17, 1e-3],
	[1e20, 1e-6],
];

/**
 * The time that a log line shows of itself, as ISO 8601 in UTC with milliseconds; undefined where it shows none, an impossible one,
 * or one that is not complete: RFC 3164 and klog have no year. A time without a zone is taken for UTC; finer digits
 * are cut off. It must begin in the first 64 characters, colours not counted; of a line that is a JSON object only its fields
 * count (`time`, `timestamp`, `ts`, `@timestamp`, …), as text or as seconds, ms, µs or ns since 1970.
 * @param json the JSON object that the line consists of, where the caller has it
 */
export function timestampOf(line: string, json = jsonObjectOf(line)): string | undefined {
	if (!json) return timeInText(removeColours(line));
	for (const name of FIELDS) {
		const value = json[name];
		const time =
			typeof value === 'number' || (typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value))
				? timeOfCount(Number(value))
				: typeof value === 'string'
					? timeInText(value)
					: undefined;
		if (time !== undefined) return time;
	}
	return undefined;
}

function timeOfCount(count: number): string | undefined {
	const milliseconds = UNITS.find(([below]) => count < below)?.[1] ?? NaN;
	// Floating-point seconds such as 1763805600.123 are a little less than they say
	return isoOf(Math.floor(Math.round(count * milliseconds * 1_000) / 1_000));
}

function timeInText(text: string): string | undefined {
	const head = text.slice(0, SEARCHED_CHARACTERS + LONGEST);
	const found = FORMS.map((form) => form.exec(head))
		.filter((form) => form !== null && form.index < SEARCHED_CHARACTERS)
		.sort((a, b) => a!.index - b!.index)[0];
	return found?.groups && timeOfParts(found.groups);
}

/** `Date.UTC` takes 30 February for 2 March, so what it makes of the parts must say the same as they do. */
function timeOfParts(parts: Record<string, string | undefined>): string | undefined {
	const { year, month, day, hour, minute, second = '00', fraction = '' } = parts;
	const monthNumber = MONTHS.indexOf(month!) + 1 || Number(month);
	const local = [year, two(monthNumber), two(Number(day))].join('-');
	const clock = `${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
	const time = Date.UTC(
		Number(year),
		monthNumber - 1,
		Number(day),
		Number(hour),
		Number(minute),
		Number(second),
		Number(fraction.slice(0, 3).padEnd(3, '0')),
	);
	const isPossible = isoOf(time) === `${local}T${clock}`;
	const offset = minutesOf(parts.zone ?? parts.zoneHour ?? '+0000');
	return isPossible && offset !== undefined ? isoOf(time - offset * 60_000) : undefined;
}

const two = (value: number) => String(value).padStart(2, '0');

/** Minutes of a zone such as `+0530`, `-05:00` or `+02`; undefined beyond a day. */
function minutesOf(zone: string): number | undefined {
	const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
	const isHourOnly = zone.length === '+02'.length;
	if (hours > 23 || minutes > 59) return undefined;
	return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + (isHourOnly ? 0 : minutes));
}

function isoOf(time: number): string | undefined {
	const date = new Date(time);
	return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
