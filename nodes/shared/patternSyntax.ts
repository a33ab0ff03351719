import type { PatternProblem } from './pattern';

/** Inclusive ranges of UTF-16 code units. */
export type CharSet = Array<readonly [number, number]>;

export type Assertion = 'start' | 'end' | 'lineStart' | 'lineEnd' | 'word' | 'noWord';

/** One step of a program: take a character, branch, look around by one character, or accept. */
export type Step =
	| { op: 'char'; set: CharSet }
	| { op: 'split'; to: number[] }
	| { op: 'assert'; what: Assertion }
	| { op: 'match' };

type Tree =
	| { kind: 'char'; set: CharSet }
	| { kind: 'assert'; what: Assertion }
	| { kind: 'sequence'; of: Tree[] }
	| { kind: 'choice'; of: Tree[] }
	| { kind: 'repeat'; of: Tree; min: number; max: number };

/** The work for one character grows with the program, so a large one is refused. */
const LARGEST_PROGRAM = 1_000;
const LAST_UNIT = 0xffff;

const DIGIT: CharSet = [[48, 57]];
const WORD: CharSet = [
	[48, 57],
	[65, 90],
	[95, 95],
	[97, 122],
];
const SPACE: CharSet = [
	[9, 13],
	[32, 32],
	[160, 160],
	[0x1680, 0x1680],
	[0x2000, 0x200a],
	[0x2028, 0x2029],
	[0x202f, 0x202f],
	[0x205f, 0x205f],
	[0x3000, 0x3000],
	[0xfeff, 0xfeff],
];
const LINE_END: CharSet = [
	[10, 10],
	[13, 13],
	[0x2028, 0x2029],
];
const CLASSES: Record<string, CharSet> = {
	d: DIGIT,
	w: WORD,
	s: SPACE,
	D: inverse(DIGIT),
	W: inverse(WORD),
	S: inverse(SPACE),
};
const CONTROLS: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** The program of a regular expression, or what is wrong with it. `/…/i` and a leading `(?i)` set flags. */
export function parsePattern(source: string): Step[] | PatternProblem {
	const slashed = /^\/(.+)\/([imsgu]*)$/s.exec(source);
	const inline = /^\(\?([a-z]+)\)/.exec(slashed?.[1] ?? source);
	const flags = `${slashed?.[2] ?? ''}${inline?.[1] ?? ''}`;
	const body = (slashed?.[1] ?? source).slice(inline?.[0].length ?? 0);
	const unknown = [...flags].find((flag) => !'imsgu'.includes(flag));
	if (unknown !== undefined)
		return problemOf(`has the unknown flag "${unknown}"`, 'The flags i, m and s are known.');
	try {
		const steps: Step[] = [];
		emit(new Parser(body, flags).parse(), steps);
		steps.push({ op: 'match' });
		return steps;
	} catch (error) {
		if (error instanceof Fault) return problemOf(error.message, error.advice);
		return problemOf('nests its groups too deeply', 'Write it with fewer groups.');
	}
}

function problemOf(what: string, advice: string): PatternProblem {
	return { problem: `is no regular expression that can be used: it ${what}`, advice };
}

class Fault extends Error {
	constructor(
		message: string,
		readonly advice = 'To find such a character itself, write a backslash before it.',
	) {
		super(message);
	}
}

class Parser {
	private at = 0;

	constructor(
		private readonly text: string,
		private readonly flags: string,
	) {}

	parse(): Tree {
		const tree = this.choice();
		if (this.at < this.text.length) throw new Fault('closes a group that was never opened');
		return tree;
	}

	private choice(): Tree {
		const of = [this.sequence()];
		while (this.take('|')) of.push(this.sequence());
		return of.length === 1 ? of[0]! : { kind: 'choice', of };
	}

	private sequence(): Tree {
		const of: Tree[] = [];
		while (this.at < this.text.length && !'|)'.includes(this.text[this.at]!))
			of.push(this.repeated(this.atom()));
		return { kind: 'sequence', of };
	}

	private repeated(tree: Tree): Tree {
		const found = this.match(/[*+?]|\{(\d+)(,?)(\d*)\}/y);
		if (!found) return tree;
		if (tree.kind === 'assert') throw new Fault(`repeats with ${found[0]} what has no length`);
		this.take('?');
		const [min, max] = boundsOf(found);
		if (min > max) throw new Fault(`has the bounds of ${found[0]} in the wrong order`);
		return { kind: 'repeat', of: tree, min, max };
	}

	private atom(): Tree {
		if (this.match(/[*+?]/y)) throw new Fault('repeats nothing: a *, + or ? has nothing before it');
		if (this.take('(')) return this.group();
		if (this.take('[')) return { kind: 'char', set: this.fold(this.classSet()) };
		if (this.take('.'))
			return { kind: 'char', set: this.flags.includes('s') ? [[0, LAST_UNIT]] : inverse(LINE_END) };
		const lines = this.flags.includes('m');
		if (this.take('^')) return { kind: 'assert', what: lines ? 'lineStart' : 'start' };
		if (this.take('$')) return { kind: 'assert', what: lines ? 'lineEnd' : 'end' };
		if (this.match(/\\b/y)) return { kind: 'assert', what: 'word' };
		if (this.match(/\\B/y)) return { kind: 'assert', what: 'noWord' };
		return { kind: 'char', set: this.fold(this.unit(false)) };
	}

	private group(): Tree {
		if (this.match(/\?(?:[=!]|<[=!])/y))
			throw new Fault(
				'looks around with (?=, (?!, (?<= or (?<!',
				'Use Include and Exclude together instead: both are tried on each line.',
			);
		if (!this.match(/\?(?::|<[A-Za-z_$][\w$]*>)/y) && this.text[this.at] === '?')
			throw new Fault(
				'has a group that begins with an unknown (?',
				'Flags such as (?i) may stand only at the very beginning.',
			);
		const inner = this.choice();
		if (!this.take(')')) throw new Fault('does not close a group');
		return inner;
	}

	private classSet(): CharSet {
		const isInverse = this.take('^');
		const set: CharSet = [];
		while (!this.take(']')) {
			if (this.at >= this.text.length) throw new Fault('does not close a class [');
			const first = this.unit(true);
			if (this.text[this.at] !== '-' || [']', undefined].includes(this.text[this.at + 1])) {
				set.push(...first);
				continue;
			}
			this.at++;
			const last = this.unit(true);
			if (!isOne(first) || !isOne(last)) set.push(...first, [45, 45], ...last);
			else if (first[0]![0] > last[0]![0])
				throw new Fault('has a range in a class in the wrong order');
			else set.push([first[0]![0], last[0]![0]]);
		}
		return isInverse ? inverse(this.fold(set)) : set;
	}

	/** One character or one escape. */
	private unit(inClass: boolean): CharSet {
		if (!this.take('\\')) return one(this.text.charCodeAt(this.at++));
		const hex = this.match(/x([\da-fA-F]{2})|u([\da-fA-F]{4})/y);
		if (hex) return one(Number.parseInt(hex[1] ?? hex[2]!, 16));
		const letter = this.text[this.at++];
		if (letter === undefined) throw new Fault('ends with a backslash');
		const known = CLASSES[letter];
		if (known) return known;
		if (/[1-9]|k/.test(letter))
			throw new Fault(
				`refers back to a group with \\${letter}`,
				'Back-references are not available. Write the text out.',
			);
		if (inClass && letter === 'b') return one(8);
		return one(CONTROLS[letter] ?? letter.charCodeAt(0));
	}

	/** With the flag i: the set with the other case of each of its characters. */
	private fold(set: CharSet): CharSet {
		if (!this.flags.includes('i')) return set;
		const folded: CharSet = [...set];
		for (const [from, to] of set) {
			for (let unit = from; unit <= Math.min(to, from + 0x400); unit++) {
				const text = String.fromCharCode(unit);
				for (const other of [text.toLowerCase(), text.toUpperCase()])
					if (other.length === 1) folded.push(...one(other.charCodeAt(0)));
			}
		}
		return merged(folded);
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
}

function boundsOf([whole, from, comma, to]: RegExpExecArray): [number, number] {
	if (from === undefined) return [whole === '+' ? 1 : 0, whole === '?' ? 1 : Infinity];
	return [Number(from), comma ? (to ? Number(to) : Infinity) : Number(from)];
}

function emit(tree: Tree, steps: Step[]): void {
	if (steps.length > LARGEST_PROGRAM)
		throw new Fault(
			'is too large once its repetitions are written out',
			`A repetition such as {100} counts a hundred times; at most ${LARGEST_PROGRAM} steps are allowed.`,
		);
	if (tree.kind === 'char') steps.push({ op: 'char', set: tree.set });
	else if (tree.kind === 'assert') steps.push({ op: 'assert', what: tree.what });
	else if (tree.kind === 'sequence') tree.of.forEach((part) => emit(part, steps));
	else if (tree.kind === 'choice') emitChoice(tree.of, steps);
	else emitRepeat(tree, steps);
}

function emitChoice(parts: Tree[], steps: Step[]): void {
	const fork: number[] = [];
	const exits: number[][] = [];
	steps.push({ op: 'split', to: fork });
	for (const part of parts) {
		fork.push(steps.length);
		emit(part, steps);
		const exit: number[] = [];
		exits.push(exit);
		steps.push({ op: 'split', to: exit });
	}
	exits.forEach((exit) => exit.push(steps.length));
}

function emitRepeat({ of, min, max }: Extract<Tree, { kind: 'repeat' }>, steps: Step[]): void {
	for (let count = 0; count < min; count++) {
		const before = steps.length;
		emit(of, steps);
		// What is empty once is empty however often it is repeated, and no limit of steps would ever end that
		if (steps.length === before) break;
	}
	if (max === Infinity) {
		const loop = steps.length;
		const fork = [loop + 1];
		steps.push({ op: 'split', to: fork });
		emit(of, steps);
		steps.push({ op: 'split', to: [loop] });
		fork.push(steps.length);
		return;
	}
	const forks: number[][] = [];
	for (let count = min; count < max; count++) {
		const fork = [steps.length + 1];
		forks.push(fork);
		steps.push({ op: 'split', to: fork });
		emit(of, steps);
	}
	forks.forEach((fork) => fork.push(steps.length));
}

const one = (unit: number): CharSet => [[unit, unit]];

const isOne = (set: CharSet): boolean => set.length === 1 && set[0]![0] === set[0]![1];

/** The same characters in as few ranges as possible. */
function merged(set: CharSet): CharSet {
	return inverse(inverse(set));
}

function inverse(set: CharSet): CharSet {
	const result: CharSet = [];
	let from = 0;
	for (const [first, last] of [...set].sort((a, b) => a[0] - b[0])) {
		if (first > from) result.push([from, first - 1]);
		from = Math.max(from, last + 1);
	}
	if (from <= LAST_UNIT) result.push([from, LAST_UNIT]);
	return result;
}
