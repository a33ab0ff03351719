import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IHttpRequestOptions,
} from 'n8n-workflow';
import { vi } from 'vitest';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { OWN_KEY } from '../engine/sshKey.mts';
import { node } from './parameters-form.mts';

export const DEPLOYMENT = 'dep-1';
export const JOB = '0123456789';

export type Answer = [status: number, body: IDataObject];

/** What a script says; without an exit code, the connection breaks off. */
export interface Said {
	stdout?: string;
	exitCode?: number;
}

/** What stands in for the service and for a VM: no socket, no process. */
export interface Bench {
	/** A place of its own: this process remembers what was bought at another one, also in another file of tests. */
	readonly baseUrl: string;
	/** What the details say; undefined where there is no such deployment. */
	details?: IDataObject;
	/** What the list has instead of that one, or the answer in its place. */
	list?: IDataObject[] | Answer;
	workers: IDataObject[];
	/** An answer in place of the others to a request: `GET /…/deployments`. */
	instead?: (request: string, body?: unknown) => Answer | undefined;
	/** The answer to a request to destroy. */
	destroy: () => Answer;
	/** The VM's answer to a script. */
	vm: (script: string) => Said;
	/** Why no connection to the VM is made, where none is. */
	refusal?: () => Error | undefined;
	/** Method and path of each request. */
	readonly requests: string[];
	/** What the VM was told, without greetings. */
	readonly scripts: string[];
	readonly logged: unknown[];
	/** What an earlier try of the node has kept. */
	readonly kept: Map<string, unknown>;
	context(itemIndex?: number): OperationContext;
}

export function jobBench(changes: Partial<Bench> = {}): Bench {
	const flow = {};
	const requests: string[] = [];
	const bench: Bench = {
		baseUrl: `https://${randomUUID()}.test`,
		details: { deployment_id: DEPLOYMENT, name: 'train-start-0', status: 'running' },
		workers: [{ vm_id: 1, ssh_access: 'ubuntu@192.0.2.1', status: 'running' }],
		destroy: () => {
			if (bench.details) bench.details.status = 'destroyed';
			return [200, {}];
		},
		vm: () => ({ exitCode: 0 }),
		requests,
		scripts: [],
		logged: [],
		kept: new Map(),
		context: (itemIndex = 0) => contextOf(bench, flow, itemIndex),
		...changes,
	};
	return bench;
}

function contextOf(bench: Bench, flow: object, itemIndex: number): OperationContext {
	const told = new Map<string, Promise<unknown>>();
	const jobNode = { ...node, credentials: { computeSshApi: { id: '1', name: 'SSH' } } };
	return {
		functions: {
			getNode: () => jobNode,
			getCredentials: async () => await Promise.resolve({ privateKey: OWN_KEY.privateKey }),
			getContext: () => flow,
			getWorkflow: () => ({ id: '7', name: 'Workflow' }),
			getInstanceId: () => 'n8n',
			getExecutionId: () => '1',
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			helpers: {
				httpRequestWithAuthentication: async (_: string, options: IHttpRequestOptions) =>
					await Promise.resolve(answerTo(bench, options)),
				getSSHClient: async () => {
					const refusal = bench.refusal?.();
					if (refusal) throw refusal;
					return await Promise.resolve(clientOf(bench));
				},
				updateLastUsed: () => undefined,
				prepareBinaryData: async (content: Buffer, fileName: string) =>
					await Promise.resolve({ data: content.toString('base64'), fileName }),
			},
		},
		account: {
			credentialType: 'any',
			baseUrl: bench.baseUrl,
			segments: { service: 'compute' },
			isOAuth2: false,
			redact: (text: string) => text,
		},
		itemIndex,
		known: {},
		kept: bench.kept,
		once: async (key: string, load: () => Promise<unknown>) => {
			if (!told.has(key)) told.set(key, load());
			return await told.get(key);
		},
		journal: {
			intent: () => undefined,
			ageMs: () => NaN,
			note: () => undefined,
			clear: () => undefined,
			others: () => [],
		},
		log: (...line: unknown[]) => bench.logged.push(line),
	} as unknown as OperationContext;
}

function answerTo(bench: Bench, { method = 'GET', url, body: sent }: IHttpRequestOptions) {
	const { pathname: path } = new URL(url);
	const request = `${method} ${path}`;
	bench.requests.push(request);
	const [status, body] = bench.instead?.(request, sent) ?? usually(bench, method, path);
	return {
		statusCode: status,
		headers: { 'content-type': 'application/json' },
		body: Readable.from([Buffer.from(JSON.stringify(body))]),
	};
}

function usually(bench: Bench, method: string, path: string): Answer {
	if (method === 'DELETE') return bench.destroy();
	if (path.endsWith('/vms')) return [200, { data: { workers: bench.workers } }];
	if (path.endsWith('/deployments')) return listOf(bench);
	return bench.details ? [200, { data: bench.details }] : [404, {}];
}

function listOf({ list, details }: Bench): Answer {
	const shown = list ?? (details ? [details] : []);
	if (typeof shown[0] === 'number') return shown as Answer;
	return [200, { data: { deployments: shown, total: shown.length } }];
}

/** As much of the client of `ssh2` as commands need. */
function clientOf(bench: Bench) {
	const exec = (_: string, opened: (error: undefined, channel: EventEmitter) => void) => {
		const close = () => undefined;
		const end = (input: Buffer) => {
			const [begin = '', ...lines] = input.toString().split('\n');
			const script = lines.join('\n');
			const isHello = script === ':';
			if (!isHello) bench.scripts.push(script);
			const { stdout = '', exitCode } = isHello ? { exitCode: 0 } : bench.vm(script);
			channel.emit('data', Buffer.from(`${begin.replace('echo ', '')}\n${stdout}`));
			if (exitCode !== undefined) channel.emit('exit', exitCode);
			channel.emit('close');
		};
		const channel = Object.assign(new EventEmitter(), { stderr: new EventEmitter(), close, end });
		opened(undefined, channel);
	};
	const nothing = () => undefined;
	return Object.assign(new EventEmitter(), {
		exec,
		setNoDelay: nothing,
		unforwardIn: nothing,
		destroy: nothing,
	});
}

/** Turns of the event loop after which nothing moves any more: nothing here waits for a socket. */
const QUIET_TURNS = 20;

/** Why an SSH server lets a client not in, as the client says it. */
export function loginRefused(): Error {
	return Object.assign(new Error('All authentication methods failed'), {
		level: 'client-authentication',
	});
}

/** What the VM says of a job, and what it has written. */
export function poll(state: string, { stdout = '', stderr = '' } = {}): string {
	const part = (name: string, text: string) =>
		`${name} ${text.length} 0\n${Buffer.from(text).toString('hex')}\n.`;
	return `state ${state}\n${part('stdout', stdout)}\n${part('stderr', stderr)}\ncomplete\n`;
}

/**
 * The result of a piece of work, or its error. The clock of `useStillTime` jumps to the next pause or deadline as soon as nothing else
 * moves: minutes of pauses take no time.
 */
export async function outcome<T>(work: () => Promise<T>): Promise<T | NodeApiError> {
	let result: { value: T | NodeApiError } | undefined;
	const noted = work().then(
		(value) => (result = { value }),
		(error: unknown) => {
			if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) throw error;
			// A cancelled execution; the tests read what both have
			result = { value: error as NodeApiError };
		},
	);
	for (;;) {
		for (let turns = 0; turns < QUIET_TURNS && !result; turns++)
			await Promise.race([noted, setImmediate()]);
		if (result) return result.value;
		if (vi.getTimerCount() === 0) throw new Error('It waits for nothing');
		await vi.advanceTimersToNextTimerAsync();
	}
}

/** What an operation reads of a form with these values. */
export function inputOf<Input>(operation: Operation<Input>, values: IDataObject): Input {
	const parameters = new Parameters(node, 0, operation.fields, (name) => values[name]);
	return operation.input(parameters, () => undefined);
}
