import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { createUnzip } from 'node:zlib';

/** Real time, and turns of the event loop, after which a reader that has paused is not waited for any more: it may read on after some. */
const PAUSED_MS = 250;
const PAUSED_TURNS = 500;
/** The same for one that reads: the machine may be busy with something else, or stand still, and how long nothing came shows nothing. */
const LOST_MS = 20_000;
const LOST_TURNS = 20_000;
/** Shorter timers count as traffic: a moment's pause that is no wait of the package, such as n8n's between two tries. */
const SHORT_TIMER_MS = 5;
/** Listeners of one request or connection: a test may have many worlds, and each listens to all traffic. */
const MANY = 1000;

/** What the streams of zlib have in common. Another thread does their work, and no socket shows it. */
interface Zlib extends Duplex {
	_transform(chunk: unknown, encoding: string, done: (...results: unknown[]) => void): void;
}

const ZLIB = prototypeWith('_transform', createUnzip()) as Zlib;

interface Moment {
	/** In real time, by the clock that nobody sets. */
	at: number;
	/** Of the event loop. */
	turn: number;
}

/** A connection, with those of its two ends that are inside this process. */
interface Connection {
	client?: Socket;
	server?: Socket;
	/** When something last changed at its ends, and to what. */
	moved: Moment;
	state: string;
}

/**
 * What is on its way between clients and servers of this process: unanswered requests, bytes that are not read yet, of whatever
 * protocol, the end of a connection, what is compressed or decompressed, files, such as a module that is loaded for the first time,
 * and short timers. On a busy machine it may take longer from one socket to the other, or from the disk, than any number of turns.
 */
export class Traffic {
	/** By the port of the client. */
	private readonly connections = new Map<number, Connection>();
	private readonly timers = new Set<unknown>();
	private readonly realTimer = globalThis.setTimeout;
	private readonly realClear = globalThis.clearTimeout;
	private requestsStarted = 0;
	private requestsAnswered = 0;
	private bytesOfClosed = 0;
	private closed = 0;
	private connecting = 0;
	/** What is being compressed or decompressed, and since when. */
	private readonly transforms = new Map<Duplex, Moment>();
	/** How often it was asked what is on its way: once in a turn of the event loop. */
	private turn = 0;
	private readonly realConnect = Socket.prototype.connect;
	private readonly realTransform = ZLIB._transform;

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
		const { realTransform, transforms } = this;
		const now = () => this.now;
		ZLIB._transform = function (this: Zlib, chunk, encoding, done) {
			transforms.set(this, now());
			realTransform.call(this, chunk, encoding, (...results) => {
				transforms.delete(this);
				done(...results);
			});
		};
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
		ZLIB._transform = this.realTransform;
		globalThis.setTimeout = this.realTimer;
		globalThis.clearTimeout = this.realClear;
	}

	/** Changes whenever something has moved. */
	get count(): string {
		let bytes = this.bytesOfClosed;
		for (const { client } of this.connections.values()) bytes += client?.bytesRead ?? 0;
		return `${this.requestsStarted} ${this.requestsAnswered} ${bytes} ${this.closed}`;
	}

	get isOnItsWay(): boolean {
		this.turn++;
		const isUnanswered = this.requestsStarted - this.requestsAnswered > this.held();
		if (isUnanswered || this.connecting > 0 || this.timers.size > 0) return true;
		const isMovingOn =
			[...this.transforms].some((one) => this.isTransforming(...one)) ||
			[...this.connections.values()].some((one) => this.isMoving(one));
		return isMovingOn || isUsingFiles();
	}

	/** A connection that is being made, of whatever protocol. */
	private begin(socket: Socket): void {
		this.connecting++;
		let isOver = false;
		const over = () => {
			if (!isOver) this.connecting--;
			isOver = true;
		};
		socket.setMaxListeners(MANY).once('connect', over).once('close', over);
		socket.once('connect', () => this.watch('client', socket, socket.localPort));
	}

	private readonly onRequest = (message: unknown): void => {
		const { request } = message as { request: ClientRequest };
		this.requestsStarted++;
		let isAnswered = false;
		const answered = () => {
			if (!isAnswered) this.requestsAnswered++;
			isAnswered = true;
		};
		request.setMaxListeners(MANY);
		request.once('response', answered).once('error', answered).once('close', answered);
		if (request.socket) this.watch('client', request.socket, request.socket.localPort);
		else request.once('socket', (socket) => this.watch('client', socket, socket.localPort));
	};

	private readonly onAccepted = (message: unknown): void => {
		const { socket } = message as { socket: Socket };
		this.watch('server', socket, socket.remotePort);
	};

	/** @param port that of the client */
	private watch(end: 'client' | 'server', socket: Socket, port: number | undefined): void {
		if (port === undefined || this.connections.get(port)?.[end] === socket) return;
		const isReused = this.connections.get(port)?.[end] !== undefined;
		const connection = (!isReused && this.connections.get(port)) || { moved: this.now, state: '' };
		connection[end] = socket;
		this.connections.set(port, connection);
		socket.setMaxListeners(MANY).once('close', () => {
			this.closed++;
			const { client, server } = connection;
			if (client?.destroyed === false || server?.destroyed === false) return;
			this.bytesOfClosed += client?.bytesRead ?? 0;
			if (this.connections.get(port) === connection) this.connections.delete(port);
		});
	}

	private get now(): Moment {
		return { at: performance.now(), turn: this.turn };
	}

	/** Whether a stream goes on, by itself or once its reader does. */
	private isTransforming(stream: Duplex, begun: Moment): boolean {
		const isPaused = stream.readableLength >= stream.readableHighWaterMark;
		return !stream.destroyed && this.isWaitedFor(begun, isPaused);
	}

	/** Whether what one end has written, or its end, has not come to the other yet, unless its reader has paused. */
	private isMoving(connection: Connection): boolean {
		const { client, server } = connection;
		if (!client || !server) return false;
		const late = [client, server].filter((one) => !hasAll(one, one === client ? server : client));
		if (late.length === 0) return false;
		const state = [client, server]
			.map(({ bytesRead, bytesWritten, destroyed }) => [bytesRead, bytesWritten, destroyed])
			.join();
		if (state !== connection.state) Object.assign(connection, { state, moved: this.now });
		return this.isWaitedFor(connection.moved, !late.some(isReading));
	}

	private isWaitedFor({ at, turn }: Moment, isPaused: boolean): boolean {
		const ms = performance.now() - at;
		const turns = this.turn - turn;
		return isPaused ? ms < PAUSED_MS || turns < PAUSED_TURNS : ms < LOST_MS || turns < LOST_TURNS;
	}

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

/** The prototype of an object that has a method of its own. */
function prototypeWith(method: string, of: object): object {
	const prototype = Object.getPrototypeOf(of) as object;
	return Object.hasOwn(prototype, method) ? prototype : prototypeWith(method, prototype);
}

/** Whether a file is being read, written or closed; to close one that was read as a promise has a name of its own. */
function isUsingFiles(): boolean {
	return process
		.getActiveResourcesInfo()
		.some((name) => name.startsWith('FSReq') || name === 'CloseReq');
}

/** Whether one end has read what the other has written, to its end. */
function hasAll(reader: Socket, writer: Socket): boolean {
	if (reader.destroyed) return true;
	const isEnded = writer.destroyed || writer.writableFinished;
	return writer.bytesWritten <= reader.bytesRead && (!isEnded || reader.readableEnded);
}

/** Whether a socket takes what comes: only its handle knows. */
function isReading(socket: Socket): boolean {
	const { _handle: handle } = socket as unknown as { _handle: { reading: boolean } | null };
	return handle?.reading === true;
}
