import { contains, LINE_TERMINATOR, WORD, type CharacterClass } from './characterClass';
import type { Assertion } from './parser';
import type { Instruction } from './program';

/** What is beside a position in the text, as far as `^`, `$` and `\b` distinguish it. */
type Side = 'edge' | 'line' | 'word' | 'other';

/** A state of the DFA: the instructions that a text leads to, without their epsilon closure. */
interface State {
	instructions: number[];
	before: Side;
	/** By symbol; computed on first use. */
	next: Array<State | undefined>;
}

/** More are dropped and computed again, so memory is bounded for a pattern with very many states. */
const MOST_STATES = 1_000;

const ACCEPTED: State = { instructions: [], before: 'edge', next: [] };
const REJECTED: State = { instructions: [], before: 'edge', next: [] };

/** Counts the work of matching, and ends it at a limit. */
export class StepBudget {
	/** One for each character that was read and for each instruction of a program that was looked at. */
	used = 0;

	constructor(private readonly limit = Infinity) {}

	/** @throws {StepLimitError} */
	spend(steps: number): void {
		this.used += steps;
		if (this.used > this.limit) throw new StepLimitError();
	}
}

export class StepLimitError extends Error {}

/**
 * Matches an NFA program anywhere in a text, in one pass and without backtracking: a lazy DFA. Its alphabet is not the
 * characters but the ranges of them that no instruction distinguishes ("symbols").
 */
export class Matcher {
	/** First character of each symbol. */
	private readonly bounds: number[];
	private readonly asciiSymbols: Uint16Array;
	/** For each instruction that consumes a character: 1 for the symbols that it accepts. */
	private readonly accepts: Array<Uint8Array | undefined>;
	private readonly states = new Map<string, State>();
	/** The closure that each instruction was last visited for. */
	private readonly visits: Int32Array;
	private closure = 0;

	/** @param isUnicode whether the classes of the program hold code points instead of code units */
	constructor(
		private readonly program: Instruction[],
		private readonly isUnicode: boolean,
		private readonly budget: StepBudget,
	) {
		// The copies of a part that is repeated share its class
		const sets = new Set(program.flatMap((step) => (step.op === 'class' ? [step.set] : [])));
		const edges = [LINE_TERMINATOR, WORD, ...sets].flat();
		this.bounds = [...new Set([0, ...edges.flatMap(([first, last]) => [first, last + 1])])].sort(
			(a, b) => a - b,
		);
		this.asciiSymbols = Uint16Array.from({ length: 128 }, (_, code) => this.symbolOf(code));
		const symbols = new Map([...sets].map((set) => [set, this.symbolsOf(set)]));
		this.accepts = program.map((step) => (step.op === 'class' ? symbols.get(step.set) : undefined));
		this.visits = new Int32Array(program.length);
	}

	test(text: string): boolean {
		this.budget.spend(text.length);
		let state = this.stateOf([], 'edge');
		for (let at = 0; at < text.length; at++) {
			const code = this.isUnicode ? text.codePointAt(at)! : text.charCodeAt(at);
			if (code > 0xffff) at++;
			const symbol = code < 128 ? this.asciiSymbols[code]! : this.symbolOf(code);
			state = state.next[symbol] ?? this.transition(state, symbol);
			if (state === ACCEPTED) return true;
		}
		const end = this.bounds.length;
		return (state.next[end] ?? this.transition(state, end)) === ACCEPTED;
	}

	/** Index of the range of characters that a character belongs to. */
	private symbolOf(code: number): number {
		let [low, high] = [0, this.bounds.length - 1];
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if (this.bounds[middle]! <= code) low = middle;
			else high = middle - 1;
		}
		return low;
	}

	private symbolsOf(set: CharacterClass): Uint8Array {
		const symbols = new Uint8Array(this.bounds.length);
		for (const [first, last] of set) symbols.fill(1, this.symbolOf(first), this.symbolOf(last) + 1);
		return symbols;
	}

	/** @param symbol the number of symbols stands for the end of the text */
	private transition(state: State, symbol: number): State {
		const isEnd = symbol === this.bounds.length;
		const after = isEnd ? 'edge' : sideOf(this.bounds[symbol]!);
		const isAccepted = this.visitClosure(state, after);
		const next = isAccepted
			? ACCEPTED
			: isEnd
				? REJECTED
				: this.stateOf(this.consumed(symbol), after);
		state.next[symbol] = next;
		return next;
	}

	/** Visits the epsilon closure of a state; true where it holds the end of the program. */
	private visitClosure({ instructions, before }: State, after: Side): boolean {
		this.closure++;
		// A match may begin at every character
		const open = [0, ...instructions];
		let steps = 0;
		for (let at = open.pop(); at !== undefined; at = open.pop()) {
			steps++;
			if (this.visits[at] === this.closure) continue;
			this.visits[at] = this.closure;
			const step = this.program[at]!;
			if (step.op === 'accept') return true;
			if (step.op === 'epsilon') for (const to of step.to) open.push(to);
			else if (step.op === 'assertion' && holds(step.what, before, after)) open.push(at + 1);
		}
		this.budget.spend(steps);
		return false;
	}

	/** The instructions after those of the closure that consume this symbol. */
	private consumed(symbol: number): number[] {
		const instructions: number[] = [];
		// In the order of the program, so that nothing has to be sorted
		for (let at = 0; at < this.accepts.length; at++) {
			if (this.visits[at] === this.closure && this.accepts[at]?.[symbol] === 1)
				instructions.push(at + 1);
		}
		this.budget.spend(this.accepts.length);
		return instructions;
	}

	private stateOf(instructions: number[], before: Side): State {
		const key = before + String.fromCharCode(...instructions);
		const known = this.states.get(key);
		if (known) return known;
		if (this.states.size >= MOST_STATES) this.dropStates();
		const state: State = { instructions, before, next: [] };
		this.states.set(key, state);
		return state;
	}

	private dropStates(): void {
		for (const state of this.states.values()) state.next = [];
		this.states.clear();
	}
}

function sideOf(code: number): Side {
	if (contains(LINE_TERMINATOR, code)) return 'line';
	return contains(WORD, code) ? 'word' : 'other';
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
		case 'wordBoundary':
			return (before === 'word') !== (after === 'word');
		case 'notWordBoundary':
			return (before === 'word') === (after === 'word');
	}
}
