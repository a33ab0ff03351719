import type { IDataObject, IRun } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { RecordedRequest, Sandbox, SandboxOptions } from '../sandbox/index.mts';
import { cloud, type Client } from '../sandbox/testing/client.mts';
import type { Engine, NodeUnderTest, RunOptions } from './engine.mts';
import { startBench, type Bench } from './fixture.mts';
import { useSandboxTime, type SandboxTime } from './time.mts';

/** What one test file needs: a sandbox, an engine that knows its credentials, and an independent client of VMaaS or CaaS. */
export interface TestBench {
	readonly sandbox: Sandbox;
	readonly engine: Engine;
	readonly time: SandboxTime;
	/** undici, straight to the sandbox: it knows nothing of the package. */
	readonly client: Client;
	run(node: NodeUnderTest, items?: IDataObject[], options?: RunOptions): Promise<IRun>;
	/** Requests whose method and path match. */
	sent(method: string, path: RegExp): RecordedRequest[];
}

/** Starts a bench for a test file on the sandbox's own clock; every test begins with a fresh service. The client is one of `part`. */
export function useBench(
	options: SandboxOptions = {},
	part: Parameters<typeof cloud>[1] = 'vmaas',
): TestBench {
	let up: (Bench & { time: SandboxTime; client: Client }) | undefined;
	const bench = () => {
		if (!up) throw new Error('The bench is not up yet');
		return up;
	};
	beforeAll(async () => {
		const { sandbox, engine } = await startBench(options);
		up = { sandbox, engine, time: useSandboxTime(sandbox), client: cloud(sandbox, part) };
	});
	beforeEach(() => {
		bench().sandbox.reset();
		bench().time.waits.length = 0;
		bench().time.onWait = undefined;
	});
	afterAll(async () => {
		up?.time.restore();
		await up?.client.close();
		await up?.sandbox.close();
	});
	return {
		get sandbox() {
			return bench().sandbox;
		},
		get engine() {
			return bench().engine;
		},
		get time() {
			return bench().time;
		},
		get client() {
			return bench().client;
		},
		run: async (node, items, runOptions) => await bench().engine.run(node, items, runOptions),
		sent: (method, path) =>
			bench().sandbox.requests.filter(
				(request) => request.method === method && path.test(request.path),
			),
	};
}
