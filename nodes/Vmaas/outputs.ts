import {
	CERTAINTY,
	deployedOf,
	deploymentOutputs,
	PRICES,
	priceOf,
	simplifiedWorkerOf,
	workerOf,
} from '../marketplace/outputs';
import { VMAAS } from '../marketplace/product';
import { item, record, type Fields, type Outputs } from '../shared/operation/output';

/** Where a VM answers. */
const SSH: Fields = { ssh_user: 'string', ssh_host: 'string', ssh_port: 'number' };

const VM: Fields = {
	...workerOf(VMAAS),
	network_services: 'object',
	ssh_access: 'string|null',
	is_external: 'boolean',
};

/** On which VM something was done. */
const ON_VM: Fields = { deployment_id: 'string', vm_id: 'string|null', ...SSH };

const FILE: Fields = { remote_path: 'string', size_in_bytes: 'number', sha256: 'string' };

/** What was rented for a job. */
const RENTED: Fields = {
	deployment_id: 'string',
	resource_private_name: 'string',
	hardware_id: 'number|string',
	hardware_name: 'string',
	location: 'string',
	gpus_per_vm: 'number',
	duration_hours: 'number',
	...PRICES,
	...CERTAINTY,
};

/** What a job has left. */
const RESULTS: Fields = {
	exit_code: 'number|null',
	stdout: 'string',
	stderr: 'string',
	stdout_bytes: 'number',
	stderr_bytes: 'number',
	files: [{ path: 'string', bytes: 'number', sha256: 'string', binary: 'string' }],
	missing_files: ['string'],
	destroyed: 'boolean|null',
	verified: 'boolean',
	amount_paid: 'number|null',
};

/** Another deployment of the same job. */
const LEFTOVER: Fields = {
	deployment_id: 'string|null',
	resource_private_name: 'string|null',
	status: 'string|null',
	reason: 'string',
};

export const outputs: Outputs = {
	hardware: {
		// compute-api.md "Hardware entry"
		getAll: record(
			{
				id: 'string',
				deploy_id: 'number|string',
				name: 'string',
				num_cards: 'number',
				price: 'number',
				vram_per_card: 'number',
				location: 'string',
				supplier: 'string',
				sold_out: 'boolean',
				interconnect: 'string|null',
				nvlink: 'boolean',
				storage: 'number',
				vcpu: 'number',
				memory: 'number',
			},
			{
				always: ['deploy_id'],
				also: [
					'name',
					'price',
					'num_cards',
					'vram_per_card',
					'location',
					'sold_out',
					'vcpu',
					'memory',
					'storage',
				],
			},
		),
	},
	price: { get: priceOf(VMAAS) },
	deployment: {
		...deploymentOutputs(VMAAS),
		deployCheapest: record({
			...deployedOf(VMAAS),
			hardware_name: 'string',
			location: 'string',
			offer_price: 'number',
			tried: [
				{
					hardware_id: 'number|string',
					location: 'string',
					hardware_name: 'string',
					offer_price: 'number',
					reason: 'string',
				},
			],
			skipped: [{ reason: 'string', offers: 'number' }],
		}),
	},
	vm: {
		getAll: record({ ...VM, ...SSH }, simplifiedWorkerOf(VMAAS, ...Object.keys(SSH))),
		getJobs: record(VM, simplifiedWorkerOf(VMAAS, 'ssh_access')),
		runCommand: item(
			{
				stdout: 'string',
				stderr: 'string',
				exit_code: 'number|null',
				signal: 'string|null',
				seconds: 'number',
				stdout_bytes: 'number',
				stderr_bytes: 'number',
				stdout_truncated: 'boolean',
				stderr_truncated: 'boolean',
				...ON_VM,
			},
			{
				always: ['deployment_id', 'vm_id', 'exit_code', 'signal'],
				also: ['stdout', 'stderr', 'stdout_truncated', 'stderr_truncated', 'seconds'],
			},
		),
		uploadFile: item({ ...FILE, ...ON_VM }),
		downloadFile: item({ ...FILE, file_name: 'string', mime_type: 'string', ...ON_VM }),
	},
	job: {
		run: item({
			...RESULTS,
			...RENTED,
			job_key: 'string',
			job_id: 'string',
			seconds: 'number',
			hours: 'number',
			ended_leftovers: [LEFTOVER],
			left_alone: [LEFTOVER],
		}),
		start: item({
			job_id: 'string',
			...RENTED,
			job_key: 'string',
			state: 'string',
			expires_at: 'string|null',
			vm_id: 'string|null',
			...SSH,
		}),
		collect: item({
			state: 'string',
			finished: 'boolean',
			...RESULTS,
			deployment_id: 'string',
			resource_private_name: 'string|null',
			job_id: 'string',
			status: 'string|null',
			reason: 'string',
		}),
	},
};
