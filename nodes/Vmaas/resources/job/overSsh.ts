import { randomBytes } from 'node:crypto';
import { whatIs } from '../../../marketplace/presence';
import type { ProductContext } from '../../../marketplace/product';
import { replyError } from '../../../shared/http/request';
import type { NodeError } from '../../../shared/http/errors';
import { contextError, pause } from '../../../shared/operation/context';
import { SshError, withSsh, type SshSession } from '../../../shared/ssh';
import { delay, now } from '../../../shared/time';
import { signalOf, type Vm } from './awaitSsh';
import { answerOf, asked, beatScript, SHELL } from './scripts';

/** After so many milliseconds without progress over SSH, a job is given up. */
export const LOST_MS = 1_800_000;

const RECONNECT_PAUSE_MS = 10_000;

/** For a script that does little. */
const SCRIPT_MS = 60_000;

const HEARTBEAT_MS = 20_000;

/** What a job does over SSH. */
export interface Remote {
	session: SshSession;
	/** Runs a script; returns what it says. */
	script(script: string, maxOutputBytes?: number): Promise<{ stdout: string; exitCode: number }>;
}

/** Problems of a connection that is made again; the server's own no is not one. */
const PASSING = ['refused', 'unreachable', 'closed', 'timeout', 'protocol'];

/**
 * Does something over SSH that can be resumed: after a lost connection it is called again, as long as the VM runs.
 * @param heartOf the ID of a job whose heartbeat is kept up meanwhile
 * @throws where the VM has ended, is lost, or says no
 */
export async function overSsh<T>(
	context: ProductContext,
	vm: Vm,
	work: (remote: Remote) => Promise<T>,
	heartOf?: string,
): Promise<T> {
	const signal = signalOf(context);
	let heardAt = now();
	// A heartbeat is no progress: a transfer that always breaks off must come to an end
	let failingSince: number | undefined;
	const progressed = <R>(result: R): R => {
		failingSince = undefined;
		return result;
	};
	const connect = async () =>
		await withSsh(context.functions, vm.login, signal, async (session) => {
			const heard: Remote = {
				session,
				async script(script, maxOutputBytes = 65_536) {
					const timeoutMs = SCRIPT_MS;
					const request = {
						command: SHELL,
						stdin: asked(script),
						timeoutMs,
						maxOutputBytes,
						signal,
					};
					const { stdout, stdoutBytes, exitCode } = await session.run(request);
					const answer = answerOf(stdout);
					if (exitCode === null || answer === undefined || stdoutBytes > maxOutputBytes)
						throw new SshError('closed', 'The VM ended a command');
					heardAt = now();
					return { stdout: answer, exitCode };
				},
			};
			const remote: Remote = {
				session: {
					...session,
					upload: async (...upload) => progressed(await session.upload(...upload)),
					download: async (...download) => progressed(await session.download(...download)),
				},
				script: async (...script) => progressed(await heard.script(...script)),
			};
			const over = new AbortController();
			const heart = heartOf === undefined ? undefined : keepBeating(heard, heartOf, over.signal);
			try {
				return await work(remote);
			} finally {
				over.abort();
				await heart;
			}
		});
	for (;;) {
		try {
			return await connect();
		} catch (caught) {
			const error = caught as NodeError | SshError;
			if (signal.aborted) throw replyError(context, { kind: 'cancelled' });
			if (!(error instanceof SshError)) throw error;
			if (!PASSING.includes(error.problem))
				throw contextError(context, { message: `SSH to the VM failed: ${error.message}` });
			failingSince ??= now();
			await requireVm(context, vm);
			if (now() >= failingSince + LOST_MS) {
				const what = now() >= heardAt + LOST_MS ? 'VM has not answered' : 'job has come no further';
				throw contextError(context, {
					message: `The ${what} for ${LOST_MS / 60_000} minutes: ${error.message}`,
				});
			}
		}
		await pause(context, RECONNECT_PAUSE_MS);
	}
}

/** @throws where the deployment has ended: its paid time is over, say */
async function requireVm(context: ProductContext, { deploymentId }: Vm): Promise<void> {
	const { state, details } = await whatIs(context, deploymentId);
	if (state !== 'ended' && state !== 'ending') return;
	throw contextError(context, {
		message: `The deployment ended before the job did${details ? ` (${String(details.status)})` : ''}`,
		description: 'Its paid time may be over: choose a longer Duration.',
	});
}

/** Until the signal aborts; a beat that does not arrive is followed by the next. */
async function keepBeating(remote: Remote, jobId: string, over: AbortSignal): Promise<void> {
	const own = randomBytes(4).toString('hex');
	for (let beats = 0; !over.aborted; beats++) {
		await remote
			.script(beatScript(jobId, `${own} ${String(beats).padStart(8, '0')}`))
			.catch(() => undefined);
		await delay(HEARTBEAT_MS, over);
	}
}
