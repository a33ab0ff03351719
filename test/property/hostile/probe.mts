import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';
import type { RecordedRequest } from '../../sandbox/index.mts';
import { INJECTED, POLLUTED } from './values.mts';

/** The node makes ids for documents by itself. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the requests of an operation look like: method and path, with `*` in place of a parameter. */
export class Routes {
	private readonly known = new Set<string>();

	/** @param samples texts that stand for parameters in the path of a request */
	constructor(requests: RecordedRequest[], samples: string[]) {
		for (const { method, path } of requests) {
			const isParameter = (segment: string) =>
				UUID.test(segment) || samples.includes(decodeURIComponent(segment));
			this.known.add(
				`${method} ${path
					.split('/')
					.map((segment) => (isParameter(segment) ? '*' : segment))
					.join('/')}`,
			);
		}
		// What is no ID of a deployment may be its name, and what its details do not show may be listed
		for (const route of [...this.known]) {
			const [, base] = /^\w+ (.*)\/(?:deployment|\*)\/\*/.exec(route) ?? [];
			if (base !== undefined) this.known.add(`GET ${base}/deployments`);
			// Whether a 404 is that of the thing, its own address says
			if (route.startsWith('DELETE ')) this.known.add(route.replace('DELETE', 'GET'));
		}
	}

	get size(): number {
		return this.known.size;
	}

	/** Why a request does not belong to the operation, or undefined. */
	fault({ method, path }: RecordedRequest): string | undefined {
		const segments = path.split('/');
		const fits = [...this.known].some((route) => {
			const [verb, pattern = ''] = route.split(' ');
			const wanted = pattern.split('/');
			// The address that a service shows is followed by whatever path a person gives
			if (pattern.startsWith('/public/') && path.startsWith('/public/')) return verb === method;
			return (
				verb === method &&
				wanted.length === segments.length &&
				wanted.every((part, index) =>
					part === '*' ? isId(segments[index]) : part === segments[index],
				)
			);
		});
		return fits
			? undefined
			: `${method} ${path.slice(0, 200)} is none of ${[...this.known].join(', ')}`;
	}
}

/** One segment that names one thing, on whatever server. */
function isId(segment = ''): boolean {
	const plain = decodeURIComponent(segment);
	return plain !== '' && plain !== '.' && plain !== '..' && !/[/\\?#]/.test(plain);
}

const prototypeKeys = Reflect.ownKeys(Object.prototype).length;

/** Fails when a value has reached what all objects share. */
export function prototypeFault(): string | undefined {
	if (POLLUTED in {} || POLLUTED in [] || POLLUTED in (() => undefined))
		return 'a value has reached the prototype of all objects';
	return Reflect.ownKeys(Object.prototype).length === prototypeKeys
		? undefined
		: 'the prototype of all objects has changed';
}

/** Why a request carries something that no parameter may put there. */
export function headerFault({ headers, method, path }: RecordedRequest): string | undefined {
	const strange = Object.keys(headers).find(
		(name) => name.toLowerCase() === INJECTED || /[^a-z0-9-]/i.test(name),
	);
	return strange === undefined ? undefined : `${method} ${path} has the header ${strange}`;
}

/** Words of the language or of a library: nobody knows from them which field to mend. */
const CRASH =
	/cannot read propert|cannot convert|cannot set propert|cannot destructure|is not a function|is not iterable|is not defined|is not a constructor|invalid (array length|string length|time value|character in|date)|converting circular|maximum call stack|must be of type|\bERR_[A-Z]|URI malformed|out of memory|unexpected (token|end of json)|\[object Object\]|regular expression too large/i;

/** Why an error message helps nobody. */
export function messageFault(message: string, value: unknown): string | undefined {
	// The message repeats the value
	const words = typeof value === 'string' ? message.replaceAll(value, '') : message;
	return CRASH.test(words)
		? `the error is one of the language: ${message.slice(0, 300)}`
		: undefined;
}

/** The message of an item that failed, where a node goes on. */
export function failureOf({ json }: INodeExecutionData): string | undefined {
	return typeof json.error === 'string' ? json.error : undefined;
}

/** Why the error that ended a run is none that n8n can show. */
export function errorFault(run: IRun): string | undefined {
	const { error } = run.data.resultData;
	if (error === undefined || error.name === 'NodeApiError' || error.name === 'NodeOperationError')
		return undefined;
	return `the error is a ${error.name}: ${error.message}`;
}

/** What the specification's limits exclude in the body of a deploy (compute-api.md "Deploy VMs" and "Limits"); independent of the package. */
export function deployFault(body: unknown): string | undefined {
	const {
		duration_hours: hours,
		gpus_per_vm: gpus,
		location_ids: locations,
		node_pool_id: pool,
		ssh_keys: keys,
		resource_private_name: name,
		vms_qty: machines,
		vm_image_type: image,
	} = (body ?? {}) as IDataObject;
	const isInteger = (value: unknown, min: number, max = Infinity) =>
		Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
	const keyTexts = Object.values((keys ?? {}) as IDataObject);
	const rules: Array<[string, boolean]> = [
		['duration_hours', isInteger(hours, 1, 8760)],
		['gpus_per_vm', isInteger(gpus, 1, 8)],
		[
			'location_ids',
			pool !== undefined
				? locations === undefined
				: Array.isArray(locations) &&
					locations.length === 1 &&
					typeof locations[0] === 'string' &&
					locations[0] !== '',
		],
		[
			'node_pool_id',
			pool === undefined || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(String(pool)),
		],
		[
			'ssh_keys',
			keyTexts.length > 0 &&
				keyTexts.every((key) =>
					/^(ssh-rsa|ssh-ed25519|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]+=*( |$)/.test(
						String(key),
					),
				),
		],
		['resource_private_name', typeof name === 'string' && name.trim() !== ''],
		['vms_qty', machines === undefined || isInteger(machines, 1)],
		['vm_image_type', image === undefined || image === 'general' || image === 'datascience'],
	];
	const broken = rules.filter(([, holds]) => !holds).map(([field]) => field);
	return broken.length > 0
		? `a deploy was sent against the limit of ${broken.join(', ')}: ${JSON.stringify(body).slice(0, 300)}`
		: undefined;
}

/** The same for an extension: a whole number of hours above 0, and nothing else. */
export function extendFault(body: unknown): string | undefined {
	const { duration_hours: hours, ...others } = (body ?? {}) as IDataObject;
	return Number.isSafeInteger(hours) && Number(hours) > 0 && Object.keys(others).length === 0
		? undefined
		: `an extension was sent against its limit: ${JSON.stringify(body).slice(0, 300)}`;
}

/** Why a request that costs money must not have been sent. */
export function moneyFault({ method, path, body }: RecordedRequest): string | undefined {
	if (method !== 'POST') return undefined;
	return /\/vmaas\/deploy$/.test(path)
		? deployFault(body)
		: /\/extend$/.test(path)
			? extendFault(body)
			: undefined;
}
