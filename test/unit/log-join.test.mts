import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIGEST_CHARACTERS } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { join } from '../../nodes/CaasLogsTrigger/join.ts';
import { entry } from './log-parts.mts';

/** Answers of which each letter is an entry. */
const entriesOf = (text: string) =>
	[...text].map((letter, index) => ({
		event: entry(letter),
		digest: letter.repeat(DIGEST_CHARACTERS),
		at: index,
	}));
const textOf = (entries: ReturnType<typeof entriesOf>) =>
	entries.map(({ event }) => event.data).join('');

function joined(answers: string[], areDistinct = true) {
	const { before, now, isRepeated } = join(answers.map(entriesOf), areDistinct);
	return [textOf(before), textOf(now), isRepeated];
}

describe('what several answers have shown, before the log as it is now and in it', () => {
	it.each<[string, string[], string, string, boolean]>([
		['nothing', [], '', '', false],
		['one answer', ['abc'], '', 'abc', false],
		['the same twice', ['abc', 'abc'], '', 'abc', true],
		['more of it later', ['abc', 'abcd'], '', 'abcd', true],
		['a part within it', ['bc', 'abcd'], '', 'abcd', true],
		['less of it later', ['abcd', 'abc'], '', 'abcd', true],
		['parts that overlap', ['abcd', 'cdef'], 'ab', 'cdef', true],
		['parts that only touch', ['abcd', 'efgh'], 'abcd', 'efgh', false],
		['the last one empty', ['abcd', ''], '', 'abcd', false],
		['the first one empty', ['', 'abcd'], '', 'abcd', false],
		['three parts', ['abcd', 'cdef', 'efgh'], 'abcd', 'efgh', true],
		['an earlier part again', ['abcdefgh', 'xabcde'], '', 'xabcdefgh', true],
		[
			'four in common with what is known',
			['wxyzabcd', 'ijkl', 'ijklwxyz'],
			'',
			'ijklwxyzabcd',
			true,
		],
		['three in common', ['xyzabcd', 'ijkl', 'ijklxyz'], 'xyzabcd', 'ijklxyz', true],
		[
			'the end of the last in the beginning of the first',
			['abcdef', 'xyabcd'],
			'',
			'xyabcdef',
			true,
		],
		['too few of that', ['abcdef', 'xyzabc'], 'abcdef', 'xyzabc', false],
		['a greeting before four that are in the last', ['gabcd', 'gxabcdy'], '', 'gxabcdy', true],
		['a greeting before three', ['gabc', 'gxabcy'], 'gabc', 'gxabcy', false],
		['another greeting', ['habcd', 'gxabcdy'], 'habcd', 'gxabcdy', false],
		['one of two in the last', ['zz', 'ab', 'abc'], 'zz', 'abc', true],
	])('%s', (_, answers, before, now, isRepeated) => {
		expect(joined(answers)).toEqual([before, now, isRepeated]);
	});

	it('is each of them where equal entries may be different ones', () => {
		expect(joined(['aa', 'aaa', 'a'], false)).toEqual(['aaaaa', 'a', false]);
	});

	it('finds entries at entries only, and not within two', () => {
		const [one, other] = [entriesOf('ab'), entriesOf('ab')];
		other.forEach((each, index) => (each.digest = ['xaaaaa', 'abbbbb'][index] ?? ''));
		expect(join([one, other], true)).toMatchObject({ isRepeated: false });
	});

	it('leaves out no entry of any answer', () => {
		const answer = fc.stringMatching(/^[a-e]{0,8}$/);
		fc.assert(
			fc.property(fc.array(answer, { maxLength: 4 }), (answers) => {
				const [before, now] = joined(answers);
				for (const letter of answers.join(''))
					expect(`${String(before)}${String(now)}`).toContain(letter);
			}),
		);
	});
});
