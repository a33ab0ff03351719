import vm from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRegex } from '../../nodes/shared/regex/index.ts';

const FLAGS = ['', 'i', 'm', 's', 'im', 'is', 'ms', 'ims'];
const TEXTS_EACH = 10;
/** Patterns for each property, each with ten texts; set REGEX_RUNS for more. */
const RUNS = Number(process.env.REGEX_RUNS ?? 300);

function modeOf(flags: string) {
	return {
		ignoreCase: flags.includes('i'),
		multiline: flags.includes('m'),
		dotAll: flags.includes('s'),
		unicode: flags.includes('u'),
	};
}

const words = (list: string) => list.split(' ');
const member = fc.constantFrom(
	...words(
		'a b k s S z 1 _ . é ſ K ß µ Σ 😀 ^ a-k A-z \\d \\W \\s \\S \\b \\n \\- \\] \\x41 \\u017f',
	),
);
const characterClass = fc
	.tuple(
		fc.constantFrom('[', '[^', '[-'),
		fc.array(member, { maxLength: 4 }),
		fc.constantFrom(']', '-]'),
	)
	.map(([open, members, close]) => `${open}${members.join('')}${close}`);
const atom = fc.oneof(
	fc.constantFrom(...words('a b k s S K 1 _ - . é É ſ K ß µ σ 😀 { } ] a{ a{,2}')),
	fc.constantFrom(
		...words('. \\d \\D \\w \\W \\s \\S \\. \\/ \\- \\n \\t \\0(?:) \\x4b \\u017f \\u212a \\ud83d'),
	),
	characterClass,
);
const quantifier = fc.constantFrom(
	'',
	'',
	'',
	...words('* + ? *? +? ?? {2} {1,3} {0,} {0} {1,2}?'),
);
const assertion = fc.constantFrom('^', '$', '\\b', '\\B');
const { expression } = fc.letrec<Record<'expression' | 'term', string>>((tie) => ({
	expression: fc
		.array(fc.oneof({ weight: 6, arbitrary: tie('term') }, assertion, fc.constant('|')), {
			minLength: 1,
			maxLength: 5,
		})
		.map((parts) => parts.join('')),
	term: fc
		.tuple(
			fc.oneof(
				{ maxDepth: 2, withCrossShrink: true },
				atom,
				tie('expression').map((inner) => `(${inner})`),
				tie('expression').map((inner) => `(?:${inner})`),
			),
			quantifier,
		)
		.map((parts) => parts.join('')),
}));

/** Constructs in any order: what is refused for what it is, or for what is beside it. */
const constructs = fc.constantFrom(
	...words(
		'a b k - . ^ $ | ( (?: (?<n> (?<m> ) ) [ [^ ] ] * + ? { } {2} {3,1} {,2} ** [b-a] \\b \\W \\d- \\ud83d',
	),
	...words(
		'(?=a) (?!a) (?<=a) (?<!a) (?i:a) (?>a) (? \\1 \\8 \\k \\k<n> \\e \\A \\Z \\c \\cA \\p{L} \\P{L}',
	),
	...words('\\u{61} \\u \\x \\x4 \\0 \\01 \\ \\\\ \\_ \\é \\😀'),
);
const syntax = fc.constantFrom(...'\\^$.*+?()[]{}|-,:=!<>/&~azbBdDwWsScekpux0129n');
const several = (part: fc.Arbitrary<string>) =>
	fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));

const usual = words('a b k s S 1 _ - é').concat(' ', '\n');
const unusual = words(
	'c K A z . { } ] \\ / É ſ K ß ẞ µ μ Μ σ ς Σ i I ı İ Ǆ ǅ ǆ 😀 \ud83d \ude00 \0 \uffff',
).concat(...['\t', '\r', '\u2028', '\u00a0', '\ufeff']);
const texts = fc.array(
	fc
		.array(
			fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...usual) }, fc.constantFrom(...unusual)),
			{ maxLength: 8 },
		)
		.map((parts) => parts.join('')),
	{ minLength: TEXTS_EACH, maxLength: TEXTS_EACH },
);

const native = new vm.Script('lines.map((line) => new RegExp(source, flags).test(line))');
const realm = vm.createContext({});

/** What RegExp says, where it says it within a second: among random patterns are some that it would take hours for. */
function judged(source: string, flags: string, lines: string[]): boolean[] | undefined {
	Object.assign(realm, { source, flags, lines });
	try {
		return [...(native.runInContext(realm, { timeout: 1_000 }) as boolean[])];
	} catch (error) {
		if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
		throw error;
	}
}

/** Compares with RegExp on each text: how many of them match, or why the pattern is refused. */
function compare(source: string, flags: string, lines: string[]): number | string {
	const regex = compileRegex(source, modeOf(flags));
	if ('problem' in regex) return regex.problem;
	const expected = judged(source, flags, lines);
	fc.pre(expected !== undefined);
	const found = lines.map((line) => regex.test(line));
	expect({ source, flags, lines, found }).toEqual({ source, flags, lines, found: expected });
	return found.filter(Boolean).length;
}

describe('a regular expression is refused, or matches what RegExp matches', () => {
	it.each(FLAGS)('patterns of supported constructs, flags "%s"', (flags) => {
		let matches = 0;
		fc.assert(
			fc.property(expression, texts, (source, lines) => {
				const found = compare(source, flags, lines);
				if (typeof found === 'number') matches += found;
				else expect([source, found]).toEqual([source, expect.stringContaining('too large')]);
			}),
			{ numRuns: RUNS },
		);
		expect(matches).toBeGreaterThan(2 * RUNS);
		expect(matches).toBeLessThan(8 * RUNS);
	});

	it.each([
		['any constructs', several(constructs)],
		['any characters of the syntax', several(syntax)],
	])('%s in any order', (_, sources) => {
		let accepted = 0;
		fc.assert(
			fc.property(sources, fc.constantFrom(...FLAGS), texts, (source, flags, lines) => {
				accepted += Number(typeof compare(source, flags, lines) === 'number');
			}),
			{ numRuns: 4 * RUNS },
		);
		expect(accepted).toBeGreaterThan(0.1 * RUNS);
	});

	it.each(
		words(
			'k K s S ſ K µ ß ı İ ǆ ι ʼ \\w \\W \\d \\D \\s \\S [a-k] [^a-k] [^\\W] [\\W] [\\w\\W] [A-z] [^k] [^S] [à-ÿ] [Σ] [^ς] [\\u0100-\\uffff] [\\d-z] [a-\\s] [\\W-k]',
		),
	)('%s, on every code unit with and without flag i', (source) => {
		for (const flags of ['', 'i']) {
			const regex = compileRegex(source, modeOf(flags));
			if ('problem' in regex) throw new Error(regex.problem);
			const expected = new RegExp(source, flags);
			const wrong = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
				(unit) => regex.test(unit) !== expected.test(unit),
			);
			expect(wrong).toEqual([]);
		}
	});

	it('with code points, as with the flag u', () => {
		const isUnicode = (source: string) => {
			try {
				return new RegExp(source, 'u') instanceof RegExp;
			} catch {
				return false;
			}
		};
		// Most texts have a character of two code units then
		const withAstral = (part: string) => part.replaceAll('k', '😀').replaceAll('a', '😁');
		let matches = 0;
		fc.assert(
			fc.property(expression.map(withAstral), texts, (source, lines) => {
				// V8 finds a \B inside of a surrogate pair, where ECMA-262 does not look
				fc.pre(isUnicode(source) && !source.includes('\\B'));
				const found = compare(source, 'u', lines.map(withAstral));
				matches += typeof found === 'number' ? found : 0;
			}),
			{ numRuns: 2 * RUNS },
		);
		expect(matches).toBeGreaterThan(RUNS);
	});
});
