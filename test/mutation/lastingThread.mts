import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node';

/** Runs after which the thread is replaced, so that what mutants leave behind does not add up. */
const RUNS_OF_A_THREAD = 20;

let thread: Worker | undefined;
let runs = 0;

/**
 * A thread for tests that goes on from run to run. Vitest ends its threads after each run, and there is one for each mutant:
 * to load n8n's engine again would take ten times as long as the tests.
 */
export class LastingThread implements PoolWorker {
	readonly name = 'lasting';
	private readonly own: Worker;

	constructor({ distPath, env, execArgv }: PoolOptions) {
		thread ??= new Worker(path.join(distPath, 'workers/threads.js'), { env, execArgv });
		thread.setMaxListeners(0);
		this.own = thread;
	}

	on(event: string, callback: (message: unknown) => void): void {
		this.own.on(event, callback);
	}

	off(event: string, callback: (message: unknown) => void): void {
		this.own.off(event, callback);
	}

	send(message: WorkerRequest): void {
		// A thread that is told to stop hears nothing more
		if (message.type === 'stop')
			this.own.emit('message', { __vitest_worker_response__: true, type: 'stopped' });
		else this.own.postMessage(message);
	}

	deserialize(data: unknown): unknown {
		return data;
	}

	async start(): Promise<void> {
		// It has started when it was made
	}

	async stop(): Promise<void> {
		for (const event of ['message', 'error', 'exit']) this.own.removeAllListeners(event);
		if (++runs % RUNS_OF_A_THREAD > 0) return;
		thread = undefined;
		await this.own.terminate();
	}
}
