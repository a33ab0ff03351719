import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Engine, NodeUnderTest, RunOptions } from '../engine/engine.mts';
import { MARKETPLACE, SSH, vmaas } from '../engine/nodes.mts';
import { startFixture } from '../engine/start.mts';
import { VirtualTime } from '../engine/virtualTime.mts';
import { workerIds } from '../sandbox/compute/views.mts';
import { manualClock, type Deployment, type Sandbox } from '../sandbox/index.mts';

export const HOUR = 3_600_000;

/** Longest time of an execution and its clean-up. */
const LONGEST_MS = 6 * HOUR;

export function jobNode(
	operation: 'run' | 'start' | 'collect',
	parameters: IDataObject,
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	const credentials = { ...MARKETPLACE, ...SSH, ...settings.credentials };
	return vmaas('job', operation, parameters, { ...settings, credentials });
}

/** Sandbox with VMs that take SSH, engine and a clock that jumps. */
export interface Jobs {
	readonly sandbox: Sandbox;
	readonly engine: Engine;
	readonly time: VirtualTime;
	/** What was logged in this test. */
	readonly log: Engine['log'];
	/** What was bought, in order. */
	readonly bought: readonly Deployment[];
	readonly states: string[];
	run(node: NodeUnderTest, items?: INodeExecutionData[], options?: RunOptions): Promise<IRun>;
	/** The only VM of a deployment, and the files of its home, if it runs. */
	vmOf(deployment: Deployment | undefined): { id: string; files: string[] };
}

export function useJobs(): Jobs {
	const clock = manualClock();
	let up: { sandbox: Sandbox; engine: Engine; time: VirtualTime } | undefined;
	let logged = 0;
	const ready = () => {
		if (!up) throw new Error('The fixture is not there yet');
		return up;
	};
	beforeAll(async () => {
		const { sandbox, engine } = await startFixture({ clock, ssh: true });
		const time = new VirtualTime(clock, sandbox.heldRequests, sandbox.vms.isBusy);
		up = { sandbox, engine, time };
	});
	beforeEach(() => {
		ready().sandbox.reset();
		logged = ready().engine.log.length;
	});
	afterAll(async () => {
		up?.time.restore();
		await up?.sandbox.close();
	});
	return {
		get sandbox() {
			return ready().sandbox;
		},
		get engine() {
			return ready().engine;
		},
		get time() {
			return ready().time;
		},
		get log() {
			return ready().engine.log.slice(logged);
		},
		get bought() {
			return ready().sandbox.books.deployments;
		},
		get states() {
			return this.bought.map(({ state }) => state);
		},
		async run(node, items = [{ json: {} }], options = {}) {
			const { engine, time } = ready();
			return await time.during(engine.runItems(node, items, options), LONGEST_MS);
		},
		vmOf(deployment) {
			const [id = ''] = deployment ? workerIds(deployment) : [];
			const home = ready().sandbox.vms.homeOf(id);
			return { id, files: home === undefined ? [] : filesBelow(home) };
		},
	};
}

/** Every file below a folder. */
export function filesBelow(folder: string): string[] {
	try {
		return readdirSync(folder, { recursive: true }).map((file) => path.join(folder, String(file)));
	} catch {
		// It is removed just now
		return [];
	}
}

export const outputOf = (run: IRun): INodeExecutionData | undefined =>
	run.data.resultData.runData.Node?.at(-1)?.data?.main?.[0]?.[0];

/** @throws the error of the run */
export function jsonOf(run: IRun): IDataObject {
	if (run.data.resultData.error) throw run.data.resultData.error;
	return outputOf(run)?.json ?? {};
}

export interface JobError {
	message: string;
	description: string;
	context: { known: IDataObject };
}

export function errorOf(run: IRun): JobError {
	const { error } = run.data.resultData;
	if (!error) throw new Error(`No error: ${JSON.stringify(outputOf(run))}`);
	return error as unknown as JobError;
}
