import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../nodes/Vmaas/resources/vm/runCommand.ts';
import { inputOf } from './job-bench.mts';
import { useStillTime } from './still-time.mts';
import { FACTS, ON_VM, told, Vm, type Ran } from './vm-parts.mts';

useStillTime();

const form = (options: IDataObject = {}) =>
	inputOf(runCommand, { ...ON_VM, command: 'train', options });

const run = async (vm: Vm, options: IDataObject = {}) => await vm.does(runCommand, form(options));

/** What Run Command says where its command ends so. */
const ended = async (ran: Omit<Ran, 'end'>) =>
	told(await run(new Vm(() => ({ ...ran, end: 'exit' }))));

describe('Run Command', () => {
	it('puts out what the command has said, and where it ran', async () => {
		const vm = new Vm(() => ({ stdout: 'done €', stderr: 'slow', end: 'exit' }));
		expect(await run(vm)).toEqual([
			{
				stdout: 'done €',
				stderr: 'slow',
				exit_code: 0,
				signal: null,
				seconds: 0,
				stdout_bytes: 8,
				stderr_bytes: 4,
				stdout_truncated: false,
				stderr_truncated: false,
				...FACTS,
			},
		]);
		expect(vm.commands).toEqual([['train']]);
	});

	it('hands the command its folder, its variables and its standard input', async () => {
		const vm = new Vm();
		const environment = { variables: [{ name: 'EPOCHS', value: 3 }] };
		await run(vm, { cwd: '~/job', environment, stdin: 'yes' });
		expect(vm.commands).toEqual([[`export EPOCHS='3'\ncd "$HOME"/'job' || exit\ntrain`, 'yes']]);
	});

	it.each([
		['stdout', { stdout: '12345' }],
		['stderr', { stderr: '12345' }],
	] as const)('keeps the end of a long %s, and says so', async (name, said) => {
		const [item] = (await run(new Vm(() => ({ ...said, end: 'exit' })), {
			maxOutputBytes: 4,
		})) as IDataObject[];
		const isStdout = name === 'stdout';
		expect(item).toMatchObject({
			[name]: '2345',
			[`${name}_bytes`]: 5,
			stdout_truncated: isStdout,
			stderr_truncated: !isStdout,
		});
	});

	it('puts out how a command has failed, where that is chosen', async () => {
		const vm = new Vm(() => ({ exitCode: 3, end: 'exit' }));
		expect(await run(vm, { onNonZeroExit: 'output' })).toMatchObject([{ exit_code: 3 }]);
	});

	it('is not allowed for an AI agent, unless a person allows it', async () => {
		const vm = new Vm();
		vm.isTool = true;
		expect(told(await run(vm)).message).toBe(
			'Run Command is not allowed for AI agents. Nothing was sent to a VM. A person must add the option Allow AI Agents to this node and turn it on',
		);
		expect([vm.commands, vm.market.asked]).toEqual([[], []]);
		vm.saved = { options: { allowAiAgents: true } };
		expect(await run(vm)).toMatchObject([{ exit_code: 0 }]);
	});
});

describe('a command that fails', () => {
	it('is told by its last line, with the end of all that it has said', async () => {
		const stderr = `${'x'.repeat(5_000)}\n  no memory \n\n`;
		const stdout = `${'y'.repeat(5_000)}end`;
		const { message, description, known } = await ended({ exitCode: 3, stdout, stderr });
		expect(message).toBe('The command on VM 1 ended with exit code 3: no memory');
		expect(description).toBe(`${'x'.repeat(3_988)}\n  no memory`);
		expect(known).toEqual({
			...FACTS,
			exit_code: 3,
			signal: null,
			seconds: 0,
			stdout: `${'y'.repeat(3_997)}end`,
			stderr: `${'x'.repeat(3_985)}\n  no memory \n\n`,
		});
	});

	it('is told by its output where it has no errors, as far as it is short', async () => {
		const { message, description } = await ended({
			exitCode: 1,
			stdout: `${'z'.repeat(400)}\n`,
			stderr: '\n',
		});
		expect(message).toBe(`The command on VM 1 ended with exit code 1: ${'z'.repeat(300)}`);
		expect(description).toBe('z'.repeat(400));
	});

	it('is told by how it ended where it has said nothing', async () => {
		expect((await ended({ exitCode: 1 })).message).toBe(
			'The command on VM 1 ended with exit code 1',
		);
		expect((await ended({ exitCode: null, signal: 'SIGKILL' })).message).toBe(
			'The command on VM 1 ended with signal SIGKILL',
		);
		expect(told(await run(new Vm(() => ({ end: 'closed' })))).message).toBe(
			'The command on VM 1 ended with no exit code: the server does not say how it ended',
		);
	});

	it('is not run again by a retry of n8n', async () => {
		const vm = new Vm(() => ({ exitCode: 3, end: 'exit' }));
		await run(vm);
		expect(told(await run(vm))).toEqual({
			message:
				'The command on VM 1 ended with exit code 3, in an earlier try of this node. It was not run again',
			description: 'Retry On Fail does not repeat commands. Execute the workflow again.',
			known: { ...FACTS, exit_code: 3, signal: null, seconds: 0 },
		});
		expect(vm.commands).toHaveLength(1);
	});

	it('may be called again by an AI agent', async () => {
		const vm = new Vm(() => ({ exitCode: 3, end: 'exit' }));
		Object.assign(vm, { isTool: true, saved: { options: { allowAiAgents: true } } });
		await run(vm);
		expect(told(await run(vm)).message).toBe('The command on VM 1 ended with exit code 3');
		expect(vm.commands).toHaveLength(2);
	});
});

describe('a command whose end is not known', () => {
	const ADVICE =
		'The command was sent and may go on running on the VM. Look there before you run this again. This item does not send it again. For what takes longer, raise Timeout or run it in the background with nohup.';

	it('has run out of time, and is not sent again', async () => {
		const vm = new Vm(() => ({ stdout: 'step 1', stderr: 'slow' }));
		expect(told(await run(vm, { timeout: 90 }))).toEqual({
			message: 'Command on VM 1: outcome unknown. The command has not ended within 90 seconds',
			description: ADVICE,
			known: { ...FACTS, stdout: 'step 1', stderr: 'slow', outcome: 'unknown' },
		});
		expect(told(await run(vm))).toEqual({
			message:
				'Command on VM 1: outcome unknown. An earlier try of this node has sent it, and it was not run again',
			description: 'Look on the VM at what it has done, then execute the workflow again.',
			known: { ...FACTS, outcome: 'unknown' },
		});
		expect(vm.commands).toHaveLength(1);
		expect(vm.logged).toEqual([]);
	});

	it('has lost its connection', async () => {
		const { message, description } = told(await run(new Vm(() => ({ end: 'cut' }))));
		expect(message).toBe('Command on VM 1: outcome unknown. The SSH connection was lost');
		expect(description).toBe(ADVICE);
	});

	it('was cancelled, which the log of n8n says', async () => {
		const controller = new AbortController();
		const vm = new Vm(() => {
			controller.abort();
			return {};
		});
		vm.signal = controller.signal;
		expect(told(await run(vm)).message).toBe('Command on VM 1: outcome unknown. Cancelled');
		expect(vm.logged).toEqual([
			['Cancelled while a command was running on a VM. It may go on there.', FACTS],
		]);
	});
});

describe('a command that was not sent', () => {
	it('says so, and is sent by a retry', async () => {
		const vm = new Vm();
		vm.loginError = Object.assign(new Error('connect ECONNREFUSED'), {
			level: 'client-socket',
			code: 'ECONNREFUSED',
		});
		expect(told(await run(vm))).toEqual({
			message: 'Nothing listens at 192.0.2.1:22 (connection refused)',
			description:
				'The VM is up, but no SSH server listens there (yet). Put Deployment > Wait For (Running and Reachable by SSH) before this node. The command was not sent.',
			known: FACTS,
		});
		vm.loginError = undefined;
		expect(await run(vm)).toMatchObject([{ exit_code: 0 }]);
	});

	it('has met a fault of its own', async () => {
		const vm = new Vm();
		const context = await vm.context();
		Object.assign(context.journal, {
			note: () => {
				throw new TypeError('not a note');
			},
		});
		await expect(runCommand.run(context, form())).rejects.toThrow(new TypeError('not a note'));
	});
});
