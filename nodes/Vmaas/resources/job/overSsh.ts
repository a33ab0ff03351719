import { randomBytes } from 'node:crypto';
import { whatIs } from '../../../marketplace/presence';
import type { ProductContext } from '../../../marketplace/product';
import { replyError } from '../../../shared/http/request';
import type { NodeError } from '../../../shared/http/errors';
import { contextError, pause } from '../../../shared/operation/context';
import { SshError, withSsh, type SshSession } from '../../../shared/ssh';
import { delay, elapsed } from '../../../shared/time';
import { ask } from './ask';
import { KEY_ARRIVES_MS, signalOf, type Vm } from './awaitSsh';
import { beatScript } from './scripts';

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
	let heardAt = elapsed();
	// A heartbeat is no progress: a transfer that always breaks off must come to an end
	let failingSince: number | undefined;
	// A VM that restarts rejects users until it is up
	let rejectedSince: number | undefined;
	const connect = async () =>
		await withSsh(context.functions, vm.login, signal, async (session) => {
			const script: Remote['script'] = async (text, maxOutputBytes = 65_536) => {
				const answer = await ask(session, text, { timeoutMs: SCRIPT_MS, maxOutputBytes, signal });
				heardAt = elapsed();
				return answer;
			};
			const over = new AbortController();
			const heart = heartOf === undefined ? undefined : new Heart(script, heartOf, over.signal);
			const stepped = async <R>(step: () => Promise<R>): Promise<R> => {
				const result = await step().catch(async (error: unknown) => {
					if (!(error instanceof SshError && error.problem === 'protocol')) throw error;
					// A server may take one session at a time, and the heartbeat has it
					await heart?.beating;
					return await step();
				});
				failingSince = undefined;
				return result;
			};
			const remote: Remote = {
				session: {
					...session,
					upload: async (...upload) => await stepped(async () => await session.upload(...upload)),
					download: async (...one) => await stepped(async () => await session.download(...one)),
				},
				script: async (...text) => await stepped(async () => await script(...text)),
			};
			try {
				return await work(remote);
			} finally {
				over.abort();
				await heart?.stopped;
			}
		});
	for (;;) {
		try {
			return await connect();
		} catch (caught) {
			const error = caught as NodeError | SshError;
			if (signal.aborted) throw replyError(context, { kind: 'cancelled' });
			if (!(error instanceof SshError)) throw error;
			if (error.problem !== 'login') rejectedSince = undefined;
			else rejectedSince ??= elapsed();
			const mayPass =
				rejectedSince === undefined
					? PASSING.includes(error.problem)
					: elapsed() < rejectedSince + KEY_ARRIVES_MS;
			if (!mayPass)
				throw contextError(context, { message: `SSH to the VM failed: ${error.message}` });
			failingSince ??= elapsed();
			await requireVm(context, vm);
			if (elapsed() >= failingSince + LOST_MS) {
				const what =
					elapsed() >= heardAt + LOST_MS ? 'VM has not answered' : 'job has come no further';
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

/** Shows that this execution works on a VM; a beat that does not arrive is followed by the next. */
class Heart {
	/** Ends with the beat that is on its way. */
	beating = Promise.resolve();
	/** Ends after the signal has aborted. */
	readonly stopped: Promise<void>;
	private readonly own = randomBytes(4).toString('hex');

	constructor(
		private readonly script: Remote['script'],
		private readonly jobId: string,
		over: AbortSignal,
	) {
		this.stopped = this.goOn(over);
	}

	private async goOn(over: AbortSignal): Promise<void> {
		for (let beats = 0; !over.aborted; beats++) {
			this.beating = this.beat(beats);
			await this.beating;
			await delay(HEARTBEAT_MS, over);
		}
	}

	private async beat(beats: number): Promise<void> {
		const text = `${this.own} ${String(beats).padStart(8, '0')}`;
		await this.script(beatScript(this.jobId, text)).catch(() => undefined);
	}
}
