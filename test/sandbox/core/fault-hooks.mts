import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Board, Fault } from '../faults.mts';
import { waitOn } from './clock.mts';
import type { Clock } from './clock.mts';
import { sendShaped } from './fault-body.mts';
import type { Payload } from './fault-body.mts';
import type { Recorder } from './recorder.mts';

/** Faults that wait or hang end with this: at `reset()` and `close()` the lines that they hold are cut, and no work is done for them. */
export class Lines {
	private controller = controllerOfMany();

	get signal(): AbortSignal {
		return this.controller.signal;
	}

	cut(): void {
		this.controller.abort();
		this.controller = controllerOfMany();
	}
}

/** Any number of requests may wait at once; the platform would warn of a leak from eleven on. */
function controllerOfMany(): AbortController {
	const controller = new AbortController();
	setMaxListeners(0, controller.signal);
	return controller;
}

/**
 * Records every request and applies the faults, around all routes and known to none of them. A request that was read is
 * worked on even if its client has gone away meanwhile, as a real service does: that is what makes a lost answer dangerous.
 */
export function faultHooks(
	app: FastifyInstance,
	board: Board,
	recorder: Recorder,
	clock: Clock,
	lines: Lines,
): void {
	const faults = new WeakMap<FastifyRequest, Fault>();

	app.addHook('onRequest', async (request, reply) => {
		const entry = recorder.open(request, clock.now());
		const fault = board.take(entry.method, entry.path);
		if (!fault) return;
		faults.set(request, fault);
		entry.fault = fault;
		if (fault.drop !== 'before') return;
		await waitOn(clock, fault.delayMs ?? 0, lines.signal);
		return cutLine(reply);
	});

	app.addHook('preValidation', async (request, reply) => {
		recorder.body(request);
		const fault = faults.get(request);
		if (!fault || fault.afterWork) return;
		const { signal } = lines;
		await waitOn(clock, fault.delayMs ?? 0, signal);
		if (signal.aborted) return cutLine(reply);
		if (fault.hang) return hold(reply, signal);
		if (answersItself(fault)) return reply.send(ownAnswer(reply, fault));
	});

	app.addHook('onSend', (request, reply, payload: Payload, done) => {
		const fault = faults.get(request) ?? {};
		const { signal } = lines;
		const send = (body: Payload) => {
			recorder.answered(request, reply.statusCode);
			if (fault.cutBodyAt === undefined && fault.slowBytes === undefined) done(null, body);
			// A client that goes away in the middle is no error of the service
			else sendShaped(reply, body, fault, signal).catch(() => reply.raw.destroy());
		};
		const afterWork = async () => {
			await waitOn(clock, fault.afterWork ? (fault.delayMs ?? 0) : 0, signal);
			if (fault.drop === 'after' || signal.aborted) return cutLine(reply);
			if (fault.hang) return hold(reply, signal);
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

/** The real answer as the fault changes it. */
function changed(reply: FastifyReply, fault: Fault, payload: Payload): Payload {
	const isSuccess = reply.statusCode >= 200 && reply.statusCode < 300;
	if (fault.afterWork && answersItself(fault)) {
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

/** Ends the connection without an answer. */
function cutLine(reply: FastifyReply): FastifyReply {
	reply.hijack();
	reply.raw.destroy();
	return reply;
}

/** Leaves the client without an answer. */
function hold(reply: FastifyReply, signal: AbortSignal): FastifyReply {
	const cut = () => reply.raw.destroy();
	reply.hijack();
	signal.addEventListener('abort', cut);
	reply.raw.once('close', () => signal.removeEventListener('abort', cut));
	return reply;
}
