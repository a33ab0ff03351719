import { Readable } from 'node:stream';
import type { NodeApiError } from 'n8n-workflow';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { SshError, type SshSession } from '../../nodes/shared/ssh/index.ts';
import { now } from '../../nodes/shared/time.ts';
import { Progress, type Task } from '../../nodes/Vmaas/resources/job/onVm.ts';
import type { Remote } from '../../nodes/Vmaas/resources/job/overSsh.ts';
import { JOB, jobBench, outcome } from './job-bench.mts';

export interface Answer {
	stdout?: string;
	exitCode?: number;
}

/** A VM that answers one script after the other, the last answer again and again, and what was done on it. */
export function vmOf(answers: Answer[] = [{}], files: Record<string, string | SshError> = {}) {
	const done: string[] = [];
	const times: number[] = [];
	const startedAt = now();
	const session: Pick<SshSession, 'upload' | 'download'> = {
		async upload(path, content, { maxBytes }) {
			const bytes = Buffer.concat(await Readable.from(content).toArray());
			done.push(`upload ${path} "${bytes.toString()}" of at most ${maxBytes}`);
			const lost = files[path];
			if (lost instanceof SshError) throw lost;
			return { bytes: bytes.length, sha256: '' };
		},
		async download(path, { maxBytes }) {
			done.push(`download ${path} of at most ${maxBytes}`);
			const file = await Promise.resolve(files[path]);
			if (typeof file !== 'string') throw file ?? new SshError('absent', 'no such file');
			return { content: Buffer.from(file), bytes: file.length, sha256: `hash of ${file}` };
		},
	};
	const remote: Remote = {
		session: session as SshSession,
		async script(script, most) {
			done.push(kindOf(script) + (most === undefined ? '' : ` with ${most} bytes`));
			times.push((now() - startedAt) / 1_000);
			const { stdout = '', exitCode = 0 } =
				(answers.length > 1 ? answers.shift() : answers[0]) ?? {};
			return await Promise.resolve({ stdout, exitCode });
		},
	};
	return { remote, done, times, files };
}

function kindOf(script: string): string {
	if (script.includes('>command')) return 'prepare';
	if (script.includes('mkdir lock')) return 'start';
	return /show stdout \d+\nshow stderr \d+/.exec(script)?.[0].replace('\n', ', ') ?? 'find files';
}

export function progressOf(task: Partial<Task> = {}) {
	const context = { ...jobBench().context(), product: VMAAS };
	Object.assign(context.functions.helpers, {
		getBinaryStream: async (id: string) => await Promise.resolve(Readable.from([Buffer.from(id)])),
	});
	return new Progress(context, { jobId: JOB, outputs: [], maxOutputBytes: 1_024, ...task });
}

/** The work folder of the job. */
export const folder = `.compute-job/${JOB}/work`;
export const MOST = 104_857_600;

export async function failed(doIt: () => Promise<unknown>) {
	const error = (await outcome(doIt)) as NodeApiError;
	if (!(error instanceof Error)) throw new Error('No error');
	return { message: error.message, description: error.description };
}
