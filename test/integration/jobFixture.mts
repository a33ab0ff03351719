import { generateKeyPairSync } from 'node:crypto';
import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Engine, NodeUnderTest, RunOptions } from '../engine/engine.mts';
import { startEngine } from '../engine/engine.mts';
import { MARKETPLACE, vmaas } from '../engine/nodes.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { VirtualTime } from '../engine/virtualTime.mts';
import { manualClock, startSandbox, type Sandbox } from '../sandbox/index.mts';
import { draftVm } from './job-draft.mts';

export const HOUR = 3_600_000;

export const PRIVATE_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
	type: 'pkcs1',
	format: 'pem',
}) as string;

export const SSH = { computeSshApi: { id: 'compute-ssh', name: 'Compute SSH' } };

/** Valid parameters of a job, with changes. */
export function jobParameters(changes: IDataObject = {}): IDataObject {
	return {
		jobKey: 'train',
		command: 'echo done',
		durationHours: 2,
		filters: {},
		gpusPerVm: 1,
		maxTries: 3,
		safety: { maxPrice: 50 },
		inputFields: '',
		environment: {},
		resultFiles: '',
		options: {},
		...changes,
	};
}

export function jobNode(
	operation: 'run' | 'start' | 'collect',
	parameters: IDataObject,
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return vmaas('job', operation, parameters, {
		credentials: { ...MARKETPLACE, ...SSH },
		...settings,
	});
}

export function useJobs() {
	const clock = manualClock();
	let sandbox: Sandbox;
	let engine: Engine;
	let time: VirtualTime;
	let vm: ReturnType<typeof draftVm>;
	let logged = 0;
	beforeAll(async () => {
		sandbox = await startSandbox({ clock });
		engine = await startEngine({
			...sandboxCredentials(sandbox),
			'compute-ssh': {
				type: 'computeSshApi',
				data: { privateKey: PRIVATE_KEY, passphrase: '', username: '' },
			},
		});
		time = new VirtualTime(clock, () => sandbox.heldRequests() - (vm?.commands() > 0 ? 1 : 0));
	});
	beforeEach(async () => {
		sandbox.reset();
		logged = engine.log.length;
		vm = draftVm();
		const port = await vm.listen();
		sandbox.faults.add({
			match: { path: /\/vms$/ },
			times: Infinity,
			status: 200,
			body: {
				data: {
					workers: [
						{ vm_id: 'v1', status: 'running', ssh_access: `ssh -p ${port} me@127.0.0.1` },
					],
				},
			},
		});
	});
	afterEach(() => void vm.server.close());
	afterAll(async () => {
		time.restore();
		await sandbox.close();
	});
	return {
		get sandbox() {
			return sandbox;
		},
		get engine() {
			return engine;
		},
		get time() {
			return time;
		},
		get vm() {
			return vm;
		},
		get log() {
			return engine.log.slice(logged);
		},
		async run(node: NodeUnderTest, items: INodeExecutionData[] = [{ json: {} }], options: RunOptions = {}): Promise<IRun> {
			return await time.during(engine.runItems(node, items, options), 6 * HOUR);
		},
	};
}
