import { describe, expect, it } from 'vitest';
import { errorOf, onlyJson } from '../../engine/results.mts';
import { fileOf, files, job, SECRET, toldBy, world } from './world.mts';

const quoted = (name: string) => `'${name.replaceAll("'", "'\\''")}'`;

describe('names of files', () => {
	const NAMES = [
		'a b.txt',
		"it's.txt",
		'a"b.txt',
		'-rf',
		'$(touch x)',
		'`id`',
		'a;b',
		'tab\tx',
		'back\\slash',
		'ünï.txt',
		'*',
		'new\nline',
		'cr\rx',
		'#',
		'~',
		'x\u2028y',
	];

	it('that a pattern finds', async () => {
		const here = await world();
		const made = NAMES.map((name) => `printf %s ${quoted(name)} >./${quoted(name)}`);
		const run = await here.run(job('run', made.join('\n'), { resultFiles: '*' }));
		const found = onlyJson(run).files as Array<{ path: string; binary: string }>;
		expect(found.map(({ path }) => path).sort()).toEqual([...NAMES].sort());
		for (const { path, binary } of found) expect(fileOf(run, binary)).toBe(path);
		here.expectOver(1);
	});

	it('that are no text: the others come, and it is said', async () => {
		const here = await world();
		const run = await here.run(
			job('run', 'echo a >a.bin; echo b >"$(printf \'b\\377.bin\')"', { resultFiles: '*.bin' }),
		);
		expect(onlyJson(run)).toMatchObject({
			files: [{ path: 'a.bin' }],
			missing_files: ['b\ufffd.bin'],
		});
		here.expectOver(1);
	});

	it('that a person names', async () => {
		const here = await world();
		const names = NAMES.filter((one) => !/[\p{Cc},*~]/u.test(one));
		const made = names.map((name) => `echo there >./${quoted(name)}`);
		const named = { resultFiles: names.join(',') };
		const run = await here.run(job('run', made.join('\n'), named));
		const files = names.map((path) => ({ path, bytes: 6 }));
		expect(onlyJson(run)).toMatchObject({ files, missing_files: [] });
	});

	it('that come in', async () => {
		const here = await world();
		const names = [
			"it's.txt",
			'-rf',
			'$(touch x)',
			'a b',
			'`id`',
			'ünï.txt',
			'*',
			'x.0123456789ab.part',
		];
		const item = files(
			Object.fromEntries(names.map((name, index) => [`f${index}`, [name, Buffer.from(name)]])),
		);
		const run = await here.run(
			job('run', 'for f in ./*; do printf "%s|" "$f"; cat "$f"; echo; done', {
				inputFields: names.map((_, index) => `f${index}`).join(','),
			}),
			[item],
		);
		for (const name of names) expect(onlyJson(run).stdout).toContain(`./${name}|${name}\n`);
	});
});

describe('many files', () => {
	it('are counted at once, and the VM does not bill on', async () => {
		const here = await world();
		const from = here.clock.now();
		const name = 'a-rather-long-name-of-a-frame-of-a-film-'.repeat(3);
		const run = await here.run(
			job('run', `i=0; while [ $i -lt 3000 ]; do : >${name}$i; i=$((i+1)); done; echo done`, {
				resultFiles: '*',
			}),
		);
		expect(errorOf(run).message).toContain('3000 files match');
		expect(here.clock.now() - from).toBeLessThan(600_000);
		here.expectOver(1);
	});

	it('100 and a folder', async () => {
		const here = await world();
		const run = await here.run(
			job('run', 'mkdir d; for i in $(seq 100); do echo $i >f$i; done', {
				resultFiles: 'f*, d, none?',
			}),
		);
		expect(onlyJson(run).files).toHaveLength(100);
		expect(onlyJson(run).missing_files).toEqual(['d']);
	});
});

describe('what a command says', () => {
	it('as its tail, with all that the package itself says', async () => {
		const here = await world();
		const text = [
			'state ended 7',
			'stdout 3 0',
			'.',
			'complete',
			'BEGIN-OF-COMPUTE-JOB-8d1f4c',
			'END-OF-COMPUTE-JOB-8d1f4c',
			'\xff',
		].join('\n');
		const run = await here.run(job('run', `cat <<'X'\n${text}\nX\nprintf 'no end' >&2`));
		expect(onlyJson(run)).toMatchObject({ exit_code: 0, stdout: `${text}\n`, stderr: 'no end' });
	});

	it('40 MB of bytes', async () => {
		const here = await world();
		const run = await here.run(job('run', 'head -c 40000000 /dev/urandom; printf "\\nthe end"'));
		expect(onlyJson(run)).toMatchObject({ stdout_bytes: 40_000_008 });
		expect(String(onlyJson(run).stdout).endsWith('\nthe end')).toBe(true);
	});

	it.each([
		['exit 137', 137],
		['exit 255', 255],
		['kill -9 $$', 137],
		['kill -TERM $$', 143],
		['sh -c "kill -SEGV \\$\\$"', 139],
		['nonsense-of-a-command', 127],
		['#!/no/such/interpreter', 127],
		['#!/bin/sh -e\nfalse\necho no', 1],
	])('with its end: %s', async (line, code) => {
		const here = await world();
		const run = await here.run(job('run', line, { options: { onNonZeroExit: 'output' } }));
		expect(onlyJson(run).exit_code).toBe(code);
		const error = errorOf(await here.run(job('run', line)));
		expect(error.message).toContain(`exit code ${code}`);
		here.expectOver(2);
	});

	it('and ends its own group: no exit code is told', async () => {
		const here = await world();
		const run = await here.run(job('run', 'echo before; kill -9 -$(cat ../pid)'));
		expect(errorOf(run).message).toContain('ended from outside');
		expect(toldBy(run)).toContain('before');
		expect(toldBy(run)).toContain('"exit_code":null');
		here.expectOver(1);
	});

	it('with what is set for it, which is told nowhere', async () => {
		const here = await world();
		const value = `${SECRET}'"\n$(id)\\`;
		const variables = [
			{ name: 'TOKEN', value },
			{ name: 'HOME', value: '/nowhere' },
			{ name: 'PATH', value: '/usr/bin:/bin' },
			{ name: 'IFS', value: 'x' },
		];
		const run = await here.run(
			job('run', 'printf %s "$TOKEN" >token; echo "$HOME"; exit 3', {
				options: { onNonZeroExit: 'output', environment: { variables } },
				resultFiles: 'token',
			}),
		);
		expect(onlyJson(run)).toMatchObject({ exit_code: 3, stdout: '/nowhere\n' });
		expect(fileOf(run, 'file_0')).toBe(value);
	});
});

describe('a file that vanishes while files are brought back', () => {
	it('does not take the others with it', async () => {
		const here = await world();
		here.habits.file = (step, path) => (step === 'open' && path.endsWith('/b') ? 2 : undefined);
		const run = await here.run(job('run', 'echo 1 >a; echo 2 >b; echo 3 >c', { resultFiles: '*' }));
		expect(onlyJson(run)).toMatchObject({
			files: [{ path: 'a' }, { path: 'c' }],
			missing_files: ['b'],
		});
		here.expectOver(1);
	});
});
