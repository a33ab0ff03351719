import type { IDataObject } from 'n8n-workflow';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { deployment, deployParameters, locator, SSH_KEY } from '../../engine/nodes.mts';
import type { Deployment } from '../../sandbox/index.mts';
import type { Wish } from '../computeRecord.mts';
import type { Step } from '../computeScene.mts';

export const HOUR = 3_600_000;

/** A name with capitals, and longer than some services keep. */
export const NAME = 'Nightly-Training-Model-7';

/** `deployment_id` of an earlier node in the execution. */
export const idOf = (node: string) => locator(`={{ $('${node}').first().json.deployment_id }}`);

type Settings = Partial<NodeUnderTest>;

/** Deploys one GPU for two hours, with changes. */
export function deploy(changes: IDataObject = {}, settings: Settings = {}): Step {
	const parameters = deployParameters({ resourcePrivateName: NAME, gpusPerVm: 1, ...changes });
	const { ifNameExists, maxHourlyPrice, maxPrice } = (changes.safety ?? {}) as IDataObject;
	const isLimited = maxHourlyPrice !== undefined || maxPrice !== undefined;
	const operation =
		ifNameExists === 'deploy' ? 'deploy anyway' : isLimited ? 'deploy within a limit' : 'deploy';
	return { operation, node: deployment('deploy', parameters, settings) };
}

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

export function waitFor(deploymentId: IDataObject, waitUntil = 'running'): Step {
	const parameters = {
		deploymentId,
		waitUntil,
		pollInterval: 10,
		timeout: 300,
		onTimeout: 'error',
	};
	const settings: Settings = { onError: 'continueRegularOutput' };
	return { operation: 'wait for', node: deployment('waitFor', parameters, settings) };
}

export function extend(
	deploymentId: IDataObject,
	safety: IDataObject = {},
	settings: Settings = { onError: 'continueRegularOutput' },
): Step {
	const isLimited = Object.keys(safety).length > 0;
	return {
		operation: isLimited ? 'extend within a limit' : 'extend',
		node: deployment('extend', { deploymentId, durationHours: 2, safety }, settings),
	};
}

/** Destroys and verifies. */
export function destroy(deploymentId: IDataObject, settings: Settings = {}): Step {
	return {
		operation: deploymentId.mode === 'name' ? 'destroy by name' : 'destroy',
		node: deployment(
			'destroy',
			{ deploymentId, options: { verify: true, verifyTimeout: 120 } },
			settings,
		),
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
