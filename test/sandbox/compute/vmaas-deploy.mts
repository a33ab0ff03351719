import type { FastifyInstance } from 'fastify';
import { jsonBody, refusal } from '../core/http.mts';
import {
	choice,
	integer,
	isRecord,
	issue,
	list,
	mapOf,
	object,
	oneOf,
	optional,
	parse,
	text,
	uuid,
} from '../core/schema.mts';
import type { Issue, Parsed } from '../core/schema.mts';
import type { Service } from '../core/service.mts';
import type { HardwareOffer } from './catalogue.mts';
import type { Order } from './deployment.mts';
import { networkServices } from './network.mts';
import { hourlyPrice } from './pricing.mts';
import { regionOf } from './regions.mts';
import { sshPublicKey } from './ssh-key.mts';
import { details } from './views.mts';

/**
 * Body of the deploy (compute-api.md, "Deploy VMs"). A key that is not here is a 422.
 * The lower bounds of `duration_hours` and `vms_qty` and the non-empty name are not shown there; no service rents less.
 */
const deployFields = {
	resource_private_name: text({ min: 1 }),
	duration_hours: integer({ min: 1, max: 8760 }),
	gpus_per_vm: integer({ min: 1, max: 8 }),
	hardware_id: oneOf<[number, string]>(
		'must be an integer or a string',
		integer(),
		text({ min: 1 }),
	),
	location_ids: optional(
		list(text({ min: 1 }), { min: 1, max: 1 }, 'only a single location is supported'),
	),
	ssh_keys: mapOf(sshPublicKey),
	node_pool_id: optional(uuid),
	vms_qty: optional(integer({ min: 1 })),
	github_ids: optional(list(text())),
	vm_image_type: optional(choice(['general', 'datascience'])),
	network_services: optional(networkServices),
};

type DeployBody = Parsed<typeof deployFields>;

/** `POST /deploy` of VMaaS. No idempotency: each accepted request is one more cluster, whatever its name. */
export function deployRoute(app: FastifyInstance, service: Service): void {
	app.post('/deploy', (request, reply) => {
		const raw = jsonBody(request);
		const body = parse(object(deployFields), raw, 'body', (value, issues) =>
			crossFieldRules(service.hardware, value, issues),
		);
		const deployment = service.ledger.buy(orderOf(service, body, isRecord(raw) ? raw : {}));
		switch (service.settings.deployAnswer) {
			case 'empty':
				return reply.send();
			case 'data':
				return reply.send({ data: details(deployment, service.clock.now()) });
			case 'flat':
				return reply.send({ status: 'succeeded', deployment_id: deployment.id });
		}
	});
}

/** Rules that look at several fields or at the catalogue. They judge only what is well-formed in itself. */
function crossFieldRules(
	hardware: readonly HardwareOffer[],
	value: unknown,
	issues: Issue[],
): void {
	if (!isRecord(value)) return;
	const has = (key: string) => Object.hasOwn(value, key);
	if (has('node_pool_id') && has('location_ids'))
		issue(issues, ['body', 'node_pool_id'], 'value_error', 'cannot be combined with location_ids');
	if (!has('node_pool_id') && !has('location_ids'))
		issue(issues, ['body', 'location_ids'], 'missing', 'Field required');
	if (typeof value.hardware_id !== 'number' && typeof value.hardware_id !== 'string') return;
	// 12 and "12" are two ids: the hardware list gives some as integers and some as text
	const offers = hardware.filter((offer) => offer.deploy_id === value.hardware_id);
	const [first] = offers;
	if (!first) return issue(issues, ['body', 'hardware_id'], 'value_error', 'no such hardware');
	const { gpus_per_vm: gpus, location_ids: locations } = value;
	if (
		typeof gpus === 'number' &&
		gpus >= 1 &&
		gpus <= 8 &&
		Number.isInteger(gpus) &&
		gpus !== first.num_cards
	) {
		issue(
			issues,
			['body', 'gpus_per_vm'],
			'value_error',
			`must be ${first.num_cards}, the cards of this hardware`,
		);
	}
	if (Array.isArray(locations) && locations.length === 1 && typeof locations[0] === 'string') {
		if (!offers.some((offer) => offer.location === locations[0])) {
			issue(
				issues,
				['body', 'location_ids', 0],
				'value_error',
				'the hardware is not offered there',
			);
		}
	}
}

function orderOf(service: Service, body: DeployBody, request: Record<string, unknown>): Order {
	const location = body.location_ids?.[0];
	const offers = service.hardware.filter((offer) => offer.deploy_id === body.hardware_id);
	// A private pool has no place of its own in the catalogue; it is billed at the hardware's lowest price
	const offer = offers
		.filter((one) => location === undefined || one.location === location)
		.sort((a, b) => a.price - b.price)[0];
	if (!offer) throw refusal(404, 'Hardware not found');
	const workers = body.vms_qty ?? 1;
	// Not shown in the specification: a machine that was there when the list was read and is gone now is a conflict, not bad input
	if (location !== undefined && service.ledger.free(offer) < workers) {
		throw refusal(
			409,
			`Not enough capacity: hardware ${offer.deploy_id} is sold out in ${location}`,
		);
	}
	return {
		kind: 'vmaas',
		name: body.resource_private_name,
		hardwareId: offer.deploy_id,
		hardwareName: offer.name,
		offerId: location === undefined ? undefined : offer.id,
		region: location === undefined ? undefined : regionOf(location),
		gpusPerWorker: body.gpus_per_vm,
		workers,
		hours: body.duration_hours,
		hourlyPrice: hourlyPrice(service, { offer, share: 1, replicas: workers }),
		isExternal: offer.supplier === 'external',
		request,
	};
}
