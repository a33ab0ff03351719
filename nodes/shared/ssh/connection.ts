import { createHash, randomBytes } from 'node:crypto';
import type { Client } from 'ssh2';
import { deadline, elapsed, firstAbort } from '../time';
import { connectError } from './connectError';
import { SshError, type SshFunctions, type SshLogin } from './types';

/**
 * One connection of the process to one login, through n8n's `getSSHClient`, for all who use it at the same time.
 *
 * n8n shares a client by its configuration, ends it when the abort controller of its first user aborts, ignores those of the
 * others, and ends a client that says nothing of its use for five minutes. An old client that closes late also ends a newer
 * one with the same configuration, and one that could not be made stays in the way for five minutes. So each connection
 * has a controller and a configuration of its own, counts its users, and tells n8n every {@link ALIVE_MS} that it is in use.
 * n8n sets no keep-alive: a request of ours, to which every server answers, shows in time that a connection is dead.
 */
export class Connection {
	/** Aborts when the connection is lost or over: n8n aborts it when the client ends or fails. */
	readonly lost: AbortSignal;
	private readonly controller = new AbortController();
	private readonly opening: Promise<Client | SshError>;
	private users = 0;
	private heardAt = elapsed();
	private problem?: string;
	private client?: Client;

	private constructor(
		private readonly functions: SshFunctions,
		login: SshLogin,
	) {
		this.lost = this.controller.signal;
		this.opening = this.open(login);
	}

	/** Does something over the connection to a login, which is shared with those that use it now. */
	static async use<T>(
		functions: SshFunctions,
		login: SshLogin,
		signal: AbortSignal,
		work: (client: Client, connection: Connection) => Promise<T>,
	): Promise<T> {
		const { host, port, username, privateKey, passphrase } = login;
		const key = createHash('sha256')
			.update(JSON.stringify([host, port, username, privateKey, passphrase]))
			.digest('hex');
		let connection = open.get(key);
		if (!connection || connection.lost.aborted) {
			connection = new Connection(functions, login);
			open.set(key, connection);
		}
		connection.users++;
		try {
			// Says itself why a connection was lost
			const client = await connection.settled(connection.opening, signal, OPENING_MS, null);
			if (client instanceof SshError) throw client;
			return await work(client, connection);
		} finally {
			connection.users--;
			if (connection.users === 0) {
				if (open.get(key) === connection) open.delete(key);
				connection.end();
			}
		}
	}

	/** To be called with each sign of life of the server. */
	heard = (): void => {
		this.heardAt = elapsed();
	};

	/**
	 * The result of a step, or an error as soon as it cannot come any more.
	 * @param ms time for the step
	 */
	async settled<T>(
		step: Promise<T>,
		signal: AbortSignal,
		ms: number,
		lost: AbortSignal | null = this.lost,
	): Promise<T> {
		const time = deadline(ms);
		const done = new AbortController();
		const over = firstAbort([lost ?? undefined, signal, time, done.signal]).then(() => OVER);
		try {
			// What fails since the connection is lost does not say so
			const whole = step.catch((error: unknown) =>
				lost?.aborted && !(error instanceof SshError) ? OVER : Promise.reject(error),
			);
			const result = await Promise.race([whole, over]);
			if (result !== OVER) return result as T;
		} finally {
			done.abort();
		}
		if (signal.aborted) throw new SshError('cancelled', 'Cancelled');
		if (lost?.aborted) throw this.lostError();
		throw new SshError('timeout', `No answer from the SSH server for ${ms / 1000} seconds`);
	}

	/** The connection is gone in the middle of something. */
	lostError(): SshError {
		const why = this.problem === undefined ? '' : `: ${this.problem}`;
		return new SshError('closed', `The SSH connection was lost${why}`);
	}

	private async open(login: SshLogin): Promise<Client | SshError> {
		try {
			const connecting = this.functions.helpers.getSSHClient(
				{
					sshAuthenticateWith: 'privateKey',
					sshHost: login.host,
					sshPort: login.port,
					sshUser: login.username,
					// Blanks after the key make this configuration unlike any other; ssh2 trims them
					privateKey: `${login.privateKey}\n${blanks()}`,
					...(login.passphrase !== undefined && { passphrase: login.passphrase }),
				},
				this.controller,
			);
			const client = await Promise.race([connecting, this.closed(connecting)]);
			if (client === undefined) return connectError(undefined, login);
			client.on('error', (error: Error) => {
				this.problem = error.message;
			});
			// Small requests wait for each other's acknowledgement otherwise, a tenth of a second each
			client.setNoDelay(true);
			this.client = client;
			void this.watch(client);
			return client;
		} catch (error) {
			const problem = connectError(error, login);
			// Out of n8n's way: it would hand out the failed client for five minutes
			this.controller.abort();
			return problem;
		}
	}

	/** Undefined when the connection has ended without an error; n8n's promise stays open then. */
	private async closed(connecting: Promise<Client>): Promise<undefined> {
		void connecting.then(
			(late) => this.lost.aborted && late.destroy(),
			() => undefined,
		);
		await firstAbort([this.lost]);
		// An error that has closed it arrives after the signal, in the same moment
		for (let turns = 0; turns < MOST_TURNS; turns++) await Promise.resolve();
		return undefined;
	}

	/** At once: n8n's own way waits for the server to close, and one that is gone never does. */
	private end(): void {
		this.client?.destroy();
		this.controller.abort();
	}

	/** Until the connection is over, keeps n8n from ending it and finds out when the server is gone. */
	private async watch(client: Client): Promise<void> {
		for (;;) {
			await firstAbort([deadline(ALIVE_MS), this.lost]);
			if (this.lost.aborted) return;
			this.functions.helpers.updateLastUsed(client);
			const askedAt = elapsed();
			ask(client, this.heard);
			await firstAbort([deadline(ANSWER_MS), this.lost]);
			if (this.lost.aborted) return;
			if (this.heardAt >= askedAt) continue;
			this.problem = `no sign of life for ${ANSWER_MS / 1000} seconds`;
			this.end();
		}
	}
}

/** The connections that are in use, by a digest of their login. */
const open = new Map<string, Connection>();

/** n8n ends a client that was not used for 300 seconds, or for what `N8N_SSH_TUNNEL_IDLE_TIMEOUT` says. */
const ALIVE_MS = 30_000;

/** A server that is busy, or behind a slow line, answers in this time. */
const ANSWER_MS = 60_000;

/** ssh2 gives up 20 seconds after it has begun to connect; looking up a name comes before. */
const OPENING_MS = 40_000;

const OVER = Symbol('over');

/** Promises between an error of the client and whoever waits for it, and more. */
const MOST_TURNS = 20;

/** 64 blanks of two kinds, which nobody else has. */
function blanks(): string {
	const bits = BigInt(`0x1${randomBytes(8).toString('hex')}`)
		.toString(2)
		.slice(1);
	return bits.replaceAll('0', ' ').replaceAll('1', '\t');
}

/** Asks to end a forwarding that there is not: nothing happens, and the server has to answer (RFC 4254 section 7.1). */
function ask(client: Client, answered: () => void): void {
	try {
		client.unforwardIn('127.0.0.1', 1, answered);
	} catch {
		// Not connected any more: whoever waits for an answer sees none
	}
}
