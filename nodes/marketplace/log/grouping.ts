import { removeColours } from './colours';

/** Longest signature, in characters. */
const LONGEST_SIGNATURE = 200;
/** What lies behind is the same error, told at length. */
const READ_CHARACTERS = 2_000;

const TRACEBACK = 'Traceback (most recent call last):';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const CLOCK =
	'\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?(?: ?(?:Z|[AP]M|UTC|GMT)\\b| ?[+-]\\d\\d:?\\d\\d\\b)?';

/** What differs from one occurrence to the next, the longest form first. */
const VARIABLES: Array<[placeholder: string, form: string]> = [
	// Without its other quote it runs to the end, so that nothing is read twice
	['<text>', '"(?:[^"\\\\]|\\\\.)*(?:"|\\\\?$)|`[^`]*(?:`|$)|(?<!\\w)\'[^\']*\'(?!\\w)'],
	['<time>', `\\d{4}[-/]\\d\\d[-/]\\d\\d(?:[T_]|,? )${CLOCK}|\\d{4}[-/]\\d\\d[-/]\\d\\d`],
	[
		'<time>',
		`\\d\\d?[/ -]${MONTH}[/ -]\\d{4}[: ]${CLOCK}|\\b${MONTH} +\\d\\d? ${CLOCK}(?: \\d{4}\\b)?`,
	],
	['<time>', `\\b${CLOCK}`],
	['<id>', '(?<![\\da-f])[\\da-f]{8}-(?:[\\da-f]{4}-){3}[\\da-f]{12}(?![\\da-f])'],
	['<id>', '\\b0x[\\da-f]+|\\b(?=[a-f]*\\d)(?=\\d*[a-f])[\\da-f]{8,}\\b'],
	['<number>', '\\d+(?:[.,:]\\d+)*'],
	[' ', '\\s+'],
];
const VARIABLE = new RegExp(VARIABLES.map(([, form]) => `(${form})`).join('|'), 'gi');

/**
 * The text of an entry without what differs each time, so that equal errors have equal signatures: quoted texts, times, UUIDs and
 * hashes of 8 digits and more, and numbers become `<text>`, `<time>`, `<id>` and `<number>`. Colours are
 * removed. Of several lines the first counts, of a traceback the last, which names the exception. At most 200 characters;
 * only the first 2,000 of that line are read.
 */
export function signatureOf(entry: string): string {
	const text = removeColours(entry).trim();
	const line = text.startsWith(TRACEBACK)
		? text.slice(text.lastIndexOf('\n') + 1)
		: text.split('\n', 1)[0]!;
	return line
		.slice(0, READ_CHARACTERS)
		.replace(VARIABLE, (_, ...groups: unknown[]) => {
			const index = groups.findIndex((group) => group !== undefined);
			return VARIABLES[index]![0];
		})
		.slice(0, LONGEST_SIGNATURE)
		.trim();
}
