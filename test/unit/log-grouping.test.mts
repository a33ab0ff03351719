import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../nodes/marketplace/log/grouping.ts';

describe('the signature of an entry', () => {
	it.each([
		['2026-11-22T10:00:00.123Z ERROR job 17 failed', '<time> ERROR job <number> failed'],
		['2026-11-22 10:00:00,123 [main] WARN x', '<time> [main] WARN x'],
		['[22/Nov/2026:10:00:00 +0000] "GET /a/7" 500', '[<time>] <text> <number>'],
		['Nov  2 10:00:00 host x', '<time> host x'],
		['[Sun Nov 22 10:00:00.123456 2026] x', '[Sun <time>] x'],
		['E1122 10:00:00.000000 7 x.go:12] y', 'E<number> <time> <number> x.go:<number>] y'],
		['10.0.0.1:8080 timed out after 3.5s', '<number> timed out after <number>s'],
		['user 9D2F7C1A-66b1-4a5e-8f0a-1c3b5d7e9f02 gone', 'user <id> gone'],
		['at 0x7fff5fbff8a0 in commit 3c7239cdeadbeef', 'at <id> in commit <id>'],
		['the facade was effaced', 'the facade was effaced'],
		[
			"no key 'a' in {'b': 1}, and can't retry",
			"no key <text> in {<text>: <number>}, and can't retry",
		],
		['open `a b`: "x \\" y" z', 'open <text>: <text> z'],
		['an end is "missing 7', 'an end is <text>'],
		['worker12   is\tdown', 'worker<number> is down'],
		['\u001b[31mERROR\u001b[0m 5', 'ERROR <number>'],
		['ERROR at 7\n  line two', 'ERROR at <number>'],
		[
			'Traceback (most recent call last):\n  File "x", line 7\nValueError: 7 is odd\n',
			'ValueError: <number> is odd',
		],
		['', ''],
	])('%s', (entry, signature) => {
		expect(signatureOf(entry)).toBe(signature);
	});

	it('is cut after 200 characters, and ends with no blank', () => {
		expect(signatureOf('x'.repeat(201))).toBe('x'.repeat(200));
		expect(signatureOf(`${'x'.repeat(199)} y`)).toBe('x'.repeat(199));
	});

	it('is of the first 2,000 characters: a text that is longer has no end', () => {
		const quoted = (length: number) => `"${'x'.repeat(length - 2)}" failed`;
		expect(signatureOf(quoted(1_993))).toBe('<text> failed');
		expect(signatureOf(quoted(2_000))).toBe('<text>');
	});

	it('does not depend on what differs', () => {
		const id = fc.uuid();
		fc.assert(
			fc.property(fc.nat(), id, fc.nat(), id, (number, uuid, otherNumber, otherUuid) => {
				const entry = (count: number, name: string) =>
					`worker ${count} lost "${name}" (${name}) after ${count}.${count} s`;
				expect(signatureOf(entry(number, uuid))).toBe(signatureOf(entry(otherNumber, otherUuid)));
			}),
		);
	});

	it('differs where the words do', () => {
		const word = fc.stringMatching(/^[g-z]{1,20}$/);
		fc.assert(
			fc.property(word, word, (one, other) => {
				expect(signatureOf(`${one} failed 7`) === signatureOf(`${other} failed 8`)).toBe(
					one === other,
				);
			}),
		);
	});

	it('has at most 200 characters and no digit', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (entry) => {
				const signature = signatureOf(entry);
				expect(signature.length).toBeLessThanOrEqual(200);
				expect(signature).not.toMatch(/\d/);
			}),
		);
	});

	it.each(['"', '\\"', "'a", '`', '7.', 'a1', 'ffffffff', '10:', ' ', 'Nov ', '\n', '0x'])(
		'of a megabyte of %j, only the start is read',
		(unit) => {
			const entry = `x${unit.repeat(Math.ceil(1_000_000 / unit.length))}`;
			expect(signatureOf(entry)).toBe(signatureOf(entry.slice(0, 2_001)));
		},
	);
});
