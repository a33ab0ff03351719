import {
	DIGIT,
	ignoringCase,
	isSingle,
	LAST_CODE_POINT,
	LAST_CODE_UNIT,
	LINE_TERMINATOR,
	negated,
	single,
	SPACE,
	WORD,
	type CharacterClass,
} from './characterClass';

export type Assertion =
	'start' | 'end' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'notWordBoundary';

/** The syntax tree of a pattern. A repetition without an upper bound has the `max` Infinity. */
export type Node =
	| { kind: 'class'; set: CharacterClass }
	| { kind: 'assertion'; what: Assertion }
	| { kind: 'sequence'; of: Node[] }
	| { kind: 'alternation'; of: Node[] }
	| { kind: 'repetition'; of: Node; min: number; max: number };

export interface Mode {
	/** The flags i, m and s. */
	ignoreCase?: boolean;
	multiline?: boolean;
	dotAll?: boolean;
	/** Code points instead of UTF-16 code units. Not with `ignoreCase`: the flag u has other rules for case. */
	unicode?: boolean;
}

/** A pattern that is wrong, or that uses what this engine does not have. */
export class PatternError extends Error {
	/** @param advice what to write instead */
	constructor(
		message: string,
		readonly advice: string,
	) {
		super(message);
	}
}

const QUANTIFIER = /[*+?]|\{(\d+)(,?)(\d*)\}/y;
const ASSERTION = /\^|\$|\\b|\\B/y;
const LOOKAROUND = /\?<?[=!]/y;
const GROUP_NAME = /\?<([A-Za-z_$][\w$]*)>/y;
const HEX_ESCAPE = /x([\da-fA-F]{2})|u([\da-fA-F]{4})/y;
const MOST_NESTED = 100;
const CONTROLS: Record<string, number> = { 0: 0, t: 9, n: 10, v: 11, f: 12, r: 13 };
const MEANT_LITERALLY = 'To match such a character itself, write a backslash before it.';

/**
 * The syntax tree of a pattern: ECMA-262 with its Annex B (what is valid without the flag u), except lookaround,
 * back-references, octal and control escapes. What is unknown is refused, never taken literally.
 * @param offset where the pattern begins in the text that a person typed
 * @throws {PatternError} names the construct and its position in that text, counted from 1
 */
export function parsePattern(pattern: string, mode: Mode, offset = 0): Node {
	return new Parser(pattern, mode, offset).parse();
}

class Parser {
	private at = 0;
	private depth = 0;
	private readonly names = new Set<string>();
	private readonly last: number;

	constructor(
		private readonly text: string,
		private readonly mode: Mode,
		private readonly offset: number,
	) {
		this.last = mode.unicode ? LAST_CODE_POINT : LAST_CODE_UNIT;
	}

	parse(): Node {
		const node = this.alternation();
		if (this.at < this.text.length) this.fail('unmatched ")"', this.at);
		return node;
	}

	private alternation(): Node {
		const of = [this.sequence()];
		while (this.take('|')) of.push(this.sequence());
		return of.length === 1 ? of[0]! : { kind: 'alternation', of };
	}

	private sequence(): Node {
		const of: Node[] = [];
		while (this.at < this.text.length && !'|)'.includes(this.text[this.at]!))
			of.push(this.repeated(this.atom()));
		return { kind: 'sequence', of };
	}

	private repeated(node: Node): Node {
		const start = this.at;
		const found = this.match(QUANTIFIER);
		if (!found) return node;
		if (node.kind === 'assertion') this.fail(`nothing to repeat before "${found[0]}"`, start);
		// Lazy or greedy: it matches the same texts
		this.take('?');
		const [min, max] = boundsOf(found);
		if (min > max) this.fail(`numbers out of order in "${found[0]}"`, start);
		return { kind: 'repetition', of: node, min, max };
	}

	private atom(): Node {
		const start = this.at;
		const quantifier = this.match(QUANTIFIER);
		if (quantifier) this.fail(`nothing to repeat before "${quantifier[0]}"`, start);
		const assertion = this.match(ASSERTION);
		if (assertion) return { kind: 'assertion', what: this.assertion(assertion[0]) };
		if (this.take('(')) return this.group(start);
		if (this.take('[')) return { kind: 'class', set: this.bracketed(start) };
		if (this.take('.'))
			return {
				kind: 'class',
				set: this.mode.dotAll ? [[0, this.last]] : negated(LINE_TERMINATOR, this.last),
			};
		return { kind: 'class', set: this.cased(this.character(false)) };
	}

	private assertion(symbol: string): Assertion {
		if (symbol === '^') return this.mode.multiline ? 'lineStart' : 'start';
		if (symbol === '$') return this.mode.multiline ? 'lineEnd' : 'end';
		return symbol === '\\b' ? 'wordBoundary' : 'notWordBoundary';
	}

	private group(start: number): Node {
		const lookaround = this.match(LOOKAROUND)?.[0];
		if (lookaround)
			this.fail(
				`${lookaround.length === 3 ? 'lookbehind' : 'lookahead'} "(${lookaround}"`,
				start,
				'Lookaround is not supported. For lines of a log, Include and Exclude can be combined.',
			);
		const name = this.match(GROUP_NAME)?.[1];
		if (name !== undefined) {
			if (this.names.has(name)) this.fail(`duplicate group name "${name}"`, start);
			this.names.add(name);
		} else if (!this.take('?:') && this.text[this.at] === '?')
			this.fail(
				`unknown group "${this.text.slice(start, start + 3)}"`,
				start,
				'Groups are (…), (?:…) and (?<name>…). Flags such as (?i) are supported at the very beginning only.',
			);
		this.depth++;
		if (this.depth > MOST_NESTED) this.fail(`more than ${MOST_NESTED} nested groups`, start);
		const inner = this.alternation();
		if (!this.take(')')) this.fail('unterminated group "("', start);
		this.depth--;
		return inner;
	}

	/** The rest of a character class after its `[`. */
	private bracketed(start: number): CharacterClass {
		const isNegated = this.take('^');
		const ranges: Array<CharacterClass[number]> = [];
		while (!this.take(']')) {
			if (this.at >= this.text.length) this.fail('unterminated character class "["', start);
			ranges.push(...this.range());
		}
		const set = this.cased(ranges);
		return isNegated ? negated(set, this.last) : set;
	}

	/** `a`, `a-z`, or what merely looks like a range, as in `\d-x`: there the hyphen is a character. */
	private range(): CharacterClass {
		const start = this.at;
		const first = this.character(true);
		if (this.text[this.at] !== '-' || [']', undefined].includes(this.text[this.at + 1]))
			return first;
		this.at++;
		const last = this.character(true);
		if (!isSingle(first) || !isSingle(last)) return [...first, ...single(45), ...last];
		if (first[0]![0] > last[0]![0])
			this.fail(`range out of order "${this.text.slice(start, this.at)}"`, start);
		return [[first[0]![0], last[0]![0]]];
	}

	/** One character or one escape. */
	private character(inClass: boolean): CharacterClass {
		const start = this.at;
		if (!this.take('\\')) return single(this.next());
		const hex = this.match(HEX_ESCAPE);
		if (hex) return single(this.codeOf(hex, start));
		const letter = this.text[this.at];
		if (letter === undefined) this.fail('backslash at the end', start);
		if (!/[A-Za-z\d]/.test(letter)) return single(this.next());
		this.at++;
		if (inClass && letter === 'b') return single(8);
		const isOctal = letter === '0' && /\d/.test(this.text[this.at] ?? '');
		return (
			this.classEscape(letter) ??
			single((isOctal ? undefined : CONTROLS[letter]) ?? this.unknownEscape(letter, start))
		);
	}

	private classEscape(letter: string): CharacterClass | undefined {
		const set = { d: DIGIT, w: WORD, s: SPACE }[letter.toLowerCase()];
		return set && letter !== letter.toLowerCase() ? negated(set, this.last) : set;
	}

	private codeOf([escape, byte, unit]: RegExpExecArray, start: number): number {
		const code = Number.parseInt(byte ?? unit ?? '', 16);
		if (this.mode.unicode && code >= 0xd800 && code <= 0xdfff)
			this.fail(`half of a character "\\${escape}"`, start, 'Write the character itself.');
		return code;
	}

	private unknownEscape(letter: string, start: number): never {
		const escape = this.text.slice(start, this.at + 1);
		if (/[1-9k]/.test(letter))
			this.fail(
				`back-reference "\\${letter}"`,
				start,
				'Back-references are not supported. Write the text out.',
			);
		if (letter === '0')
			this.fail(`octal escape "${escape}"`, start, 'Write it as \\x and two hexadecimal digits.');
		if (letter === 'p' || letter === 'P')
			this.fail(
				`Unicode property escape "\\${letter}"`,
				start,
				'Write a character class, such as [A-Za-zÀ-ÿ] for letters.',
			);
		if (letter === 'u' && escape.endsWith('{'))
			this.fail(`code point escape "${escape}"`, start, 'Write the character itself.');
		if (letter === 'u' || letter === 'x')
			this.fail(
				`incomplete escape "\\${letter}"`,
				start,
				'Two hexadecimal digits follow \\x, four follow \\u.',
			);
		this.fail(
			`unknown escape "\\${letter}"`,
			start,
			'To match the letter itself, write it without a backslash.',
		);
	}

	private cased(set: CharacterClass): CharacterClass {
		return this.mode.ignoreCase ? ignoringCase(set) : set;
	}

	/** The next character as it is. */
	private next(): number {
		const code = this.mode.unicode
			? this.text.codePointAt(this.at)!
			: this.text.charCodeAt(this.at);
		this.at += code > LAST_CODE_UNIT ? 2 : 1;
		return code;
	}

	private take(text: string): boolean {
		const isThere = this.text.startsWith(text, this.at);
		if (isThere) this.at += text.length;
		return isThere;
	}

	/** @param sticky an expression with the flag y */
	private match(sticky: RegExp): RegExpExecArray | null {
		sticky.lastIndex = this.at;
		const found = sticky.exec(this.text);
		if (found) this.at = sticky.lastIndex;
		return found;
	}

	private fail(what: string, at: number, advice = MEANT_LITERALLY): never {
		throw new PatternError(`${what} at position ${this.offset + at + 1}`, advice);
	}
}

function boundsOf([whole, from, comma, to]: RegExpExecArray): [min: number, max: number] {
	if (from === undefined) return [whole === '+' ? 1 : 0, whole === '?' ? 1 : Infinity];
	return [Number(from), comma ? (to ? Number(to) : Infinity) : Number(from)];
}
