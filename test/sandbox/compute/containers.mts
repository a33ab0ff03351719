import { isRecord } from '../core/guards.mts';
import type { Deployment, DeploymentState } from './deployment.mts';
import type { ComputeHabits } from './habits.mts';
import type { ContainerLogs } from './logs.mts';

/** Of the settings of containers, what only the service needs to know. */
const SECRET = ['secret_env_variables', 'registry_username', 'registry_secret'];
const DEFAULT_PORT = 80;

type Config = Record<string, unknown>;

const recordOf = (value: unknown): Config => (isRecord(value) ? value : {});

/** What the containers of a deployment are started with: as deployed, with all updates. */
export function containerConfig({ order, updates }: Deployment): Config {
	const { container_config: config, registry_config: registry } = order.request;
	return Object.assign(
		{ ...recordOf(config), ...recordOf(registry) },
		...updates.map(({ changes }) => changes),
	) as Config;
}

/** The part of the details that CaaS has alone. No secret is in it, unless the service has this habit. */
export function shownConfig(deployment: Deployment, { echoesSecrets }: ComputeHabits): Config {
	const config = containerConfig(deployment);
	const shown = Object.entries(config).filter(([key]) => echoesSecrets || !SECRET.includes(key));
	return { container_config: Object.fromEntries(shown) };
}

/** Names of the variables that a container has, without their values. */
export function environmentNames(deployment: Deployment): string[] {
	const { env_variables: open, secret_env_variables: secret } = containerConfig(deployment);
	return [...new Set([open, secret].flatMap((one) => Object.keys(recordOf(one))))].sort();
}

export const imageOf = (deployment: Deployment): string =>
	String(containerConfig(deployment).image_url ?? '');

/** `container_events`, oldest first. */
export function containerEvents({ transitions, updates }: Deployment): Config[] {
	return [
		...transitions.map(({ at, state }) => ({ at, message: state as string })),
		...updates.map(({ at, changes }) => ({ at, message: updateText(changes) })),
	]
		.sort((a, b) => a.at - b.at)
		.map(({ at, message }) => ({ time: new Date(at).toISOString(), message }));
}

const updateText = (changes: Config): string => `updated ${Object.keys(changes).sort().join(', ')}`;

/** What the containers write when they are started. */
function startLines(deployment: Deployment): string[] {
	const { traffic_port: port = DEFAULT_PORT } = containerConfig(deployment);
	return [`starting ${imageOf(deployment)}`, `listening on port ${String(port)}`];
}

/** Writes a change of state to the logs of the containers, which end with them. */
export function logTransition(
	logs: ContainerLogs,
	deployment: Deployment,
	state: DeploymentState,
): void {
	for (const log of logs.of(deployment.id)) {
		if (state === 'running') log.append('stdout', ...startLines(deployment));
		else log.append('stdout', state === 'termination requested' ? 'stopping' : `ended: ${state}`);
		if (deployment.isGone) log.finish();
	}
}

/** Writes an update to the logs of the containers, which start again where they run. */
export function logUpdate(
	logs: ContainerLogs,
	deployment: Deployment,
	changes: Record<string, unknown>,
): void {
	const lines = deployment.state === 'running' ? startLines(deployment) : [];
	for (const log of logs.of(deployment.id)) log.append('stdout', updateText(changes), ...lines);
}
