import type { IDataObject } from 'n8n-workflow';
import { onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import { startEngine, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import {
	caas,
	containerParameters,
	jobParameters,
	locator,
	MARKETPLACE,
	SSH,
	vmaas,
} from '../../engine/nodes.mts';
import { OWN_KEY, sshCredential } from '../../engine/sshKey.mts';
import { VirtualTime } from '../../engine/virtualTime.mts';
import { toldOf, type Told } from '../money6/stage.mts';
import { HOUR, Service, type ProductKey } from './service.mts';

export const KEY = 'mk-seventh+review/998877665544=';

export type { Told };

/** An n8n whose memory no other one shares. */
export type Process = (node: NodeUnderTest, items?: IDataObject[]) => Promise<Told>;

export interface Stage {
	service: Service;
	time: VirtualTime;
	engine: Engine;
	/** Runs on the clock of the service, in the only process of the test. */
	run: Process;
	/** Another n8n, with the same key at the same service; its work takes time only in `time.during`. */
	begin(): Promise<Process>;
}

let executions = 0;

/**
 * A service, an engine with an account of it, and one clock for both.
 * @param isBusy whether a VM is at work, for which the clock waits
 */
export async function stage(changes: Partial<Service> = {}, isBusy = () => false): Promise<Stage> {
	const service = Object.assign(new Service(), changes);
	await service.listen();
	const time = new VirtualTime(service.clock, () => service.held, isBusy);
	onTestFinished(async () => {
		time.restore();
		await service.close();
	});
	const start = async () =>
		await startEngine({
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: { baseUrl: service.url, service: 'svc', apiKey: KEY },
				// What the package remembers of an account, another process does not know
				account: freshAccount(),
			} as never,
			'compute-ssh': sshCredential(OWN_KEY.privateKey),
		});
	const processOf =
		(engine: Engine): Process =>
		async (node, items) =>
			toldOf(await engine.run(node, items, { executionId: `money7-${executions++}` }));
	const engine = await start();
	return {
		service,
		time,
		engine,
		run: async (node, items) => await time.during(processOf(engine)(node, items), 24 * HOUR),
		begin: async () => processOf(await start()),
	};
}

export const deploy = (changes: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	caas('deployment', 'deploy', containerParameters(changes), settings);

export const update = (id: string, updateFields: IDataObject) =>
	caas('deployment', 'update', { deploymentId: locator(id), updateFields });

export const extend = (id: string, durationHours: number, settings: Partial<NodeUnderTest> = {}) =>
	caas('deployment', 'extend', { deploymentId: locator(id), durationHours, safety: {} }, settings);

export const destroy = (
	value: unknown,
	mode: 'id' | 'name' = 'id',
	options: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
) => caas('deployment', 'destroy', { deploymentId: locator(value, mode), options }, settings);

export const destroyMany = (
	namePrefix: string,
	match: 'exact' | 'prefix' = 'exact',
	settings: Partial<NodeUnderTest> = {},
	product: ProductKey = 'caas',
) =>
	(product === 'caas' ? caas : vmaas)(
		'deployment',
		'destroyMany',
		{ namePrefix, match, limit: 50, dryRun: false, options: {} },
		settings,
	);

export const waitFor = (value: string, waitUntil: string, mode: 'id' | 'name' = 'id') =>
	caas('deployment', 'waitFor', {
		deploymentId: locator(value, mode),
		waitUntil,
		healthPath: '/',
		pollInterval: 5,
		timeout: 300,
		onTimeout: 'error',
	});

export const job = (changes: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	vmaas('job', 'run', jobParameters({ options: { waitTimeout: 60 }, ...changes }), {
		credentials: { ...MARKETPLACE, ...SSH },
		...settings,
	});

export const startJob = (changes: IDataObject = {}) =>
	vmaas('job', 'start', jobParameters({ options: { waitTimeout: 60 }, ...changes }), {
		credentials: { ...MARKETPLACE, ...SSH },
	});

export const collectJob = (deploymentId: unknown, jobId: unknown) =>
	vmaas(
		'job',
		'collect',
		{
			deploymentId: locator(deploymentId),
			jobId: String(jobId),
			resultFiles: '',
			whenFinished: 'destroy',
			ifStillRunning: 'output',
			options: {},
		},
		{ credentials: { ...MARKETPLACE, ...SSH } },
	);
