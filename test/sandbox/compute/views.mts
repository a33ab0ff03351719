import { USER } from './sshServer.mts';
import type { VmServers } from './vmServers.mts';
import { isRecord } from '../core/guards.mts';
import { stableNumber, stableUuid } from '../core/ids.mts';
import type { Settings } from '../types.mts';
import { brandOf } from './catalogue.mts';
import { containerEvents, shownConfig } from './containers.mts';
import type { Deployment } from './deployment.mts';
import { toMillionth } from './money.mts';

/** Field names that VMaaS and CaaS spell differently (beyond-the-spec.md sections 1 and 2). */
const words = {
	vmaas: { gpus: 'gpus_per_vm', total: 'total_vms', worker: 'vm_id' },
	caas: { gpus: 'gpus_per_container', total: 'total_containers', worker: 'container_id' },
} as const;

type View = Record<string, unknown>;

/** Under which path of this service the containers of CaaS answer. */
export const PUBLIC_PATH = '/public';

const iso = (at: number | undefined): string | null =>
	at === undefined ? null : new Date(at).toISOString();

function progress(
	deployment: Deployment,
	now: number,
	{ sumsMinutes, minutes }: Settings,
): { minutes: View; percent: number } {
	const { gpusPerWorker, workers } = deployment.order;
	const times = sumsMinutes ? gpusPerWorker * workers : 1;
	const hired = deployment.hiredHours * 60;
	const served = Math.min(hired, Math.floor(toMillionth(deployment.servedHours(now) * 60)));
	const remaining = deployment.isGone ? 0 : hired - served;
	const isCounting = minutes === 'all' || deployment.startedAt !== undefined;
	return {
		minutes:
			minutes === 'none'
				? {}
				: {
						compute_minutes_served: served * times,
						compute_minutes_remaining: isCounting ? remaining * times : 0,
					},
		percent: Math.floor((served / hired) * 100),
	};
}

/** `DeploymentDetails` (beyond-the-spec.md section 1, "Deployment details"). `amount_paid` is what remains paid after refunds. */
export function details(deployment: Deployment, now: number, settings: Settings): View {
	const { order } = deployment;
	const { minutes, percent } = progress(deployment, now, settings);
	const word = words[order.kind];
	const { region } = order;
	return {
		id: deployment.id,
		status: deployment.state,
		created_at: iso(deployment.createdAt),
		started_at: iso(deployment.startedAt),
		finished_at: iso(deployment.finishedAt),
		amount_paid: toMillionth(deployment.charged - deployment.refunded),
		completed_percent: percent,
		total_gpus: order.gpusPerWorker * order.workers,
		[word.gpus]: order.gpusPerWorker,
		[word.total]: order.workers,
		hardware_name: order.hardwareName,
		hardware_id: order.hardwareId,
		locations: region
			? [
					{
						id: order.kind === 'vmaas' ? region.code : region.number,
						iso2: region.iso2,
						name: region.name,
					},
				]
			: [],
		brand_name: brandOf(order.hardwareName),
		...minutes,
		...(order.kind === 'vmaas'
			? { ssh_keys: order.request.ssh_keys ?? {}, github_ids: order.request.github_ids ?? [] }
			: shownConfig(deployment, settings)),
	};
}

/** One entry of the deployment lists. */
export function summary(deployment: Deployment, now: number, settings: Settings): View {
	const { order } = deployment;
	const { minutes, percent } = progress(deployment, now, settings);
	return {
		id: deployment.id,
		status: deployment.state,
		[settings.nameField]: order.name,
		...(settings.listsDates && { created_at: iso(deployment.createdAt) }),
		completed_percent: percent,
		hardware_quantity: order.gpusPerWorker * order.workers,
		brand_name: brandOf(order.hardwareName),
		hardware_name: order.hardwareName,
		...minutes,
	};
}

/** Identifier of one VM or container of a deployment. */
export const workerId = (deploymentId: string, index: number): string =>
	stableUuid(`worker ${deploymentId} ${index}`);

/** The identifiers of all VMs or containers of a deployment. */
export const workerIds = ({ id, order }: Deployment): string[] =>
	Array.from({ length: order.workers }, (_, index) => workerId(id, index));

/**
 * The VMs or containers of a deployment. They have an address only while it runs.
 * @param origin where this service answers, which also serves the public URLs of containers
 * @param vms has the real addresses of VMs, where they have any
 */
export function workers(
	deployment: Deployment,
	{ listsOldWorkers, sshAccess }: Settings,
	origin: string,
	vms?: VmServers,
): View[] {
	const { order } = deployment;
	const word = words[order.kind];
	const present = Array.from({ length: order.workers }, (_, index) => {
		const id = workerId(deployment.id, index);
		return {
			device_id: stableUuid(`device ${id}`),
			[word.worker]: id,
			hardware: order.hardwareName,
			brand_name: brandOf(order.hardwareName),
			created_at: iso(deployment.createdAt),
			uptime_percent: deployment.startedAt === undefined ? 0 : 100,
			[word.gpus]: order.gpusPerWorker,
			status: deployment.state,
			...(order.kind === 'vmaas'
				? vmPart(deployment, id, sshOf(id, vms, sshAccess))
				: containerPart(deployment, id, origin)),
		};
	});
	if (!listsOldWorkers) return present;
	const replaced = { [word.worker]: workerId(deployment.id, -1), status: 'destroyed' };
	const address = order.kind === 'vmaas' ? 'ssh_access' : 'public_url';
	return [...present, { ...present[0], ...replaced, [address]: null }];
}

/** Addresses are in a range that RFC 5737 reserves for documentation: no real host is ever reached. */
const addressOf = (id: string): string => `203.0.113.${1 + stableNumber(id, 254)}`;

/** Where a VM takes logins. */
function sshOf(id: string, vms: VmServers | undefined, form: Settings['sshAccess']): string {
	const real = vms?.addressOf(id);
	if (!real) return `${USER}@${addressOf(id)}`;
	return form === 'address'
		? `${USER}@${real.host}:${real.port}`
		: `ssh -p ${real.port} ${USER}@${real.host}`;
}

function vmPart({ order, state, transitions }: Deployment, id: string, address: string): View {
	const isRunning = state === 'running';
	const services = Object.entries(
		isRecord(order.request.network_services) ? order.request.network_services : {},
	);
	return {
		vm_events: transitions.map((one) => ({ time: iso(one.at), message: one.state })),
		network_services: Object.fromEntries(
			services.map(([name, service]) => [
				name,
				{ ...(isRecord(service) ? service : {}), ...publicSide(id, name, isRunning) },
			]),
		),
		ssh_access: isRunning ? address : null,
		is_external: order.isExternal,
	};
}

function publicSide(id: string, name: string, isRunning: boolean): View {
	if (!isRunning) return { public_port: null, public_ip: null, srv_record: null };
	return {
		public_port: 30_000 + stableNumber(`${id} ${name}`, 2_000),
		public_ip: addressOf(id),
		srv_record: `_${name}._tcp.${id}.vm.example`,
	};
}

function containerPart(deployment: Deployment, id: string, origin: string): View {
	const isRunning = deployment.state === 'running';
	return {
		container_events: containerEvents(deployment),
		public_url: isRunning ? `${origin}${PUBLIC_PATH}/${id}` : null,
	};
}
