/**
 * Regular expressions whose time grows only with the length of the text. Patterns come from people, texts from containers
 * and models, and n8n runs in one thread: while a pattern is matched, nothing else happens in it.
 *
 * Why an engine of our own:
 * - JavaScript's RegExp backtracks: `^(a+)+$` takes 0.1 s for 24 letters and an exclamation mark, and at least twice as
 *   long for each letter more. Nothing can interrupt it.
 * - `re2js` has 46 kB after gzip, half of the package, and uses `globalThis`, which n8n's scanner forbids. This folder
 *   has 5 kB.
 *
 * A pattern means what it means to RegExp without the flag u: text is UTF-16, so `^.$` does not match an emoji, which is
 * two code units. In Unicode mode it is one code point, as with the flag u. `test/unit/regex-equality.test.mts` compares
 * both with RegExp. What this engine does not have is refused, see `parsePattern`.
 */
import { Matcher, StepBudget } from './matcher';
import { parsePattern, PatternError, type Mode } from './parser';
import { programOf } from './program';

export { StepBudget, StepLimitError } from './matcher';

/** A regular expression that is ready to use. */
export interface Regex {
	/** Whether it matches anywhere in the text. */
	test(text: string): boolean;
}

export interface RegexProblem {
	/** Continues the name of the field or the pattern. */
	problem: string;
	advice: string;
}

const MOST_CHARACTERS = 1_000;

/**
 * Compiles a pattern, without slashes and flags.
 * @param offset where the pattern begins in what the person typed, for the position in a problem
 * @param budget counts the work of `test`, which throws a StepLimitError where it is used up
 */
export function compileRegex(
	pattern: string,
	mode: Mode = {},
	{ offset = 0, budget = new StepBudget() } = {},
): Regex | RegexProblem {
	if (offset + pattern.length > MOST_CHARACTERS)
		return {
			problem: `must have at most ${MOST_CHARACTERS} characters, got ${offset + pattern.length}`,
			advice: 'Split it into several shorter ones.',
		};
	try {
		const program = programOf(parsePattern(pattern, mode, offset));
		return new Matcher(program, mode.unicode === true, budget);
	} catch (error) {
		return problemOf(error);
	}
}

function problemOf(error: unknown): RegexProblem {
	if (error instanceof PatternError) return unsupported(error.message, error.advice);
	throw error;
}

/** @param what what is wrong, and where */
export function unsupported(what: string, advice: string): RegexProblem {
	return { problem: `is not a supported regular expression: ${what}`, advice };
}
