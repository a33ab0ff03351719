import { describe, expect, it } from 'vitest';
import type { CommandRequest, CommandResult, SshSession } from '../../nodes/shared/ssh/index.ts';
import { ask } from '../../nodes/Vmaas/resources/job/ask.ts';
import { asked, SHELL } from '../../nodes/Vmaas/resources/job/scripts.ts';

const GREETING = 'Welcome\n';
/** What a shell says that gets to a script. */
const begun = (text: string) => `${GREETING}${asked('').replace('echo ', '')}${text}`;

const options = { timeoutMs: 5, maxOutputBytes: 7, signal: new AbortController().signal };

async function answered(result: Partial<CommandResult>) {
	const requests: CommandRequest[] = [];
	const run = async (request: CommandRequest) => {
		requests.push(request);
		return await Promise.resolve({ stdout: '', stderr: '', exitCode: 0, ...result });
	};
	const session = { run } as unknown as SshSession;
	const answer = await ask(session, 'uptime', options).catch((error: unknown) => error);
	return { answer, requests };
}

describe('a script that runs on a VM', () => {
	it('is sent to sh as its input, and its answer is what it says after a greeting', async () => {
		const { answer, requests } = await answered({ stdout: begun('up\n'), exitCode: 3 });
		expect(answer).toEqual({ stdout: 'up\n', exitCode: 3 });
		expect(requests).toEqual([{ command: SHELL, stdin: asked('uptime'), ...options }]);
	});

	it('may say nothing', async () => {
		expect((await answered({ stdout: begun('') })).answer).toEqual({ stdout: '', exitCode: 0 });
	});

	it.each<[string, Partial<CommandResult>, string]>([
		['whose end is not known', { stdout: begun('up\n'), exitCode: null }, 'The VM ended a command'],
		['that says nothing at all', { exitCode: 1 }, 'The VM ended a command'],
		[
			'of an image that lets nobody in, in its words on one line',
			{ stdout: ' Please\r\n\tlogin as\u0007 "ubuntu"\n', stderr: 'other', exitCode: 0 },
			'The VM runs no commands. It says: Please login as "ubuntu"',
		],
		[
			'of a shell that speaks on stderr alone',
			{ stdout: '\n', stderr: 'sh: not found\n', exitCode: 127 },
			'The VM runs no commands. It says: sh: not found',
		],
		[
			'that says much',
			{ stdout: 'x'.repeat(300) },
			`The VM runs no commands. It says: ${'x'.repeat(200)}`,
		],
	])('is tried again where it is one %s', async (_, result, message) => {
		expect((await answered(result)).answer).toMatchObject({ problem: 'closed', message });
	});
});
