import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { ProductContext } from '../../../marketplace/product';
import { contextError, pause } from '../../../shared/operation/context';
import { FileItem, type OutputItem } from '../../../shared/operation/items';
import { SshError } from '../../../shared/ssh';
import { Tail } from '../../../shared/ssh/tail';
import { elapsed } from '../../../shared/time';
import { signalOf } from './awaitSsh';
import { inputStream, type InputFile } from './inputFiles';
import type { Remote } from './overSsh';
import {
	filesBytes,
	filesScript,
	folderOf,
	hasWildcard,
	pollBytes,
	pollScript,
	prepareScript,
	readFiles,
	readPoll,
	startScript,
	type JobState,
	type OutputPart,
} from './scripts';

/** Largest file to upload or download, since a file is in memory during its transfer. */
export const MAX_FILE_BYTES = 100 * 1024 * 1024;

/** Files that are downloaded at most. */
const MOST_FILES = 100;

/** Pauses between two looks at a job that runs, in milliseconds: the first is short, and each is longer than the one before. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/** A job that was started shows a process in this time. */
const STARTS_MS = 60_000;

/** What is to be started on a VM. */
export interface Work {
	command: string;
	environment: Array<[name: string, value: string]>;
	/** Written into the work folder. */
	inputs: InputFile[];
}

/** A job on a VM, and what is to be brought back of it. */
export interface Task {
	jobId: string;
	/** Patterns of files to bring back. */
	outputs: string[];
	/** Of each output; the tail is kept. */
	maxOutputBytes: number;
}

/** A file that was brought back. */
interface OutputFile {
	path: string;
	bytes: number;
	sha256: string;
	binary: IBinaryData;
}

/** What is done of a task: after a lost connection it goes on here. */
export class Progress {
	isStarted = false;
	private isPrepared = false;
	exitCode?: number;
	readonly files: OutputFile[] = [];
	/** Files that match and are not gone again, once they are known. */
	paths?: string[];
	missing: string[] = [];
	readonly stdout: Tail;
	readonly stderr: Tail;
	/** Bytes of each output that were seen or left out. */
	readonly offsets = { stdout: 0, stderr: 0 };
	private readonly uploaded = new Set<InputFile>();

	constructor(
		private readonly context: ProductContext,
		readonly task: Task,
	) {
		this.stdout = new Tail(task.maxOutputBytes);
		this.stderr = new Tail(task.maxOutputBytes);
	}

	/** Uploads what the command needs and starts it. A lost answer is looked up: the command is never started twice. */
	async start({ session, script }: Remote, { command, environment, inputs }: Work): Promise<void> {
		const { context } = this;
		const { jobId } = this.task;
		if (this.isStarted) return;
		if (!this.isPrepared) {
			const prepared = await script(prepareScript(jobId, command, environment));
			if (prepared.exitCode !== 0) throw this.failed('prepared', prepared.exitCode);
			this.isPrepared = true;
		}
		for (const file of inputs) {
			if (this.uploaded.has(file)) continue;
			await session.upload(
				`${folderOf(jobId)}/work/${file.name}`,
				await inputStream(context, file),
				{ maxBytes: MAX_FILE_BYTES, signal: signalOf(context) },
			);
			this.uploaded.add(file);
		}
		const started = await script(
			startScript(
				jobId,
				inputs.map(({ name }) => name),
			),
		);
		if (started.exitCode !== 0) throw this.failed('started', started.exitCode);
		this.isStarted = true;
	}

	/** One look at the job; adds what is new of its output. */
	async look({ script }: Remote): Promise<JobState> {
		const { offsets, task } = this;
		const { jobId, maxOutputBytes: most } = task;
		const { stdout: answer, exitCode } = await script(
			pollScript(jobId, offsets, most),
			pollBytes(most),
		);
		if (exitCode === NO_FOLDER) return 'absent';
		const poll = readPoll(answer);
		if (!poll) throw this.failed('looked at', exitCode);
		this.add('stdout', poll.stdout);
		this.add('stderr', poll.stderr);
		if (poll.state === 'ended') this.exitCode = poll.exitCode;
		return poll.state;
	}

	/**
	 * Follows the job to its end.
	 * @param until when its time is over, by {@link elapsed}
	 */
	async follow(remote: Remote, until: number): Promise<void> {
		await this.watch(remote, until, 'ended');
	}

	/** Waits until the job shows its process, or has ended already. */
	async begin(remote: Remote): Promise<JobState> {
		return await this.watch(remote, Infinity, 'running');
	}

	private async watch(remote: Remote, until: number, goal: 'running' | 'ended'): Promise<JobState> {
		const { context } = this;
		let startsUntil = elapsed() + STARTS_MS;
		for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
			const state = await this.look(remote);
			if (state === 'ended' || state === goal) return state;
			if (state === 'running') startsUntil = Infinity;
			else if (state !== 'starting' || elapsed() >= startsUntil)
				throw contextError(context, { message: WHY_NOT[state] });
			if (elapsed() >= until)
				throw contextError(context, {
					message: 'The command has not ended within its time',
					description: 'Raise Command Timeout under Options, or choose a longer Duration.',
				});
			await pause(context, Math.max(0, Math.min(pauseMs, until - elapsed())));
		}
	}

	/** Brings the files back that the patterns name; what does not exist is noted. */
	async download({ session, script }: Remote): Promise<void> {
		const { context, task } = this;
		this.paths ??= await this.find(script);
		for (const path of this.paths.slice(this.files.length)) {
			const remotePath = path.startsWith('/') ? path : `${folderOf(task.jobId)}/work/${path}`;
			const limits = { maxBytes: MAX_FILE_BYTES, signal: signalOf(context) };
			const file = await session.download(remotePath, limits).catch((error: unknown) => {
				if (error instanceof SshError && error.problem === 'absent') return undefined;
				throw error;
			});
			if (file === undefined) {
				this.paths = this.paths.filter((one) => one !== path);
				this.missing.push(path);
				continue;
			}
			const { content, bytes, sha256 } = file;
			const name = path.slice(path.lastIndexOf('/') + 1);
			const binary = await context.functions.helpers.prepareBinaryData(content, name);
			this.files.push({ path, bytes, sha256, binary });
		}
	}

	/** What the output says of the job. */
	facts(): IDataObject {
		const { exitCode, offsets } = this;
		return {
			exit_code: exitCode ?? null,
			stdout: this.stdout.text(),
			stderr: this.stderr.text(),
			stdout_bytes: offsets.stdout,
			stderr_bytes: offsets.stderr,
			...(this.paths && {
				files: this.files.map(({ path, bytes, sha256 }, index) => ({
					path,
					bytes,
					sha256,
					binary: `file_${index}`,
				})),
				missing_files: this.missing,
			}),
		};
	}

	/** An output item with the files that were brought back. */
	item(json: IDataObject): OutputItem {
		if (this.files.length === 0) return json;
		const binary = this.files.map(({ binary: file }, index) => [`file_${index}`, file] as const);
		return new FileItem(json, Object.fromEntries(binary));
	}

	private async find(script: Remote['script']): Promise<string[]> {
		const { jobId, outputs } = this.task;
		if (outputs.length === 0) return [];
		const { stdout, exitCode } = await script(
			filesScript(jobId, outputs, MOST_FILES),
			filesBytes(outputs, MOST_FILES),
		);
		if (exitCode !== 0) throw this.failed('searched for its files', exitCode);
		const { paths, matched, most } = readFiles(stdout);
		const count = Math.max(paths.length, most);
		if (count > MOST_FILES)
			throw contextError(this.context, {
				message: `${count} files match Result Files, and ${MOST_FILES} are downloaded at most`,
				description: 'Pack them into one file at the end of the command, with tar for example.',
			});
		// What a pattern with wildcards finds may be nothing
		this.missing = outputs.filter((path, index) => !hasWildcard(path) && !matched.has(index));
		return paths;
	}

	/** Where a part was left out, what follows it is as long as the tail. */
	private add(name: 'stdout' | 'stderr', { size, bytes }: OutputPart): void {
		this[name].add(bytes);
		this.offsets[name] = Math.max(this.offsets[name], size);
	}

	private failed(what: string, exitCode: number): Error {
		return contextError(this.context, {
			message: `The job could not be ${what} on the VM (exit code ${exitCode})`,
			description:
				exitCode === NO_TOOL
					? 'It lacks one of the programs od, tail, head and wc: choose another VM Image Type.'
					: 'Its home folder may be full or read-only.',
		});
	}
}

/** Exit code of a script whose job has no folder. */
const NO_FOLDER = 90;

/** Exit code of a script that lacks a program. */
const NO_TOOL = 92;

const WHY_NOT: Record<Exclude<JobState, 'ended' | 'running'>, string> = {
	absent: 'The VM does not know the job: its home folder may have been replaced',
	starting: 'The command was told to start, and no process shows: it is not started again',
	killed:
		'The process of the job was ended from outside, without an exit code: out of memory, a full disk, or a restart of the VM',
};
