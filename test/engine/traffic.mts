import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

/** Real time without progress after which the reader of a connection counts as paused. */
const PAUSED_MS = 250;
/** Shorter timers count as traffic: a moment's pause that is no wait of the package, such as n8n's between two tries. */
const SHORT_TIMER_MS = 5;

/** The two ends of a connection inside this process. */
interface Connection {
	client: Socket;
	/** When its bytes last moved, in real time, and which they were. */
	movedAt: number;
	bytes: string;
}

/**
 * What is on its way between clients and servers of this process: unanswered requests, bytes that are not read yet, of whatever
 * protocol, and short timers. On a busy machine bytes may take longer from one socket to the other than any number of turns.
 */
export class Traffic {
	/** By the port of the client. */
	private readonly connections = new Map<number, Connection>();
	private readonly servers = new Map<number, Socket>();
	private readonly timers = new Set<unknown>();
	private readonly realTimer = globalThis.setTimeout;
	private readonly realClear = globalThis.clearTimeout;
	private requestsStarted = 0;
	private requestsAnswered = 0;
	private bytesOfClosed = 0;
	private connecting = 0;
	private readonly realConnect = Socket.prototype.connect;

	/** @param held how many requests the server holds: they wait for the clock, and not for anything on its way */
	constructor(private readonly held: () => number) {
		subscribe('http.client.request.start', this.onRequest);
		subscribe('net.server.socket', this.onAccepted);
		// Connections that were there before
		subscribe('http.server.request.start', this.onAccepted);
		const { realConnect } = this;
		const begin = (socket: Socket) => this.begin(socket);
		Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
			begin(this);
			return realConnect.apply(this, args as Parameters<typeof realConnect>);
		} as typeof realConnect;
		globalThis.setTimeout = Object.assign(this.setTimeout, {
			[promisify.custom]: promisify(this.realTimer),
		}) as unknown as typeof setTimeout;
		globalThis.clearTimeout = (timer) => {
			this.timers.delete(timer);
			this.realClear(timer);
		};
	}

	unwatch(): void {
		unsubscribe('http.client.request.start', this.onRequest);
		unsubscribe('net.server.socket', this.onAccepted);
		unsubscribe('http.server.request.start', this.onAccepted);
		Socket.prototype.connect = this.realConnect;
		globalThis.setTimeout = this.realTimer;
		globalThis.clearTimeout = this.realClear;
	}

	/** Changes whenever something has moved. */
	get count(): string {
		let bytes = this.bytesOfClosed;
		for (const { client } of this.connections.values()) bytes += client.bytesRead;
		return `${this.requestsStarted} ${this.requestsAnswered} ${bytes}`;
	}

	get isOnItsWay(): boolean {
		const isUnanswered = this.requestsStarted - this.requestsAnswered > this.held();
		if (isUnanswered || this.connecting > 0 || this.timers.size > 0) return true;
		return [...this.connections].some(([port, one]) => isMoving(one, this.servers.get(port)));
	}

	/** A connection that is being made, of whatever protocol. */
	private begin(socket: Socket): void {
		this.connecting++;
		let isOver = false;
		const over = () => {
			if (!isOver) this.connecting--;
			isOver = true;
		};
		socket.once('connect', over).once('close', over);
		socket.once('connect', () => this.watch(socket));
	}

	private readonly onRequest = (message: unknown): void => {
		const { request } = message as { request: ClientRequest };
		this.requestsStarted++;
		let isAnswered = false;
		const answered = () => {
			if (!isAnswered) this.requestsAnswered++;
			isAnswered = true;
		};
		request.once('response', answered).once('error', answered).once('close', answered);
		if (request.socket) this.watch(request.socket);
		else request.once('socket', (socket) => this.watch(socket));
	};

	private watch(client: Socket): void {
		const { localPort } = client;
		if (localPort === undefined || this.connections.get(localPort)?.client === client) return;
		this.connections.set(localPort, { client, movedAt: 0, bytes: '' });
		client.once('close', () => {
			this.bytesOfClosed += client.bytesRead;
			if (this.connections.get(localPort)?.client === client) this.connections.delete(localPort);
		});
	}

	private readonly onAccepted = (message: unknown): void => {
		const { socket } = message as { socket: Socket };
		const { remotePort } = socket;
		if (remotePort === undefined || this.servers.get(remotePort) === socket) return;
		this.servers.set(remotePort, socket);
		socket.once('close', () => {
			if (this.servers.get(remotePort) === socket) this.servers.delete(remotePort);
		});
	};

	/** As the real one; short timers are remembered until they have fired. */
	private readonly setTimeout = (
		callback: (...args: unknown[]) => void,
		ms = 0,
		...args: unknown[]
	): unknown => {
		if (ms > SHORT_TIMER_MS) return this.realTimer(callback, ms, ...args);
		const timer: unknown = this.realTimer(() => {
			this.timers.delete(timer);
			callback(...args);
		}, ms);
		this.timers.add(timer);
		return timer;
	};
}

/** Whether bytes that one end has written are not read yet at the other, unless its reader has paused. */
function isMoving(connection: Connection, server?: Socket): boolean {
	const { client } = connection;
	if (!server) return false;
	if (server.bytesWritten <= client.bytesRead && client.bytesWritten <= server.bytesRead)
		return false;
	const bytes = [
		server.bytesWritten,
		client.bytesRead,
		client.bytesWritten,
		server.bytesRead,
	].join();
	if (bytes !== connection.bytes) Object.assign(connection, { bytes, movedAt: Date.now() });
	return Date.now() - connection.movedAt < PAUSED_MS;
}
