import type { IDataObject } from 'n8n-workflow';
import { onTestFinished } from 'vitest';
import { freshAccount } from '../../engine/credentials.mts';
import { startEngine, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import {
	deployment,
	deployParameters,
	jobParameters,
	locator,
	MARKETPLACE,
	SSH,
	vmaas,
} from '../../engine/nodes.mts';
import { OWN_KEY, sshCredential } from '../../engine/sshKey.mts';
import { VirtualTime } from '../../engine/virtualTime.mts';
import { HOUR, Service } from './service.mts';

export const KEY = 'mk-sixth+review/001122334455=';

export interface Told {
	items: IDataObject[];
	error: string;
	/** All of it that somebody may read. */
	all: string;
}

export interface Stage {
	service: Service;
	engine: Engine;
	time: VirtualTime;
	run(node: NodeUnderTest, items?: IDataObject[]): Promise<Told>;
}

/** What a person may read of a run. */
export function toldOf(run: Awaited<ReturnType<Engine['run']>>): Told {
	const { runData, error } = run.data.resultData;
	const output = (runData.Node ?? []).flatMap(({ data }) => data?.main?.[0] ?? []);
	const { message = '', description = '' } = (error ?? {}) as Partial<Record<string, string>>;
	const told = error ? `${message} ${description}` : '';
	const context = (error as { context?: unknown } | undefined)?.context;
	const shown = output.map(({ json }) => json);
	return { items: shown, error: told, all: JSON.stringify([told, context, shown]) };
}

/** A service, an engine with an account of it, and one clock for both. */
export async function stage(changes: Partial<Service> = {}): Promise<Stage> {
	const service = Object.assign(new Service(), changes);
	await service.listen();
	const engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl: service.url, service: 'svc', apiKey: KEY },
			account: freshAccount(),
		} as never,
		'compute-ssh': sshCredential(OWN_KEY.privateKey),
	});
	const time = new VirtualTime(service.clock, () => service.held);
	onTestFinished(async () => {
		time.restore();
		await service.close();
	});
	return {
		service,
		engine,
		time,
		async run(node, items) {
			return toldOf(await time.during(engine.run(node, items), 24 * HOUR));
		},
	};
}

export const deploy = (changes: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	deployment('deploy', deployParameters({ locationId: locator('us'), ...changes }), settings);

export const destroy = (value: unknown, options: IDataObject = {}, mode: 'id' | 'name' = 'id') =>
	deployment('destroy', { deploymentId: locator(value, mode), options });

export const job = (changes: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	vmaas('job', 'run', jobParameters({ options: { waitTimeout: 60 }, ...changes }), {
		credentials: { ...MARKETPLACE, ...SSH },
		...settings,
	});
