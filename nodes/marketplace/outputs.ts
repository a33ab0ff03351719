import {
	item,
	orNull,
	record,
	type Fields,
	type Output,
	type Simplified,
} from '../shared/operation/output';
import type { Product } from './product';

/** What a purchase says of its price, where one was asked for. */
export const PRICES: Fields = {
	total_price: 'number',
	hourly_price: 'number',
	currency: 'string',
};

/** What says how sure a result is. */
export const CERTAINTY: Fields = { recovered: 'boolean', hint: 'string' };

const PLACE: Fields = { id: 'string|number', iso2: 'string', name: 'string' };

/** One location with the number of deployments that fit. */
export const REPLICAS: Fields = {
	...PLACE,
	available_replicas: 'number',
	hardware_id: 'number|string',
};

/** What every output of a deployment has. */
const KNOWN: Fields = {
	deployment_id: 'string|null',
	status: 'string',
	expires_at: 'string|null',
};

const NAMED: Fields = { ...KNOWN, resource_private_name: 'string|null' };

/** An entry of the list (beyond-the-spec.md section 1 "Deployments"). */
export const LISTED: Fields = {
	...NAMED,
	id: 'string|number',
	name: 'string',
	completed_percent: 'number',
	hardware_quantity: 'number',
	brand_name: 'string',
	hardware_name: 'string',
	compute_minutes_served: 'number',
	compute_minutes_remaining: 'number',
};

/** The details (beyond-the-spec.md sections 1 "Deployment details" and 2); some services show the name in them. */
const detailsOf = ({ key, gpusKey, workersKey }: Product): Fields => ({
	...KNOWN,
	id: 'string|number',
	created_at: 'string',
	started_at: 'string|null',
	finished_at: 'string|null',
	amount_paid: 'number',
	completed_percent: 'number',
	total_gpus: 'number',
	[gpusKey]: 'number',
	[workersKey]: 'number',
	hardware_name: 'string',
	hardware_id: 'number|string',
	locations: [PLACE],
	brand_name: 'string',
	compute_minutes_served: 'number',
	compute_minutes_remaining: 'number',
	...(key === 'vmaas'
		? { ssh_keys: 'object', github_ids: ['string'] }
		: { container_config: 'object' }),
	resource_private_name: 'string',
});

/** A deploy: what the service answers, and what was ordered. One that was there already has its details, too. */
export const deployedOf = ({ gpusKey }: Product): Fields => ({
	...NAMED,
	hardware_id: 'number|string',
	[gpusKey]: 'number',
	duration_hours: 'number',
	...PRICES,
	existing: 'boolean',
	dry_run: 'boolean',
	request: 'object',
	requested_name: 'string',
	...CERTAINTY,
});

/** An update of containers: what the service answers. One whose answer was lost has the details, too. */
export const UPDATED: Fields = {
	...NAMED,
	updated: 'boolean|null',
	updated_fields: ['string'],
	accepted: 'boolean',
	...CERTAINTY,
};

/** What stays of a deployment whichever fields are asked for: it may run and bill. */
const DEPLOYMENT = ['deployment_id', 'resource_private_name', 'status'];

/** How a deployment ended. */
const DESTROYED: Fields = {
	deleted: 'boolean|null',
	deployment_id: 'string|null',
	resource_private_name: 'string|null',
	status: 'string',
	already_gone: 'boolean',
	verified: 'boolean',
	accepted: 'boolean',
	reason: 'string',
	hint: 'string',
};

/** One worker: a VM or a container, and one entry of its jobs. */
export const workerOf = ({ key, gpusKey }: Product): Fields => {
	const [id, events] =
		key === 'vmaas' ? ['vm_id', 'vm_events'] : ['container_id', 'container_events'];
	return {
		[id]: 'string|number',
		status: 'string',
		hardware: 'string',
		brand_name: 'string',
		device_id: 'string',
		created_at: 'string',
		uptime_percent: 'number',
		[gpusKey]: 'number',
		[events]: orNull([{ time: 'string', message: 'string' }]),
		deployment_id: 'string',
	};
};

/** A worker in few fields: without the log of its events. */
export const simplifiedWorkerOf = (
	{ key, gpusKey }: Product,
	...address: string[]
): Simplified => ({
	always: [key === 'vmaas' ? 'vm_id' : 'container_id', 'deployment_id', 'status'],
	also: [...address, 'hardware', gpusKey, 'uptime_percent', 'created_at'],
});

/** Price > Get. The fee carries the name of the service, `svc_fee`, so it is not listed. */
export const priceOf = ({ gpusKey }: Product): Output =>
	record({
		total_cost_usdc: 'number',
		discount: 'number',
		currency_conversion_fee: 'number',
		currency_conversion_fee_percent: 'number',
		[gpusKey]: 'number',
		replica_count: 'number',
		available_replica_count: ['number'],
	});

/** What `Wait For` adds to the details. */
const waitedFor = (product: Product): Fields => ({
	...detailsOf(product),
	reached: 'boolean',
	waited_seconds: 'number',
	missing: 'string',
	hint: 'string',
});

/** `Wait For` of a product, which may show more. */
export const waitForOf = (product: Product, more: Fields = {}): Output => {
	const shown = Object.keys(more);
	const others = shown.length > 0 ? [] : ['hardware_name', 'waited_seconds'];
	return record(
		{ ...waitedFor(product), ...more },
		{
			always: [...DEPLOYMENT, 'reached', 'missing', 'hint'],
			also: [...shown, 'expires_at', 'amount_paid', ...others],
		},
	);
};

/**
 * The operations on deployments that both products have. Those that buy, extend or end one are never simplified: what they say
 * of money is too much for ten fields.
 */
export const deploymentOutputs = (product: Product): Record<string, Output> => {
	const details = detailsOf(product);
	return {
		getAll: record(
			{ ...LISTED, age_hours: 'number|null', hint: 'string' },
			{
				always: [...DEPLOYMENT, 'hint'],
				also: [
					'expires_at',
					'hardware_name',
					'hardware_quantity',
					'completed_percent',
					'compute_minutes_remaining',
					'age_hours',
				],
			},
		),
		get: record(details, {
			always: DEPLOYMENT,
			also: [
				'expires_at',
				'created_at',
				'amount_paid',
				'hardware_name',
				'total_gpus',
				'completed_percent',
				'compute_minutes_remaining',
			],
		}),
		getSpending: item(
			{
				product: 'string',
				deployments: 'number',
				running: 'number',
				paid: 'number|null',
				remaining_value: 'number|null',
				cost_per_hour: 'number|null',
				unread: 'number',
				unknown_paid: 'number',
				unknown_cost_per_hour: 'number',
				undated: 'number',
				is_complete: 'boolean',
				hint: 'string',
			},
			{
				// Those of a day and of a deployment, too
				always: ['day', ...DEPLOYMENT, 'running', 'is_complete', 'hint'],
				also: [
					'deployments',
					'paid',
					'remaining_value',
					'cost_per_hour',
					'unknown_paid',
					'unknown_cost_per_hour',
					'created_at',
					'expires_at',
				],
			},
		),
		deploy: record(deployedOf(product)),
		waitFor: waitForOf(product),
		extend: record({
			...details,
			added_hours: 'number|null',
			...PRICES,
			requested_hours: 'number',
			accepted: 'boolean',
			...CERTAINTY,
		}),
		destroy: item(DESTROYED),
		destroyMany: record({
			...DESTROYED,
			dry_run: 'boolean',
			...LISTED,
			left_over: 'number',
			deployment_ids: ['string'],
		}),
	};
};
