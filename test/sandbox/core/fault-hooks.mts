import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Board, Fault } from '../faults.mts';
import { waitOn } from './clock.mts';
import type { Clock } from './clock.mts';
import { sendShaped } from './fault-body.mts';
import type { Payload } from './fault-body.mts';
import type { Recorder } from './recorder.mts';
import { noteSent } from './sent.mts';

/** The connections that faults delay or hang. At `reset()` and `close()` they are dropped, and their requests are not executed. */
export class HeldConnections {
	private controller = controllerOfMany();
	private readonly replies = new Set<FastifyReply>();

	/** Those whose clients still wait. */
	get count(): number {
		return this.replies.size;
	}

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	drop(): void {
		this.controller.abort();
		this.controller = controllerOfMany();
	}

	/** Waits on the clock before a request goes on. */
	async delay(reply: FastifyReply, clock: Clock, ms: number): Promise<void> {
		if (ms <= 0) return;
		this.remember(reply);
		await waitOn(clock, ms, this.signal);
		this.replies.delete(reply);
	}

	/** Keeps the connection open without an answer. */
	hang(reply: FastifyReply): FastifyReply {
		const { signal } = this;
		const drop = () => reply.raw.destroy();
		reply.hijack();
		this.remember(reply);
		signal.addEventListener('abort', drop);
		reply.raw.once('close', () => signal.removeEventListener('abort', drop));
		return reply;
	}

	private remember(reply: FastifyReply): void {
		this.replies.add(reply);
		reply.raw.once('close', () => this.replies.delete(reply));
	}
}

/** Any number of requests may wait at once; Node.js warns of a leak from eleven listeners on. */
function controllerOfMany(): AbortController {
	const controller = new AbortController();
	setMaxListeners(0, controller.signal);
	return controller;
}

/**
 * Records every request and applies the faults, around all routes. A request that was read is executed even if its client
 * disconnects meanwhile, as in a real service: that is what makes a lost answer dangerous.
 */
export function faultHooks(
	app: FastifyInstance,
	board: Board,
	recorder: Recorder,
	clock: Clock,
	held: HeldConnections,
): void {
	const faults = new WeakMap<FastifyRequest, Fault>();

	app.addHook('onRequest', async (request, reply) => {
		const entry = recorder.open(request, clock.now());
		const fault = board.take(entry.method, entry.path);
		if (!fault) return;
		faults.set(request, fault);
		entry.fault = fault;
		if (fault.drop !== 'before') return;
		await held.delay(reply, clock, fault.delayMs ?? 0);
		return dropConnection(reply);
	});

	app.addHook('preValidation', async (request, reply) => {
		recorder.body(request);
		const fault = faults.get(request);
		if (!fault || fault.afterWork) return;
		const { signal } = held;
		await held.delay(reply, clock, fault.delayMs ?? 0);
		if (signal.aborted) return dropConnection(reply);
		if (fault.hang) return held.hang(reply);
		if (answersItself(fault)) return reply.send(ownAnswer(reply, fault));
	});

	app.addHook('onSend', (request, reply, payload: Payload, done) => {
		const fault = faults.get(request) ?? {};
		const { signal } = held;
		const send = (body: Payload) => {
			recorder.answered(request, reply.statusCode);
			noteSent(body);
			if (fault.cutBodyAt === undefined && fault.slowBytes === undefined) done(null, body);
			// A client that disconnects halfway is no error of the service
			else sendShaped(reply, body, fault, signal).catch(() => reply.raw.destroy());
		};
		const afterWork = async () => {
			await held.delay(reply, clock, fault.afterWork ? (fault.delayMs ?? 0) : 0);
			if (fault.drop === 'after' || signal.aborted) return dropConnection(reply);
			if (fault.hang) return held.hang(reply);
			return send(changed(reply, fault, payload));
		};
		void afterWork();
	});
}

const answersItself = (fault: Fault): boolean =>
	fault.status !== undefined || fault.body !== undefined || fault.rawBody !== undefined;

/** Status, headers and body of a fault. An empty body is undefined: the framework gives a text, even an empty one, a content type. */
function ownAnswer(reply: FastifyReply, fault: Fault): string | undefined {
	const body = fault.rawBody ?? (fault.body === undefined ? '' : JSON.stringify(fault.body));
	const usualType = fault.rawBody === undefined ? 'application/json' : 'text/plain; charset=utf-8';
	const contentType = fault.contentType ?? (body === '' ? undefined : usualType);
	reply.code(fault.status ?? 200);
	reply.removeHeader('content-type');
	reply.removeHeader('content-length');
	if (contentType !== undefined) reply.header('content-type', contentType);
	if (fault.headers) reply.headers(fault.headers);
	return body === '' ? undefined : body;
}

/** The real answer, changed by the fault. */
function changed(reply: FastifyReply, fault: Fault, payload: Payload): Payload {
	const isSuccess = reply.statusCode >= 200 && reply.statusCode < 300;
	const isReplaced = isSuccess || !fault.keepsRefusals;
	if (fault.afterWork && answersItself(fault) && isReplaced) {
		discard(payload);
		return ownAnswer(reply, fault);
	}
	if (fault.headers) reply.headers(fault.headers);
	if (!fault.emptyBody || !isSuccess) return payload;
	discard(payload);
	reply.removeHeader('content-type');
	reply.removeHeader('content-length');
	return '';
}

function discard(payload: Payload): void {
	if (payload instanceof Readable) payload.destroy();
}

/** Closes the connection without an answer. */
function dropConnection(reply: FastifyReply): FastifyReply {
	reply.hijack();
	reply.raw.destroy();
	return reply;
}
