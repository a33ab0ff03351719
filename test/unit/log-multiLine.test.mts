import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryJoiner } from '../../nodes/marketplace/log/multiLine.ts';
import { compileFilter } from '../../nodes/shared/regex/filter.ts';

/** The entries that a log of these lines has. */
function entriesOf(lines: string[], joiner = new EntryJoiner()): string[] {
	const entries: string[][] = [];
	for (const line of lines) {
		const isContinuation = joiner.isContinuation(line);
		if (isContinuation && entries.length > 0) entries.at(-1)?.push(line);
		else entries.push([line]);
	}
	return entries.map((entry) => entry.join('\n'));
}

const TRACEBACK = `Traceback (most recent call last):
  File "/app/x.py", line 3, in <module>
    f()
    ~^^
ValueError: no`;

const GO_STACK = 'panic: no\n\ngoroutine 1 [running]:\nmain.f()\n\tx.go:1';

/** Entries in the order of a log; the test takes them apart into lines and expects them back. */
const LOGS: Array<[title: string, entries: string[]]> = [
	['plain lines', ['a', 'b', '', 'c']],
	['indented lines', ['a\n\tb\n  c', 'd']],
	[
		'Java, logged',
		[
			`10:00:00.123 [main] ERROR c.f.Bar - no
java.lang.IllegalStateException: boom
	at com.foo.Bar.run(Bar.java:7)
	at java.base/java.lang.Thread.run(Thread.java:1583)
Caused by: java.io.IOException: disk
	at com.foo.Bar.read(Bar.java:9)
	... 12 more`,
			'10:00:00.124 [main] INFO c.f.Bar - on',
		],
	],
	[
		'Java, uncaught, twice',
		[
			'java.lang.A$BException: x\nat com.foo.Bar.run(Bar.java:7)\n... 2 common frames omitted',
			'java.lang.CError: y\n\tat com.foo.Bar.<init>(Bar.java:7)',
		],
	],
	[
		'Java, after a line that is no problem',
		['INFO ready', 'java.lang.Error: x\n\tat a.B.c(D.java:1)'],
	],
	['Python, uncaught', ['INFO ready', TRACEBACK, 'INFO next']],
	['Python, logged', [`ERROR:root:failed\n${TRACEBACK}`, 'INFO:root:next']],
	['Python, logged as a warning', [`WARNING:root:failed\n${TRACEBACK}`, 'next']],
	['Python, twice', [TRACEBACK, TRACEBACK, 'next']],
	['Python, logged, and then another', [`ERROR:root:failed\n${TRACEBACK}`, TRACEBACK]],
	[
		'Python, chained',
		[
			`${TRACEBACK}

During handling of the above exception, another exception occurred:

${TRACEBACK}

The above exception was the direct cause of the following exception:

${TRACEBACK}`,
			'next',
		],
	],
	[
		'Python, interrupted',
		['Traceback (most recent call last):\n  File "x"\nKeyboardInterrupt', 'a: b'],
	],
	[
		'Python, cut off by another program',
		['Traceback (most recent call last):\n  File "x"', '2026-11-22 10:00:00 INFO next'],
	],
	[
		'Python, a group',
		[
			`  + Exception Group Traceback (most recent call last):
  |   File "x.py", line 1, in <module>
  | ExceptionGroup: many (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: a
    +------------------------------------`,
			'next',
		],
	],
	[
		'Go',
		[
			`panic: boom [recovered]
	panic: again
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x0]

goroutine 1 [running]:
main.(*Server).run(0x1, {0x2, 0x3})
	/app/main.go:5 +0x1d
panic({0x1234?, 0x5678?})
	/usr/local/go/src/runtime/panic.go:770 +0x132
created by main.main in goroutine 1
	/app/main.go:4 +0x1d

goroutine 7 gp=0xc000 m=0 mp=0x1 [select, 2 minutes]:
net/http.(*conn).serve(...)
	/usr/local/go/src/net/http/server.go:1
exit status 2`,
			'listening (again)',
		],
	],
	[
		'Go, a handler',
		['http: panic serving 10.0.0.1:5: no\ngoroutine 5 [running]:\nmain.f()\n\tx.go:1', 'next'],
	],
	['calls outside of a stack', ['main.f()', 'main.g()']],
	['a function after a stack that belongs to no package', [GO_STACK, 'done(1)']],
	['a sum after a stack', [GO_STACK, 'main.total(3) = 7']],
	['words after a stack', [GO_STACK, 'it was main.total(3)']],
	[
		'.NET',
		[
			'fail: App[0]\n      no\n      System.Exception: x\n         at A.B() in C.cs:line 1',
			'info: App[0]',
		],
	],
	['Node', ['TypeError: x is not a function\n    at f (/app/x.js:1:2)\n    at g', 'next']],
	['JSON in many lines', ['{\n  "a": [\n    1\n  ]\n}', '{\n  "b": 2\n},', '}']],
	['JSON in one line', ['{"level":"error"}', TRACEBACK, '{"a":1}', '  b\n  c']],
	['a closing bracket after a plain line', ['a', ']']],
	['a sentence', ['a', 'at 10:00 (UTC) it ended', 'at startup(7) it began', 'Caused a problem']],
];

describe('joining lines to entries', () => {
	it.each(LOGS)('%s', (_, entries) => {
		expect(entriesOf(entries.join('\n').split('\n'))).toEqual(entries);
	});

	it('sees through colours', () => {
		expect(new EntryJoiner().isContinuation('\u001b[31m    at f (x.js:1:2)\u001b[0m')).toBe(true);
	});

	it('with a pattern of first lines goes by that alone', () => {
		const pattern = compileFilter('^\\d{4}-');
		if ('problem' in pattern) throw new Error(pattern.problem);
		expect(entriesOf(['2026-1', 'a', '  2026-2', '', '2026-3'], new EntryJoiner(pattern))).toEqual([
			'2026-1\na\n  2026-2\n',
			'2026-3',
		]);
	});

	it('neither loses nor adds a line, and never joins lines of a logger that writes one each', () => {
		const known = fc.constantFrom(...LOGS.flatMap(([, entries]) => entries.join('\n').split('\n')));
		const lines = fc.array(fc.oneof(known, fc.string()), { maxLength: 30 });
		fc.assert(
			fc.property(lines, (mixed) => {
				expect(entriesOf(mixed).join('\n')).toBe(mixed.join('\n'));
				const dated = mixed.map((line) => `2026-11-22T10:00:00Z INFO ${line}`);
				expect(entriesOf(dated)).toEqual(dated);
			}),
		);
	});

	it.each([' ', 'a.', 'a.Error', 'goroutine 1 [', 'at a', 'x(', ')', '}', 'a', 'a.b(c) '])(
		'decides on a megabyte of %j as on a line of it',
		(unit) => {
			const [isLong, isShort] = [1_000_000, 100].map((length) => {
				const joiner = new EntryJoiner();
				joiner.isContinuation('panic: x');
				return joiner.isContinuation(unit.repeat(length / unit.length));
			});
			expect(isLong).toBe(isShort);
		},
	);
});
