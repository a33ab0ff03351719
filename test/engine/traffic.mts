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
	/** Known as soon as the first request has arrived. */
	server?: Socket;
	/** When its bytes last moved, in real time, and which they were. */
	movedAt: number;
	bytes: string;
}

/** What is on its way between HTTP clients and servers of this process: unanswered requests, unread bytes, short timers. */
export class Traffic {
	/** By the port of the client. */
	private readonly connections = new Map<number, Connection>();
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
		subscribe('http.server.request.start', this.onArrival);
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
		unsubscribe('http.server.request.start', this.onArrival);
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
		return [...this.connections.values()].some((connection) => isMoving(connection));
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
		if (localPort === undefined) {
			if (client.connecting) client.once('connect', () => this.watch(client));
			return;
		}
		if (this.connections.get(localPort)?.client === client) return;
		this.connections.set(localPort, { client, movedAt: 0, bytes: '' });
		client.once('close', () => {
			this.bytesOfClosed += client.bytesRead;
			if (this.connections.get(localPort)?.client === client) this.connections.delete(localPort);
		});
	}

	private readonly onArrival = (message: unknown): void => {
		const { socket } = message as { socket: Socket };
		const connection = this.connections.get(Number(socket.remotePort));
		if (connection) connection.server = socket;
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

/** Whether bytes that the server has written are not read yet, unless the reader has paused. */
function isMoving(connection: Connection): boolean {
	const { client, server } = connection;
	if (!server || server.bytesWritten <= client.bytesRead) return false;
	const bytes = `${server.bytesWritten} ${client.bytesRead}`;
	if (bytes !== connection.bytes) Object.assign(connection, { bytes, movedAt: Date.now() });
	return Date.now() - connection.movedAt < PAUSED_MS;
}
