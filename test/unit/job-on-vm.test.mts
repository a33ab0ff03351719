import type { IBinaryData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { SshError } from '../../nodes/shared/ssh/index.ts';
import { now } from '../../nodes/shared/time.ts';
import type { Work } from '../../nodes/Vmaas/resources/job/onVm.ts';
import { outcome, poll } from './job-bench.mts';
import { failed, folder, MOST, progressOf, vmOf, type Answer } from './job-progress.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const input = (name: string, id: string) => ({ name, file: { id } as IBinaryData });
const work = (...inputs: Work['inputs']): Work => ({ command: 'true', environment: [], inputs });
describe('a job is started', () => {
	it('after its files are there, and once', async () => {
		const { remote, done } = vmOf();
		const progress = progressOf();
		await progress.start(remote, work(input('a', 'one'), input('b', 'two')));
		await progress.start(remote, work());
		expect(done).toEqual([
			'prepare',
			`upload ${folder}/a "one" of at most ${MOST}`,
			`upload ${folder}/b "two" of at most ${MOST}`,
			'start',
		]);
	});

	it('where it was before a connection was lost: what is there is not sent again', async () => {
		const { remote, done, files } = vmOf();
		const inputs = [input('a', 'one'), input('b', 'two')];
		const progress = progressOf();
		files[`${folder}/b`] = new SshError('closed', 'lost');
		await expect(progress.start(remote, work(...inputs))).rejects.toThrow('lost');
		expect(progress.isStarted).toBe(false);
		files[`${folder}/b`] = '';
		done.length = 0;
		await progress.start(remote, work(...inputs));
		expect(done).toEqual([`upload ${folder}/b "two" of at most ${MOST}`, 'start']);
	});

	it.each([
		['prepared', 91, [{ exitCode: 91 }], 'Its home folder may be full or read-only.'],
		[
			'prepared',
			92,
			[{ exitCode: 92 }],
			'It lacks one of the programs od, tail, head and wc: choose another VM Image Type.',
		],
		['started', 91, [{}, { exitCode: 91 }], 'Its home folder may be full or read-only.'],
	])('unless it cannot be %s (exit code %d)', async (what, exitCode, answers, description) => {
		const { remote } = vmOf(answers);
		const progress = progressOf();
		expect(await failed(async () => await progress.start(remote, work()))).toEqual({
			message: `The job could not be ${what} on the VM (exit code ${exitCode})`,
			description,
		});
		expect(progress.isStarted).toBe(false);
	});
});

describe('a look at a job', () => {
	it('reads on where the one before has ended, and has the exit code of one that has ended', async () => {
		const { remote, done } = vmOf([
			{ stdout: poll('running', { stdout: 'ab', stderr: 'c' }) },
			{ stdout: poll('ended 7').replace('stdout 0 0', 'stdout 2 2').replace('r 0 0', 'r 1 1') },
		]);
		const progress = progressOf();
		expect([await progress.look(remote), progress.exitCode]).toEqual(['running', undefined]);
		expect([await progress.look(remote), progress.exitCode]).toEqual(['ended', 7]);
		expect(done).toEqual([
			'show stdout 0, show stderr 0 with 12288 bytes',
			'show stdout 2, show stderr 1 with 12288 bytes',
		]);
		expect(progress.facts()).toEqual({
			exit_code: 7,
			stdout: 'ab',
			stderr: 'c',
			stdout_bytes: 2,
			stderr_bytes: 1,
		});
	});

	it('keeps the last bytes of each output, and counts all of them', async () => {
		const { remote } = vmOf([{ stdout: poll('running', { stdout: 'abcd', stderr: 'efghi' }) }]);
		const progress = progressOf({ maxOutputBytes: 3 });
		await progress.look(remote);
		expect(progress.facts()).toEqual({
			exit_code: null,
			stdout: 'bcd',
			stderr: 'ghi',
			stdout_bytes: 4,
			stderr_bytes: 5,
		});
	});

	it('is an error where the answer is not whole', async () => {
		const { remote } = vmOf([{ stdout: 'state running', exitCode: 1 }]);
		expect((await failed(async () => await progressOf().look(remote))).message).toBe(
			'The job could not be looked at on the VM (exit code 1)',
		);
	});
});

describe('a job is followed', () => {
	const running = { stdout: poll('running') };
	const starting = { stdout: poll('starting') };
	const ended = { stdout: poll('ended 0') };

	it('in pauses that grow to ten seconds', async () => {
		const { remote, times } = vmOf([...Array<Answer>(9).fill(running), ended]);
		await outcome(async () => await progressOf().follow(remote, Infinity));
		const pauses = times
			.slice(1)
			.map((time, index) => Number((time - (times[index] ?? NaN)).toFixed(1)));
		expect(pauses).toEqual([1, 1.5, 2.3, 3.4, 5.1, 7.6, 10, 10, 10]);
	});

	it('until its time is over, and not longer', async () => {
		const { remote, times } = vmOf([running]);
		const until = now() + 3_000;
		expect(await failed(async () => await progressOf().follow(remote, until))).toEqual({
			message: 'The command has not ended within its time',
			description: 'Raise Command Timeout under Options, or choose a longer Duration.',
		});
		expect(times).toEqual([0, 1, 2.5, 3]);
	});

	it.each([
		['running', [starting, running]],
		['ended', [starting, ended]],
	])('until it is %s, where it is only begun', async (state, answers) => {
		const { remote } = vmOf(answers);
		expect(await outcome(async () => await progressOf().begin(remote))).toBe(state);
	});

	it.each([
		[
			'is not known to the VM',
			{ exitCode: 90 },
			0,
			'The VM does not know the job: its home folder may have been replaced',
		],
		[
			'has no lock on the VM',
			{ stdout: poll('absent') },
			0,
			'The VM does not know the job: its home folder may have been replaced',
		],
		[
			'was killed',
			{ stdout: poll('killed') },
			0,
			'The process of the job was ended from outside, without an exit code: out of memory, a full disk, or a restart of the VM',
		],
		[
			'shows no process for a minute',
			starting,
			60,
			'The command was told to start, and no process shows: it is not started again',
		],
	])('and is lost where it %s', async (_, answer, seconds, message) => {
		const { remote, times } = vmOf([answer]);
		const error = await failed(async () => await progressOf().follow(remote, Infinity));
		expect(error.message).toBe(message);
		expect(times.at(-1)).toBeGreaterThanOrEqual(seconds);
		expect(times.at(-1)).toBeLessThan(seconds + 10);
	});
});
