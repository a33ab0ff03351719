import { describe, expect, it } from 'vitest';
import { prepareScript, readPoll } from '../../nodes/Vmaas/resources/job/scripts.ts';
import { JOB } from './job-bench.mts';

const FOLDER = `"$HOME/.compute-job/${JOB}"`;

/** The lines of the script that prepares a job. */
const linesOf = (command: string, environment: Array<[string, string]> = []) =>
	prepareScript(JOB, command, environment).split('\n');

describe('what prepares a job', () => {
	it('writes nothing where a program is missing, or the job was started', () => {
		const lines = linesOf('true');
		expect(lines.slice(0, 5)).toEqual([
			'for tool in od tail head wc; do command -v $tool >/dev/null 2>&1 || exit 92; done',
			// What follows may hold secrets: no other user reads it
			'umask 077',
			`mkdir -p "$HOME/.compute-job/${JOB}/work" || exit 91`,
			`cd ${FOLDER} 2>/dev/null || exit 90`,
			'[ -d lock ] && exit 0',
		]);
		expect(lines.slice(0, 5).join('\n')).not.toContain('>command');
	});

	it('writes the command as it is, without the ends of lines of Windows', () => {
		const script = prepareScript(JOB, "echo 'a'\r\necho b\n", []);
		expect(script).toContain(
			"\nprintf '%s\\n' 'echo '\\''a'\\''\necho b\n' >command || exit 91\nchmod 700 command\n",
		);
		expect(script).not.toContain('\r');
	});

	it('sets each variable of the environment in a line of its own', () => {
		const environment: Array<[string, string]> = [
			['A', '1'],
			['B', 'x y'],
		];
		expect(prepareScript(JOB, 'true', environment)).toContain(
			"\nprintf '%s\\n' 'export A='\\''1'\\''\nexport B='\\''x y'\\''' >environment || exit 91\n",
		);
	});

	it('keeps the space of an exit code, before the command can fill the disk', () => {
		expect(linesOf('true')).toContain("printf '%s\\n' '    ' >exit_code.new || exit 91");
	});

	it.each([
		['by sh', 'echo "#!"', 'exec sh ../command'],
		['by sh', 'cat in\n#!', 'exec sh ../command'],
		['by what its first line names', '#!/usr/bin/env python3\nprint(1)', 'exec ../command'],
	])('runs the command %s: %j', (_, command, expected) => {
		const run = linesOf(command).find((line) => line.startsWith('(. ../environment && '));
		expect(run).toBe(`(. ../environment && ${expected}) >../stdout 2>../stderr </dev/null`);
	});

	it('outlives the connection, and says which process it is before it runs', () => {
		const script = prepareScript(JOB, 'true', []);
		const wrapper = script.slice(script.indexOf('>exit_code.new || exit 91\n'));
		expect(wrapper.split('\n').slice(1, 5)).toEqual([
			"printf '%s\\n' 'trap '\\'''\\'' HUP",
			`cd ${FOLDER} 2>/dev/null || exit 90`,
			'printf "%s\\n" "$$" >pid.new && mv pid.new pid',
			'cd work || exit 91',
		]);
	});
});

describe('the answer of a VM', () => {
	const whole = ['state ended 127', 'stdout 2 0', ' 61 0a', '.', 'stderr 0 0', '.', 'complete'];
	const read = (changes: Record<number, string> = {}) =>
		readPoll(Object.assign([...whole], changes).join('\n'));

	it.each([
		['ended 127', { state: 'ended', exitCode: 127 }],
		['ended    0', { state: 'ended', exitCode: 0 }],
		['running ', { state: 'running' }],
		['starting', { state: 'starting' }],
	])('says that the job is %s', (state, expected) => {
		expect(read({ 0: `state ${state}` })).toEqual({
			...expected,
			stdout: { size: 2, bytes: Buffer.from('a\n') },
			stderr: { size: 0, bytes: Buffer.alloc(0) },
		});
	});

	it('has what is left of an output that a running command has shortened while it was read', () => {
		expect(read({ 0: 'state running ', 1: 'stdout 12 7', 2: ' 61' })).toMatchObject({
			state: 'running',
			stdout: { size: 8, bytes: Buffer.from('a') },
		});
	});

	it.each<[string, Record<number, string>]>([
		['with a word before it', { 0: 'the state ended 0' }],
		['with a word after it', { 0: 'state ended 0 bytes' }],
		['of a state that there is not', { 0: 'state asleep' }],
		['of an end without its exit code', { 0: 'state ended ' }],
		['without the whole output', { 2: ' 61' }],
		['of another output', { 4: 'stdout 0 0' }],
		['without the whole of stderr', { 4: 'stderr 1 0' }],
		['that is cut', { 6: 'compl' }],
	])('is none %s', (_, changes) => {
		expect(read(changes)).toBeUndefined();
	});
});
