import type { ITriggerFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { execute } from '../../nodes/CaasLogsTrigger/execution.ts';

interface Done {
	promise: Promise<unknown>;
	resolve(run?: object): void;
	reject(reason: unknown): void;
}

/** Starts an execution that ends so, while the trigger is closed or not. */
async function outcome(end: (done: Done) => void, isClosed = false): Promise<string> {
	const functions = {
		helpers: {
			createDeferredPromise() {
				const done = {} as Done;
				done.promise = new Promise((resolve, reject) => Object.assign(done, { resolve, reject }));
				return done;
			},
		},
		emit: (_items: unknown, _: undefined, done: Done) => end(done),
	} as unknown as ITriggerFunctions;
	const signal = isClosed ? AbortSignal.abort() : new AbortController().signal;
	return await execute(functions, [{ json: {} }], 'key', signal);
}

describe('an execution', () => {
	it.each([
		['success', 'ended', 'ended'],
		['waiting', 'ended', 'ended'],
		['error', 'failed', 'failed'],
		['crashed', 'unstarted', 'shutdown'],
		['canceled', 'stopped', 'shutdown'],
	])('with the status %s: %s, at a stop of n8n %s', async (status, running, closed) => {
		const end = (done: Done) => done.resolve({ status });
		expect([await outcome(end), await outcome(end, true)]).toEqual([running, closed]);
	});

	it.each<[unknown, string]>([
		[{ reason: 'shutdown' }, 'shutdown'],
		[{ reason: 'timeout' }, 'timeout'],
		[{ reason: 'manual' }, 'stopped'],
		[{ reason: 'other' }, 'unstarted'],
		['text', 'unstarted'],
	])('that n8n rejects with %j: %s', async (reason, expected) => {
		expect(await outcome((done) => done.reject(reason))).toBe(expected);
	});

	it('that n8n drops by its key, or cannot begin, has not started', async () => {
		expect(await outcome((done) => done.resolve())).toBe('unstarted');
		const fails = () => {
			throw new Error('no database');
		};
		expect(await outcome(fails)).toBe('unstarted');
	});
});
