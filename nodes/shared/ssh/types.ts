import type { SSHTunnelFunctions } from 'n8n-workflow';

/** What n8n offers for SSH, in every context in which a node runs or fills a list. */
export interface SshFunctions {
	helpers: SSHTunnelFunctions;
}

/** Where to log in, and as whom. */
export interface SshLogin {
	host: string;
	port: number;
	username: string;
	privateKey: string;
	passphrase?: string;
}

export interface CommandRequest {
	/** One line or several, for the shell of the login. */
	command: string;
	/** What the command reads; without it, it reads the end of its input at once. */
	stdin?: string | Uint8Array;
	/** Milliseconds for the whole command. */
	timeoutMs: number;
	/** Of each of stdout and stderr; the tail is kept. */
	maxOutputBytes: number;
	/** Closes the channel of this command alone. */
	signal: AbortSignal;
}

export interface CommandResult {
	/** The tail, as text. */
	stdout: string;
	stderr: string;
	/** Bytes in all, kept or not. */
	stdoutBytes: number;
	stderrBytes: number;
	/** Null where a signal ended the command, or the server does not say. */
	exitCode: number | null;
	/** Such as `SIGKILL`. */
	signal: string | null;
	seconds: number;
}

export interface UploadOptions {
	/** A longer content is an error, and nothing is left of it. */
	maxBytes: number;
	signal: AbortSignal;
	/** Permissions such as 0o755; default: what the server gives a new file. */
	mode?: number;
	/** Creates the folders that the path names. */
	createFolders?: boolean;
}

export interface UploadResult {
	/** Sent, and confirmed as the size of the file by the server. */
	bytes: number;
	/** Of what was sent, in hexadecimal. */
	sha256: string;
}

export interface DownloadResult {
	content: Buffer;
	bytes: number;
	/** Of what was received, in hexadecimal. */
	sha256: string;
}

/** What can be done over one connection, several things at once. Everything throws {@link SshError}. */
export interface SshSession {
	/** Runs a command; one that fails with an exit code is a result. */
	run(request: CommandRequest): Promise<CommandResult>;
	/** Writes a file under another name and renames it once it is whole. */
	upload(
		remotePath: string,
		content: AsyncIterable<Uint8Array>,
		options: UploadOptions,
	): Promise<UploadResult>;
	download(
		remotePath: string,
		options: { maxBytes: number; signal: AbortSignal },
	): Promise<DownloadResult>;
}

/**
 * `refused`     nothing listens on the port.
 * `unreachable` no answer, no such host, or a connection that is closed before a server has said anything.
 * `login`       the server rejects the key or the user.
 * `key`         the private key cannot be read: its format or its passphrase.
 * `protocol`    not an SSH server, or one without common algorithms; also a server that does not run commands.
 * `closed`      the connection was lost midway.
 * `timeout`     the time for a command or a step of a transfer is over.
 * `cancelled`   the caller's signal.
 * `absent`      there is no such file or folder.
 * `sftp`        the server says no to a file otherwise: no permission, no space, too large.
 */
export type SshProblem =
	| 'refused'
	| 'unreachable'
	| 'login'
	| 'key'
	| 'protocol'
	| 'closed'
	| 'timeout'
	| 'cancelled'
	| 'absent'
	| 'sftp';

/** Why something over SSH did not work. The message is a sentence without a full stop, and holds no secret. */
export class SshError extends Error {
	constructor(
		readonly problem: SshProblem,
		message: string,
		/** What a command had said before. */
		readonly partial?: CommandResult,
		/** Whether the server has shown that it speaks SSH. */
		readonly isServer = problem === 'login',
	) {
		super(message);
	}
}
