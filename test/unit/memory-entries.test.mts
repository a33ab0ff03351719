import { describe, expect, it } from 'vitest';
import {
	entryOf,
	messageIdIn,
	newOne,
	saysStored,
	startOf,
	withWritten,
	type Entry,
	type Written,
} from '../../nodes/MemoryCompute/entries.ts';
import type { Reply } from '../../nodes/shared/http/reply.ts';

/** Messages of a person: `a1` has the text `a` and the ID `a1`, `a` alone has no ID. */
const shown = (...words: string[]): Entry[] =>
	words.map((word, place) => {
		const id = /\d/.test(word) ? word : undefined;
		return { id, key: id ?? `place ${place}`, role: 'user', text: word.replace(/\d+/, '') };
	});
const wrote = (word: string, place: number): Written => {
	const [{ key: _key, ...entry }] = shown(word) as [Entry];
	return { ...entry, place };
};
const words = (entries: Entry[]) => entries.map(({ id, text }) => id ?? text);

describe('what a read shows, with what was written', () => {
	it.each<[string, Entry[], Written[], string[]]>([
		['nothing written', shown('a1'), [], ['a1']],
		['not shown yet', shown('a1'), [wrote('b2', 1), wrote('c3', 2)], ['a1', 'b2', 'c3']],
		['shown in part', shown('a1', 'b2'), [wrote('b2', 1), wrote('c3', 2)], ['a1', 'b2', 'c3']],
		['shown, without an ID said', shown('a1', 'b2'), [wrote('b', 1)], ['a1', 'b2']],
		['shown with another ID', shown('a1', 'b2'), [wrote('b9', 1)], ['a1', 'b2']],
		['shown without blanks', shown('a1', 'b2'), [wrote('b ', 1)], ['a1', 'b2']],
		['with the text of an earlier one', shown('a1'), [wrote('a', 1)], ['a1', 'a']],
		['in front of what is shown', shown('a1', 'd4'), [wrote('b2', 1)], ['a1', 'b2', 'd4']],
	])('%s', (_name, read, written, expected) => {
		expect(words(withWritten(read, written))).toEqual(expected);
	});

	it('has a message once that has moved up, where a read shows the last ones alone', () => {
		const [first] = shown('a');
		expect(words(withWritten(shown('b', 'c'), [{ ...wrote('c', 2), first }]))).toEqual(['b', 'c']);
		expect(words(withWritten(shown('a', 'c'), [{ ...wrote('c', 2), first }]))).toEqual([
			...['a', 'c', 'c'],
		]);
	});

	it('other roles are other messages', () => {
		const answer: Written = { role: 'assistant', text: 'a', place: 0 };
		expect(withWritten(shown('a1'), [answer])).toHaveLength(2);
	});
});

describe('the message that is new in a conversation', () => {
	const text = { role: 'user', text: 'yes' } as const;

	it.each<[string, Entry[], Written[], Entry[], string | undefined]>([
		['is found', shown('yes1'), [], shown('yes1', 'yes2'), 'yes2'],
		['is none that was shown', shown('yes1'), [], shown('yes1'), undefined],
		['has this text', shown('a1'), [], shown('a1', 'b2'), undefined],
		['is no earlier one that shows by now', [], [wrote('yes1', 0)], shown('yes1'), undefined],
		['is beside an earlier one', [], [wrote('yes1', 0)], shown('yes1', 'yes2'), 'yes2'],
		['is no earlier one of unknown ID', [], [wrote('yes', 0)], shown('yes1'), undefined],
		['comes after one of unknown ID', [], [wrote('yes', 0)], shown('yes1', 'yes2'), 'yes2'],
	])('%s', (_name, before, written, now, expected) => {
		expect(newOne(now, withWritten(before, written), text)?.id).toBe(expected);
	});
});

describe('the start of a turn that is stored again', () => {
	const [q, a, other] = shown('q', 'a', 'x') as [Entry, Entry, Entry];

	it.each<[string, Entry[], Entry[], Entry[]]>([
		['is what the conversation ends with', [q], [other, q], [q]],
		['is nothing where nothing was stored', [], [q], []],
		['is nothing where others came after it', [q], [q, other], []],
		['is nothing where the conversation is gone', [q], [], []],
		['is nothing of another turn', [other], [other], []],
	])('%s', (_name, begun, known, expected) => {
		expect(startOf([q, a], begun, known)).toEqual(expected);
	});
});

it.each(['USER', 'User', 'user'])('an entry in the role %s is that of a person', (role) => {
	expect(entryOf({ role, content: 'a' }, 0)).toMatchObject([{ role: 'user', text: 'a' }]);
});

const answer = (results: unknown, status = 200): Reply => ({
	kind: 'answer',
	status,
	contentType: 'application/json',
	text: JSON.stringify({ results }),
});

describe('the ID of a message that was stored', () => {
	it.each<[unknown, string | undefined]>([
		[{ id: 'm1', message: { role: 'user', content: 'a' } }, 'm1'],
		[{ id: 7 }, '7'],
		[{ id: 'c1', name: 'session', messages: [{ id: 'm1' }] }, undefined],
		[{ message: 'added' }, undefined],
	])('an answer of %j: %j', (results, expected) => {
		expect(messageIdIn(answer(results), 'c1')).toBe(expected);
	});

	it('is none in an error', () => {
		expect(messageIdIn(answer({ id: 'm1' }, 500), 'c1')).toBeUndefined();
	});
});

describe('whether a message was stored', () => {
	it.each<[unknown, boolean]>([
		[{ id: 'm1' }, true],
		[{ id: 7, isFirst: false }, true],
		[{ message: 'added' }, true],
		[{ id: null, message: 'added' }, true],
		[null, true],
		[{ stored: false, message: 'It is full' }, false],
		[{ success: 'false' }, false],
		[{ success: 0, reason: 'locked' }, false],
		[{ ok: false, message: 'It is locked' }, false],
		[{ id: null, created: false }, false],
	])('an answer of %j: %j', (results, expected) => {
		expect(saysStored(answer(results))).toBe(expected);
	});

	it('an error never says so', () => {
		expect(saysStored(answer({ id: 'm1' }, 500))).toBe(false);
	});
});
