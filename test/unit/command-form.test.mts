import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../nodes/Vmaas/resources/vm/runCommand.ts';
import { locator } from '../engine/nodes.mts';
import { inputOf } from './job-bench.mts';
import { message } from './parameters-form.mts';

const form = (options: IDataObject = {}, changes: IDataObject = {}) =>
	inputOf(runCommand, { deploymentId: locator('d1'), command: 'train', options, ...changes });

const withVariables = (...variables: IDataObject[]) => form({ environment: { variables } });

describe('the form of Run Command', () => {
	it('has defaults', () => {
		expect(form()).toStrictEqual({
			target: { deployment: { id: 'd1' } },
			script: 'train',
			timeoutMs: 600_000,
			maxOutputBytes: 262_144,
			onNonZeroExit: 'error',
		});
	});

	it('takes what is chosen', () => {
		const options = {
			timeout: 86_400,
			maxOutputBytes: 16_777_216,
			onNonZeroExit: 'output',
			stdin: ' yes\n',
			cwd: ' /data ',
			environment: { variables: [{ name: 'A', value: '' }] },
		};
		expect(form(options, { vmId: locator('7') })).toStrictEqual({
			target: { deployment: { id: 'd1' }, vmId: '7' },
			script: `export A=''\ncd '/data' || exit\ntrain`,
			stdin: ' yes\n',
			timeoutMs: 86_400_000,
			maxOutputBytes: 16_777_216,
			onNonZeroExit: 'output',
		});
		expect(form({ onNonZeroExit: 'error' }).onNonZeroExit).toBe('error');
	});

	it('keeps a command as it is, but for line ends of Windows', () => {
		expect(form({}, { command: ' a\r\n\tb\rc \r\n' }).script).toBe(' a\n\tb\rc \n');
	});

	it.each<[IDataObject[string], string | undefined]>([
		['', undefined],
		[0, '0'],
		[false, 'false'],
	])('hands on %j as standard input', (stdin, text) => {
		expect(form({ stdin }).stdin).toBe(text);
	});

	it.each<[string, () => unknown, string]>([
		['no command', () => form({}, { command: ' ' }), 'Command is required and must not be empty'],
		[
			'a null character in the command',
			() => form({}, { command: 'a\0' }),
			'Command must not contain a null character',
		],
		[
			'a null character in the folder',
			() => form({ cwd: 'a\0' }),
			'Options: Working Directory must not contain a null character',
		],
		[
			'a folder of white space',
			() => form({ cwd: ' ' }),
			'Options: Working Directory must not be white space alone',
		],
		[
			'no time',
			() => form({ timeout: 0 }),
			'Options: Timeout (Seconds) must be a whole number from 1 to 86400, got 0',
		],
		[
			'more than a day',
			() => form({ timeout: 86_401 }),
			'Options: Timeout (Seconds) must be a whole number from 1 to 86400, got 86401',
		],
		[
			'no output',
			() => form({ maxOutputBytes: 0 }),
			'Options: Max Output Bytes must be a whole number from 1 to 16777216, got 0',
		],
		[
			'more output than an item holds',
			() => form({ maxOutputBytes: 16_777_217 }),
			'Options: Max Output Bytes must be a whole number from 1 to 16777216, got 16777217',
		],
		[
			'another end',
			() => form({ onNonZeroExit: 'retry' }),
			'Options: On Non-Zero Exit must be one of error, output, got "retry"',
		],
		[
			'standard input that is no text, and does not show it',
			() => form({ stdin: { secret: 's3cret' } }),
			'Options: Standard Input must be text',
		],
	])('does not take %s', (_, work, text) => {
		expect(message(work)).toBe(text);
	});
});

describe('the variables of a command', () => {
	it('are set in their order, as what they are', () => {
		const rows = [
			{ name: '_A1', value: "it's" },
			{ name: 'b', value: 2 },
			{ name: 'C_', value: true },
		];
		expect(withVariables(...rows).script).toBe(
			`export _A1='it'\\''s'\nexport b='2'\nexport C_='true'\ntrain`,
		);
	});

	it.each(['1A', 'A-B', 'A B', 'A=B', 'Ä', 'A;', ';A'])('are not named %s', (name) => {
		expect(message(() => withVariables({ name: 'OK', value: '' }, { name, value: '' }))).toBe(
			'Options: Environment 2: Name must consist of letters, digits and _, and not begin with a digit',
		);
	});

	it.each<[IDataObject[string], string]>([
		['s3cret\0', 'Options: Environment 1: Value must not contain a null character'],
		[['s3cret'], 'Options: Environment 1: Value must be text'],
	])('do not hold %j, which is not shown', (value, text) => {
		expect(message(() => withVariables({ name: 'A', value }))).toBe(text);
	});
});

describe('the VM that a form names', () => {
	it('may be that of a deployment by its name', () => {
		const named = form({}, { deploymentId: locator('train', 'name'), vmId: locator('') });
		expect(named.target).toStrictEqual({ deployment: { name: 'train' } });
	});

	it('is none that would lead elsewhere', () => {
		expect(message(() => form({}, { vmId: locator('a/b') }))).toBe(
			'VM must contain only letters, digits and . _ ~ : @ + = -, got "a/b"',
		);
	});
});
