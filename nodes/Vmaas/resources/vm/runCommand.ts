import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { requireAllowedByPerson } from '../../../marketplace/agentLimit';
import { onProduct, VMAAS, type ProductContext } from '../../../marketplace/product';
import { sshContextError } from '../../../marketplace/ssh';
import { contextError, isTool } from '../../../shared/operation/context';
import { SshError, withSsh, type CommandResult } from '../../../shared/ssh';
import { commandFields, readCommand, type Command } from './commandForm';
import { openVm, readTarget, targetFields, type OpenVm, type Target } from './target';

interface Input extends Command {
	target: Target;
}

export const runCommand = onProduct<Input>(VMAAS, {
	value: 'runCommand',
	name: 'Run Command',
	action: 'Run command on VM',
	description:
		'Run a shell command on a VM over SSH and return its output and exit code. It needs the credential Compute SSH API.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'vm_id'],
	fields: [...targetFields, ...commandFields],
	input: (parameters) => ({ target: readTarget(parameters), ...readCommand(parameters) }),
	async run(context, input) {
		requireAllowedByPerson(context, 'Run Command', 'Nothing was sent to a VM');
		const earlier = context.journal.intent();
		if (earlier) throw notAgainError(context, earlier);
		const vm = await openVm(context, input.target);
		const result = await runOnce(context, vm, input);
		if (input.onNonZeroExit === 'error' && result.exitCode !== 0)
			throw exitError(context, vm, result);
		return [{ ...outputOf(result), ...vm.facts }];
	},
});

/** Sends the command, noted before, so that n8n's Retry On Fail does not run it a second time. */
async function runOnce(
	context: ProductContext,
	vm: OpenVm,
	{ script, stdin, timeoutMs, maxOutputBytes }: Command,
): Promise<CommandResult> {
	const signal = context.signal ?? new AbortController().signal;
	const request = { command: script, stdin, timeoutMs, maxOutputBytes, signal };
	const outcome = await withSsh(context.functions, vm.login, signal, async (session) => {
		context.journal.note({ ...vm.facts, what: `Command on ${vm.label}` });
		return await session.run(request);
	}).catch((error: unknown) => (error instanceof SshError ? error : Promise.reject(error)));
	if (!(outcome instanceof SshError)) return outcome;
	const { partial } = outcome;
	if (!partial) {
		context.journal.clear();
		throw sshContextError(context, outcome, {}, 'The command was not sent.');
	}
	if (outcome.problem === 'cancelled')
		context.log('Cancelled while a command was running on a VM. It may go on there.', vm.facts);
	throw unknownError(context, vm, outcome, partial);
}

/** The command was sent, and how it ends is not known. */
function unknownError(
	context: ProductContext,
	vm: OpenVm,
	error: SshError,
	partial: CommandResult,
): NodeApiError {
	return contextError(
		context,
		{
			message: `Command on ${vm.label}: outcome unknown. ${error.message}`,
			description:
				'The command was sent and may go on running on the VM. Look there before you run this again. This item does not send it again. For what takes longer, raise Timeout or run it in the background with nohup.',
		},
		{ ...tailsOf(partial), outcome: 'unknown' },
	);
}

/** The command has run and failed: what it has said last says why. */
function exitError(context: ProductContext, vm: OpenVm, result: CommandResult): NodeApiError {
	const { exitCode, signal } = result;
	const how =
		exitCode !== null
			? `exit code ${exitCode}`
			: signal !== null
				? `signal ${signal}`
				: 'no exit code: the server does not say how it ended';
	const known = { exit_code: exitCode, signal, seconds: result.seconds };
	const what = `The command on ${vm.label} ended with ${how}`;
	// An agent may mend the cause and call again; a retry by n8n would only repeat it
	if (isTool(context.functions)) context.journal.clear();
	else context.journal.note({ ...vm.facts, ...known, what, ended: true });
	const words = result.stderr.trim() || result.stdout.trim();
	const last = words.split('\n').at(-1)!.trim().slice(0, LINE_CHARACTERS);
	return contextError(
		context,
		{
			message: last === '' ? what : `${what}: ${last}`,
			description: words.slice(-TAIL_CHARACTERS),
		},
		{ ...known, ...tailsOf(result) },
	);
}

/** A retry by n8n, or an agent's repetition, of what an earlier try has sent. */
function notAgainError(context: ProductContext, earlier: IDataObject): NodeApiError {
	const { what, ended, ...facts } = earlier;
	return contextError(
		context,
		ended
			? {
					message: `${String(what)}, in an earlier try of this node. It was not run again`,
					description: 'Retry On Fail does not repeat commands. Execute the workflow again.',
				}
			: {
					message: `${String(what)}: outcome unknown. An earlier try of this node has sent it, and it was not run again`,
					description: 'Look on the VM at what it has done, then execute the workflow again.',
				},
		ended ? facts : { ...facts, outcome: 'unknown' },
	);
}

function outputOf(result: CommandResult): IDataObject {
	const { stdout, stderr, stdoutBytes, stderrBytes } = result;
	return {
		stdout,
		stderr,
		exit_code: result.exitCode,
		signal: result.signal,
		seconds: result.seconds,
		stdout_bytes: stdoutBytes,
		stderr_bytes: stderrBytes,
		stdout_truncated: stdoutBytes > Buffer.byteLength(stdout),
		stderr_truncated: stderrBytes > Buffer.byteLength(stderr),
	};
}

/** For an error, which n8n shows as a whole. */
function tailsOf({ stdout, stderr }: CommandResult): IDataObject {
	return { stdout: stdout.slice(-TAIL_CHARACTERS), stderr: stderr.slice(-TAIL_CHARACTERS) };
}

const TAIL_CHARACTERS = 4_000;
const LINE_CHARACTERS = 300;
