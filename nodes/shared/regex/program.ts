import type { CharacterClass } from './characterClass';
import { PatternError, type Assertion, type Node } from './parser';

/**
 * One instruction of an NFA program: consume a character of a class, follow epsilon transitions, check an assertion, accept.
 * `class` and `assertion` go on with the instruction after them.
 */
export type Instruction =
	| { op: 'class'; set: CharacterClass }
	| { op: 'epsilon'; to: number[] }
	| { op: 'assertion'; what: Assertion }
	| { op: 'accept' };

/** The work for a character can grow with the program, so a larger one is refused. */
const MOST_INSTRUCTIONS = 1_000;

/**
 * The NFA program of a syntax tree (Thompson's construction); a bounded repetition is written out.
 * @throws {PatternError} where it would be too large
 */
export function programOf(node: Node): Instruction[] {
	const program: Instruction[] = [];
	emit(node, program);
	program.push({ op: 'accept' });
	return program;
}

function emit(node: Node, program: Instruction[]): void {
	if (program.length > MOST_INSTRUCTIONS)
		throw new PatternError(
			'too large once its repetitions are written out',
			`A repetition such as {100} counts a hundred times; at most ${MOST_INSTRUCTIONS} instructions are supported.`,
		);
	if (node.kind === 'class') program.push({ op: 'class', set: node.set });
	else if (node.kind === 'assertion') program.push({ op: 'assertion', what: node.what });
	else if (node.kind === 'sequence') node.of.forEach((part) => emit(part, program));
	else if (node.kind === 'alternation') emitAlternation(node.of, program);
	else emitRepetition(node, program);
}

function emitAlternation(alternatives: Node[], program: Instruction[]): void {
	const entries: number[] = [];
	const exits: number[][] = [];
	program.push({ op: 'epsilon', to: entries });
	for (const alternative of alternatives) {
		entries.push(program.length);
		emit(alternative, program);
		const exit: number[] = [];
		exits.push(exit);
		program.push({ op: 'epsilon', to: exit });
	}
	exits.forEach((exit) => exit.push(program.length));
}

function emitRepetition(
	{ of, min, max }: Extract<Node, { kind: 'repetition' }>,
	program: Instruction[],
): void {
	for (let count = 0; count < min; count++) {
		const before = program.length;
		emit(of, program);
		// An empty group stays empty however often it is repeated, and the limit would never end that
		if (program.length === before) break;
	}
	if (max === Infinity) {
		const loop = program.length;
		const to = [loop + 1];
		program.push({ op: 'epsilon', to });
		emit(of, program);
		program.push({ op: 'epsilon', to: [loop] });
		to.push(program.length);
		return;
	}
	const skips: number[][] = [];
	for (let count = min; count < max; count++) {
		const to = [program.length + 1];
		skips.push(to);
		program.push({ op: 'epsilon', to });
		emit(of, program);
	}
	skips.forEach((to) => to.push(program.length));
}
