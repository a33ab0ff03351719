import { quoted } from '../vm/commandForm';

/**
 * What runs on the VM, for any POSIX shell (busybox, too). Each script is sent to `sh` as its input, since the shell of the
 * login may be any. A job has a folder of its own:
 *
 * `command`     what the person wants to run, in `work/`
 * `lock/`       made before it is started, so that it is never started twice
 * `pid`         of the shell that waits for its end
 * `stdout`, `stderr`, `exit_code`  the last one appears when it has ended, and is whole
 * `heartbeat`   changes as long as the execution of Run that owns the VM is alive
 */
export function folderOf(jobId: string): string {
	return `.compute-job/${jobId}`;
}

/** The shell that gets a script as its input. */
export const SHELL = 'exec sh -s';

/** Before what a script says: a login shell may greet first. */
const BEGIN = 'BEGIN-OF-COMPUTE-JOB-8d1f4c';

/** A script whose answer {@link answerOf} finds. */
export function asked(script: string): string {
	return `echo ${BEGIN}\n${script}`;
}

/** What a script has said; undefined where the shell has not come to it. */
export function answerOf(stdout: string): string | undefined {
	const begin = stdout.indexOf(`${BEGIN}\n`);
	return begin < 0 ? undefined : stdout.slice(begin + BEGIN.length + 1);
}

function enter(jobId: string): string {
	return `cd "$HOME/${folderOf(jobId)}" 2>/dev/null || exit 90`;
}

/** A file with a text of any lines. */
function file(name: string, text: string): string {
	return `printf '%s\\n' ${quoted(text)} >${name} || exit 91`;
}

/** Writes everything that the job needs; once it is started, nothing. */
export function prepareScript(
	jobId: string,
	command: string,
	environment: Array<[name: string, value: string]>,
): string {
	const exports = environment.map(([name, value]) => `export ${name}=${quoted(value)}`);
	// A character that a Windows editor leaves at the end of a line is part of a command for sh
	const text = command.replaceAll('\r\n', '\n');
	return [
		'for tool in od tail head wc; do command -v $tool >/dev/null 2>&1 || exit 92; done',
		'umask 077',
		`mkdir -p "$HOME/${folderOf(jobId)}/work" || exit 91`,
		enter(jobId),
		'[ -d lock ] && exit 0',
		file('command', text),
		'chmod 700 command',
		file('environment', exports.join('\n')),
		// The command may fill the disk: what is there already can still be overwritten and renamed
		file('exit_code.new', '    '),
		file(
			'wrapper',
			[
				// The end of the connection must not end it
				"trap '' HUP",
				enter(jobId),
				'printf "%s\\n" "$$" >pid.new && mv pid.new pid',
				'cd work || exit 91',
				// The environment is for the command alone: its PATH may lack what follows
				`(. ../environment && exec ${text.startsWith('#!') ? '' : 'sh '}../command) >../stdout 2>../stderr </dev/null`,
				'printf "%4s\\n" "$?" 1<>../exit_code.new && mv ../exit_code.new ../exit_code',
			].join('\n'),
		),
		'exit 0',
	].join('\n');
}

/**
 * Starts the job, detached from the connection, unless it was started before.
 * @param inputs names of the files that were uploaded
 */
export function startScript(jobId: string, inputs: string[]): string {
	return [
		enter(jobId),
		// Of uploads whose connection was lost
		...inputs.map((name) => `rm -f work/${quoted(name)}.${PART}`),
		'mkdir lock 2>/dev/null || { [ -d lock ] && exit 0; exit 91; }',
		'if command -v setsid >/dev/null 2>&1; then',
		'  setsid sh ./wrapper </dev/null >/dev/null 2>&1 &',
		'else',
		'  nohup sh ./wrapper </dev/null >/dev/null 2>&1 &',
		'fi',
		'exit 0',
	].join('\n');
}

/** How the name of a file ends while it is uploaded: 12 hexadecimal digits and `.part`. */
const PART = `${'[0-9a-f]'.repeat(12)}.part`;

/** Where the output of a job was read to, in bytes. */
export interface Offsets {
	stdout: number;
	stderr: number;
}

/**
 * Tells the state of a job and what its output has from an offset on, as hexadecimal bytes: a part may end in the middle of a
 * character. The state is looked at first, so that the output of a job that has ended is whole.
 * @param most bytes of each output; of more, the last ones
 */
export function pollScript(jobId: string, { stdout, stderr }: Offsets, most: number): string {
	return [
		enter(jobId),
		'state=starting',
		'if [ -e exit_code ]; then state=ended',
		'elif [ -e pid ]; then',
		'  pid=$(cat pid)',
		'  alive=no',
		// After a restart another process may have its number
		'  kill -0 "$pid" 2>/dev/null && case "$(cat "/proc/$pid/cmdline" 2>/dev/null || echo ./wrapper)" in',
		'  *./wrapper*) alive=yes;;',
		'  esac',
		'  if [ $alive = yes ]; then state=running',
		'  elif [ -e exit_code ]; then state=ended',
		'  else state=killed; fi',
		'elif [ ! -d lock ]; then state=absent',
		'fi',
		'echo "state $state $(cat exit_code 2>/dev/null)"',
		'show() {',
		'  size=0',
		'  from=$2',
		'  [ -e "$1" ] && size=$(($(wc -c <"$1")))',
		`  [ $((size - from)) -gt ${most} ] && from=$((size - ${most}))`,
		'  echo "$1 $size $from"',
		'  if [ "$size" -gt "$from" ]; then',
		'    tail -c +$((from + 1)) "$1" | head -c $((size - from)) | od -An -v -tx1',
		'  fi',
		'  echo .',
		'}',
		`show stdout ${stdout}`,
		`show stderr ${stderr}`,
		'echo complete',
	].join('\n');
}

/** Bytes that {@link pollScript} may answer with. */
export function pollBytes(most: number): number {
	return 8 * most + 4_096;
}

export type JobState = 'absent' | 'starting' | 'running' | 'ended' | 'killed';
const STATES: readonly JobState[] = ['absent', 'starting', 'running', 'ended', 'killed'];

/** What {@link pollScript} has told. */
export interface Poll {
	state: JobState;
	/** Of a job that has ended. */
	exitCode?: number;
	stdout: OutputPart;
	stderr: OutputPart;
}

export interface OutputPart {
	/** Of the whole output, in bytes. */
	size: number;
	bytes: Buffer;
}

/** Reads the answer of {@link pollScript}; undefined where it is not whole. */
export function readPoll(answer: string): Poll | undefined {
	const lines = answer.split('\n');
	const [, word, code] = /^state (\w+) *(\d*)$/.exec(lines.shift()!) ?? [];
	const state = STATES.find((one) => one === word);
	const stdout = readPart(lines, 'stdout', state !== 'ended');
	const stderr = readPart(lines, 'stderr', state !== 'ended');
	if (!state || !stdout || !stderr || lines.shift() !== 'complete') return undefined;
	if (state === 'ended' && !code) return undefined;
	return { state, ...(code && { exitCode: Number(code) }), stdout, stderr };
}

/** @param mayShrink a command that runs may shorten its output after its size was told: what is left is read, and the next look goes on there */
function readPart(lines: string[], name: string, mayShrink: boolean): OutputPart | undefined {
	const head = /^(\w+) (\d+) (\d+)$/.exec(lines.shift() ?? '');
	if (!head || head[1] !== name) return undefined;
	const [size, from] = [Number(head[2]), Number(head[3])];
	const end = lines.indexOf('.');
	if (end < 0) return undefined;
	const bytes = Buffer.from(
		lines
			.splice(0, end + 1)
			.join('')
			.replace(/[^0-9a-f]/g, ''),
		'hex',
	);
	const told = Math.max(0, size - from);
	if (bytes.length === told) return { size, bytes };
	return mayShrink && bytes.length < told ? { size: from + bytes.length, bytes } : undefined;
}

/**
 * Shows that the execution which owns the VM is alive.
 * @param beat as long as the one before, which it overwrites: the disk may be full
 */
export function beatScript(jobId: string, beat: string): string {
	return `umask 077; mkdir -p "$HOME/${folderOf(jobId)}" && printf %s ${quoted(beat)} 1<>"$HOME/${folderOf(jobId)}/heartbeat"`;
}

/** Tells the heartbeat of whoever owns the VM; nothing where there is none. */
export const HEARTBEAT_SCRIPT = 'cat "$HOME"/.compute-job/*/heartbeat 2>/dev/null; exit 0';

/**
 * The files that match patterns with `*`, `?` and `[…]`, for {@link readFiles}; relative patterns are those of the work folder.
 * @param most files that are told of each pattern
 */
export function filesScript(jobId: string, patterns: string[], most: number): string {
	return [
		enter(jobId),
		'cd work || exit 91',
		// A name may hold any character but this end
		'show() {',
		'  index=$1',
		'  count=0',
		'  shift',
		'  for f; do',
		'    [ -f "$f" ] || continue',
		'    count=$((count + 1))',
		`    [ $count -gt ${most} ] || printf '%s %s\\000' $index "$f"`,
		'  done',
		"  printf 'count %s\\000' $count",
		'}',
		...patterns.map((pattern, index) => `show ${index} ${glob(pattern)}`),
		'exit 0',
	].join('\n');
}

/** Bytes that {@link filesScript} may answer with: paths have 4,096 at most. */
export function filesBytes(patterns: string[], most: number): number {
	return patterns.length * (most + 1) * 4_200;
}

/** What {@link filesScript} has told. */
export interface FilesFound {
	/** Each once. */
	paths: string[];
	/** Indices of the patterns that found something. */
	matched: Set<number>;
	/** Of the pattern that found the most, told or not. */
	most: number;
}

export function readFiles(answer: string): FilesFound {
	const found = answer.split('\0').flatMap((one) => {
		const [, word, rest] = /^(\w+) ([^]+)$/.exec(one) ?? [];
		return word === undefined || rest === undefined ? [] : [{ word, rest }];
	});
	const files = found.filter(({ word }) => word !== 'count');
	return {
		paths: [...new Set(files.map(({ rest }) => rest))],
		matched: new Set(files.map(({ word }) => Number(word))),
		most: Math.max(0, ...found.flatMap(({ word, rest }) => (word === 'count' ? Number(rest) : []))),
	};
}

/** A pattern for the shell: all but the wildcards is taken as it is. */
function glob(pattern: string): string {
	const home = pattern.startsWith('~/');
	const text = home ? pattern.slice(2) : pattern;
	const escaped = text.replace(/\[!|[^A-Za-z0-9_./*?[\]-]/gu, (part) =>
		part === '[!' ? part : `\\${part}`,
	);
	return home ? `"$HOME"/${escaped}` : escaped;
}

export function hasWildcard(pattern: string): boolean {
	return /[*?[]/.test(pattern);
}
