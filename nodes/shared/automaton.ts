import type { Assertion, CharSet, Step } from './patternSyntax';

/** What stands beside a place in the text, as far as `^`, `$` and `\b` see it. */
type Side = 'edge' | 'line' | 'word' | 'other';

/** Where the program may be after a text; transitions are worked out when they are first needed. */
interface State {
	steps: number[];
	before: Side;
	next: Array<State | undefined>;
}

/** More are forgotten and worked out again, so memory is bounded for a pattern with very many states. */
const MOST_STATES = 1_000;

/** Characters that the assertions tell apart. */
const TOLD_APART: CharSet = [
	[10, 10],
	[13, 13],
	[48, 57],
	[65, 90],
	[95, 95],
	[97, 122],
	[0x2028, 0x2029],
];

const FOUND: State = { steps: [], before: 'edge', next: [] };
const NOT_FOUND: State = { steps: [], before: 'edge', next: [] };

/**
 * Runs a pattern over a text in one pass: all places where the program may be are followed at once, so no text makes it
 * go back. Characters that no step of the program tells apart share one transition.
 */
export class Automaton {
	private readonly bounds: number[];
	private readonly ascii: Uint16Array;
	/** For each step that takes a character: which kinds of characters it takes. */
	private readonly takes: Array<Uint8Array | undefined>;
	private readonly states = new Map<string, State>();
	private readonly marks: Int32Array;
	private mark = 0;

	constructor(private readonly program: Step[]) {
		// The copies of a part that is repeated share its set
		const sets = new Set(program.map((step) => (step.op === 'char' ? step.set : [])));
		this.bounds = [
			...new Set([
				0,
				...[TOLD_APART, ...sets].flat().flatMap(([first, last]) => [first, last + 1]),
			]),
		].sort((a, b) => a - b);
		this.ascii = Uint16Array.from({ length: 128 }, (_, unit) => this.kindOf(unit));
		const kinds = new Map([...sets].map((set) => [set, this.kindsOf(set)]));
		this.takes = program.map((step) => (step.op === 'char' ? kinds.get(step.set) : undefined));
		this.marks = new Int32Array(program.length);
	}

	test(text: string): boolean {
		let state = this.stateOf([], 'edge');
		for (let at = 0; at < text.length; at++) {
			const unit = text.charCodeAt(at);
			const kind = unit < 128 ? this.ascii[unit]! : this.kindOf(unit);
			state = state.next[kind] ?? this.step(state, kind);
			if (state === FOUND) return true;
		}
		const end = this.bounds.length;
		return (state.next[end] ?? this.step(state, end)) === FOUND;
	}

	/** Index of the range of characters that a unit belongs to. */
	private kindOf(unit: number): number {
		let [low, high] = [0, this.bounds.length - 1];
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (this.bounds[middle]! <= unit) low = middle;
			else high = middle - 1;
		}
		return low;
	}

	private kindsOf(set: CharSet): Uint8Array {
		const kinds = new Uint8Array(this.bounds.length);
		for (const [first, last] of set) kinds.fill(1, this.kindOf(first), this.kindOf(last) + 1);
		return kinds;
	}

	private step(state: State, kind: number): State {
		const isEnd = kind === this.bounds.length;
		const after = isEnd ? 'edge' : sideOf(this.bounds[kind] ?? 0);
		const isFound = this.spread(state, after);
		const next = isFound ? FOUND : isEnd ? NOT_FOUND : this.stateOf(this.taken(kind), after);
		state.next[kind] = next;
		return next;
	}

	/** Marks all steps that can be reached without taking a character; true when the end of the program can. */
	private spread({ steps, before }: State, after: Side): boolean {
		this.mark++;
		const open = [0, ...steps];
		for (let place = open.pop(); place !== undefined; place = open.pop()) {
			if (this.marks[place] === this.mark) continue;
			this.marks[place] = this.mark;
			const step = this.program[place]!;
			if (step.op === 'match') return true;
			if (step.op === 'split') for (const to of step.to) open.push(to);
			else if (step.op === 'assert' && holds(step.what, before, after)) open.push(place + 1);
		}
		return false;
	}

	/** The steps after those that are marked and take a character of this kind, in order. */
	private taken(kind: number): number[] {
		const steps: number[] = [];
		// In the order of the program, so that nothing has to be sorted
		for (let place = 0; place < this.takes.length; place++) {
			if (this.marks[place] === this.mark && this.takes[place]?.[kind] === 1) steps.push(place + 1);
		}
		return steps;
	}

	private stateOf(steps: number[], before: Side): State {
		const key = before + String.fromCharCode(...steps);
		const known = this.states.get(key);
		if (known) return known;
		if (this.states.size >= MOST_STATES) this.forget();
		const state: State = { steps, before, next: [] };
		this.states.set(key, state);
		return state;
	}

	private forget(): void {
		for (const state of this.states.values()) state.next = [];
		this.states.clear();
	}
}

function sideOf(unit: number): Side {
	if (unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029) return 'line';
	const isWord =
		(unit >= 48 && unit <= 57) ||
		(unit >= 65 && unit <= 90) ||
		unit === 95 ||
		(unit >= 97 && unit <= 122);
	return isWord ? 'word' : 'other';
}

function holds(what: Assertion, before: Side, after: Side): boolean {
	switch (what) {
		case 'start':
			return before === 'edge';
		case 'end':
			return after === 'edge';
		case 'lineStart':
			return before === 'edge' || before === 'line';
		case 'lineEnd':
			return after === 'edge' || after === 'line';
		case 'word':
			return (before === 'word') !== (after === 'word');
		case 'noWord':
			return (before === 'word') === (after === 'word');
	}
}
