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

const FOUND: State = { steps: [], before: 'edge', next: [] };
const NOT_FOUND: State = { steps: [], before: 'edge', next: [] };

/**
 * Runs a pattern over a text in one pass: all places where the program may be are followed at once, so no text makes it
 * go back. Characters that no step of the program tells apart share one transition.
 */
export class Automaton {
	private readonly bounds: number[];
	private readonly ascii: Uint16Array;
	private readonly states = new Map<string, State>();
	private readonly marks: Int32Array;
	private mark = 0;

	constructor(private readonly program: Step[]) {
		const sets = program.flatMap((step) => (step.op === 'char' ? step.set : []));
		// Characters that the assertions tell apart
		const seen: CharSet = [[10, 10], [13, 13], [48, 57], [65, 90], [95, 95], [97, 122], [0x2028, 0x2029], ...sets];
		this.bounds = [...new Set([0, ...seen.flatMap(([first, last]) => [first, last + 1])])].sort((a, b) => a - b);
		this.ascii = Uint16Array.from({ length: 128 }, (_, unit) => this.kindOf(unit));
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

	private step(state: State, kind: number): State {
		const isEnd = kind === this.bounds.length;
		const unit = this.bounds[kind] ?? 0;
		const after = isEnd ? 'edge' : sideOf(unit);
		const places = this.spread(state, after);
		const next = places === undefined ? FOUND : isEnd ? NOT_FOUND : this.stateOf(this.taken(places, unit), sideOf(unit));
		state.next[kind] = next;
		return next;
	}

	/** All character steps that can be reached without taking a character; undefined when the end of the program can. */
	private spread({ steps, before }: State, after: Side): number[] | undefined {
		this.mark++;
		const places: number[] = [];
		const open = [0, ...steps];
		for (let place = open.pop(); place !== undefined; place = open.pop()) {
			if (this.marks[place] === this.mark) continue;
			this.marks[place] = this.mark;
			const step = this.program[place]!;
			if (step.op === 'match') return undefined;
			if (step.op === 'char') places.push(place);
			else if (step.op === 'split') open.push(...step.to);
			else if (holds(step.what, before, after)) open.push(place + 1);
		}
		return places;
	}

	private taken(places: number[], unit: number): number[] {
		return places
			.filter((place) => {
				const step = this.program[place]!;
				return step.op === 'char' && step.set.some(([first, last]) => first <= unit && unit <= last);
			})
			.map((place) => place + 1)
			.sort((a, b) => a - b);
	}

	private stateOf(steps: number[], before: Side): State {
		const key = `${before} ${steps.join(' ')}`;
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
	const isWord = (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95 || (unit >= 97 && unit <= 122);
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
