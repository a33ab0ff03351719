import { Automaton } from './automaton';
import { parsePattern } from './patternSyntax';
import type { Parameters } from './operation/parameters';

/** A regular expression that was checked and made ready. */
export interface Pattern {
	/** Whether it matches anywhere in the text. */
	test(text: string): boolean;
}

export interface PatternProblem {
	/** Continues the name of the field. */
	problem: string;
	advice: string;
}

/** Longest part of a text that is looked at. */
export const LONGEST_TESTED = 16_384;
const LONGEST_PATTERN = 1_000;

/**
 * Makes a regular expression ready whose time grows only with the length of the text, whatever it is and whatever the text:
 * JavaScript's own engine can take longer than the universe for `(a+)+$`, and nothing in n8n would run meanwhile.
 * The syntax is JavaScript's without look-around and back-references, which no such engine has.
 */
export function compilePattern(source: string): Pattern | PatternProblem {
	if (source.length > LONGEST_PATTERN) {
		return {
			problem: `must have at most ${LONGEST_PATTERN} characters, got ${source.length}`,
			advice: 'Use several filters or a Filter node after the trigger.',
		};
	}
	const program = parsePattern(source);
	if ('problem' in program) return program;
	const automaton = new Automaton(program);
	return {
		test: (text) =>
			automaton.test(text.length > LONGEST_TESTED ? text.slice(0, LONGEST_TESTED) : text),
	};
}

/** An optional field that holds a regular expression. */
export function readPattern(parameters: Parameters, name: string): Pattern | undefined {
	const source = parameters.optionalText(name);
	if (source === undefined) return undefined;
	const pattern = compilePattern(source);
	return 'problem' in pattern ? parameters.fail(name, pattern.problem, pattern.advice) : pattern;
}
