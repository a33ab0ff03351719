import type { IDataObject } from 'n8n-workflow';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { caas, deployment, deployParameters, locator, SSH_KEY } from '../../engine/nodes.mts';
import type { Deployment, Product } from '../../sandbox/index.mts';
import type { Wish } from '../computeRecord.mts';
import { SECRETS, type Step } from '../computeScene.mts';

export const HOUR = 3_600_000;

/** A name with capitals, and longer than some services keep. */
export const NAME = 'Nightly-Training-Model-7';

/** A name that every service keeps as it is. */
export const SHORT = 'job-7';

export const IMAGE = 'registry.example/training:7';

/** `deployment_id` of an earlier node in the execution. */
export const idOf = (node: string) => locator(`={{ $('${node}').first().json.deployment_id }}`);

export const byName = (name: string) => ({ __rl: true, mode: 'name', value: name });

type Settings = Partial<NodeUnderTest>;

/** What is deployed, in the words of neither product; default: one GPU for two hours. */
export interface Wanted {
	name?: string;
	hardwareId?: number;
	gpus?: number;
	/** VMs or containers. */
	workers?: number;
	hours?: number;
	safety?: IDataObject;
}

/** An expression that gives a text which is not in the workflow itself. */
const hidden = (text: string) => `={{ ${JSON.stringify([...text])}.join('') }}`;

function vmParameters({ name = NAME, gpus = 1, workers, ...wanted }: Wanted): IDataObject {
	const { hardwareId = 7, hours = 2, safety = {} } = wanted;
	return deployParameters({
		resourcePrivateName: name,
		hardwareId: locator(hardwareId),
		gpusPerVm: gpus,
		durationHours: hours,
		safety,
		additionalFields: workers === undefined ? {} : { vmsQty: workers },
	});
}

export const secretEnvironment = {
	variables: [{ name: 'HF_TOKEN', value: hidden(SECRETS.secretToken) }],
};

const registryLogin = {
	registryUsername: 'team',
	registrySecret: hidden(SECRETS.registrySecret),
};

/** An update that no details show. */
export const secretFields = { secretEnvironment, ...registryLogin };

/** Containers have secrets, which nothing may show. */
function containerParameters({
	name = NAME,
	gpus = 1,
	workers = 1,
	...wanted
}: Wanted): IDataObject {
	const { hardwareId = 7, hours = 2, safety = {} } = wanted;
	return {
		resourcePrivateName: name,
		imageUrl: IMAGE,
		trafficPort: 8080,
		hardwareId: locator(hardwareId),
		gpusPerContainer: gpus,
		locationIds: [3],
		replicaCount: workers,
		durationHours: hours,
		environment: { variables: [{ name: 'MODE', value: 'fast' }] },
		secretEnvironment,
		safety,
		additionalFields: registryLogin,
	};
}

/** The operations of one product, as steps of a workflow. */
export type Steps = ReturnType<typeof stepsOf>;

export function stepsOf(product: Product) {
	const node = (operation: string, parameters: IDataObject, settings: Settings): NodeUnderTest =>
		product === 'vmaas'
			? deployment(operation, parameters, settings)
			: caas('deployment', operation, parameters, settings);
	const isVm = product === 'vmaas';

	return {
		product,

		deploy(wanted: Wanted = {}, settings: Settings = {}): Step {
			const { ifNameExists, maxHourlyPrice, maxPrice } = wanted.safety ?? {};
			const isLimited = maxHourlyPrice !== undefined || maxPrice !== undefined;
			const parameters = isVm ? vmParameters(wanted) : containerParameters(wanted);
			const operation =
				ifNameExists === 'deploy'
					? 'deploy anyway'
					: isLimited
						? 'deploy within a limit'
						: 'deploy';
			return { operation, node: node('deploy', parameters, settings) };
		},

		/** @param waitUntil `running`, `reachable` (CaaS), `final` or `destroyed` */
		waitFor(deploymentId: IDataObject, waitUntil = 'running'): Step {
			const parameters = {
				deploymentId,
				waitUntil,
				pollInterval: 10,
				timeout: 300,
				onTimeout: 'error',
				...(waitUntil === 'reachable' && { healthPath: '/health' }),
			};
			const settings: Settings = { onError: 'continueRegularOutput' };
			return { operation: 'wait for', node: node('waitFor', parameters, settings) };
		},

		/** Adds two hours. */
		extend(
			deploymentId: IDataObject,
			safety: IDataObject = {},
			settings: Settings = { onError: 'continueRegularOutput' },
		): Step {
			const isLimited = Object.keys(safety).length > 0;
			return {
				operation: isLimited ? 'extend within a limit' : 'extend',
				node: node('extend', { deploymentId, durationHours: 2, safety }, settings),
			};
		},

		/** Destroys, and verifies by default. */
		destroy(
			deploymentId: IDataObject,
			settings: Settings = {},
			options: IDataObject = { verify: true, verifyTimeout: 120 },
		): Step {
			return {
				operation: deploymentId.mode === 'name' ? 'destroy by name' : 'destroy',
				node: node('destroy', { deploymentId, options }, settings),
			};
		},

		get(deploymentId: IDataObject): Step {
			return { operation: 'get', node: node('get', { deploymentId }, {}) };
		},

		getMany(filters: IDataObject = {}): Step {
			return {
				operation: Object.keys(filters).length > 0 ? 'find old ones' : 'get many',
				node: node('getAll', { returnAll: true, filters }, {}),
			};
		},

		destroyMany(namePrefix: string, limit: number, settings: Settings): Step {
			const options = { verify: true, verifyTimeout: 120 };
			return {
				operation: 'destroy many',
				node: node('destroyMany', { namePrefix, limit, dryRun: false, options }, settings),
			};
		},
	};
}

export const vmaas = stepsOf('vmaas');
export const containers = stepsOf('caas');

/** Deploys the cheapest offer; VMaaS alone can. */
export function deployCheapest(changes: IDataObject, settings: Settings = {}): Step {
	const parameters = {
		resourcePrivateName: NAME,
		durationHours: 2,
		filters: {},
		gpusPerVm: 1,
		maxTries: 3,
		sshKeys: { keys: [{ name: 'laptop', publicKey: SSH_KEY }] },
		safety: {},
		additionalFields: {},
		...changes,
	};
	return {
		operation: 'deploy cheapest',
		node: deployment('deployCheapest', parameters, settings),
	};
}

/** Changes what the containers of a deployment run. */
export function update(
	deploymentId: IDataObject,
	updateFields: IDataObject = { imageUrl: `${IMAGE}-next` },
	settings: Settings = { onError: 'continueRegularOutput' },
): Step {
	return {
		operation: 'update',
		node: caas('deployment', 'update', { deploymentId, updateFields }, settings),
	};
}

/** So many deployments of this name, each one GPU for two hours. */
export function wishOf(machines: number, more: Partial<Wish> = {}): Wish {
	return {
		name: NAME,
		machines,
		mismatch: ({ gpusPerWorker, workers, hours }) =>
			gpusPerWorker === 1 && workers === 1 && hours === 2
				? undefined
				: `${workers} × ${gpusPerWorker} GPUs for ${hours} h`,
		...more,
	};
}

export const running = ({ state }: Deployment) => state === 'running';
