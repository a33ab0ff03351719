import { SshError, type SshSession } from '../../../shared/ssh';
import { answerOf, asked, SHELL } from './scripts';

/** For a script. */
export interface AskOptions {
	timeoutMs: number;
	/** Of its answer, at most. */
	maxOutputBytes: number;
	signal: AbortSignal;
}

/**
 * Runs a script on a VM.
 * @returns what it says, without what the login shell has said before
 * @throws SshError where it did not run, or not to its end: another try may
 */
export async function ask(
	session: SshSession,
	script: string,
	options: AskOptions,
): Promise<{ stdout: string; exitCode: number }> {
	const result = await session.run({ command: SHELL, stdin: asked(script), ...options });
	const { stdout, stderr, exitCode } = result;
	const answer = answerOf(stdout);
	if (answer !== undefined && exitCode !== null) return { stdout: answer, exitCode };
	const words = answer === undefined ? oneLine(stdout) || oneLine(stderr) : '';
	throw new SshError(
		'closed',
		words === '' ? 'The VM ended a command' : `The VM runs no commands. It says: ${words}`,
	);
}

/** Of an image that is not set up yet, or lets nobody in: why. */
function oneLine(text: string): string {
	return text
		.replace(/[\p{Cc}\s]+/gu, ' ')
		.trim()
		.slice(0, 200);
}
