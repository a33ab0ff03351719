import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isRecord } from '../core/guards.mts';
import { jsonBody, refusal } from '../core/http.mts';
import type { Service } from '../core/service.mts';
import { integer, oneOf, parse } from '../core/validation.mts';
import type { Issue, Loc } from '../core/validation.mts';
import { cardsOf, type HardwareOffer } from './catalogue.mts';
import { answerDeploy, checkCapacity } from './deploys.mts';
import type { Order } from './deployment.mts';
import { networkServices } from './network.mts';
import { hourlyPrice } from './pricing.mts';
import { regionOf } from './regions.mts';
import { sshPublicKey } from './ssh-key.mts';

/**
 * Body of the deploy (compute-api.md, "Deploy VMs"). A key that is not here is a 422.
 * The lower bounds of `duration_hours` and `vms_qty` and the non-empty name are not shown there; no service rents less.
 */
const deployBody = z
	.object({
		resource_private_name: z.string().min(1),
		duration_hours: integer().min(1).max(8760),
		gpus_per_vm: integer().min(1).max(8),
		hardware_id: oneOf('must be an integer or a string', integer(), z.string().min(1)),
		location_ids: z
			.array(z.string().min(1))
			.min(1)
			.max(1, 'only a single location is supported')
			.optional(),
		ssh_keys: z.record(sshPublicKey),
		node_pool_id: z.string().uuid().optional(),
		vms_qty: integer().min(1).optional(),
		github_ids: z.array(z.string()).optional(),
		vm_image_type: z.enum(['general', 'datascience']).optional(),
		network_services: networkServices.optional(),
	})
	.strict();

type DeployBody = z.infer<typeof deployBody>;

/** `POST /deploy` of VMaaS. No idempotency: each accepted request makes one more deployment, whatever its name. */
export function deployRoute(app: FastifyInstance, service: Service): void {
	app.post('/deploy', (request, reply) => {
		const raw = jsonBody(request);
		const body = parse(deployBody, raw, 'body', (value) =>
			crossFieldRules(service.hardware, value),
		);
		const deployment = service.purchases.buy(orderOf(service, body, isRecord(raw) ? raw : {}));
		return answerDeploy(service, reply, deployment);
	});
}

/** Rules that look at several fields or at the catalogue. They judge only what is well-formed in itself. */
function crossFieldRules(hardware: readonly HardwareOffer[], value: unknown): Issue[] {
	if (!isRecord(value)) return [];
	return [...placementRules(value), ...offerRules(hardware, value)];
}

const violation = (msg: string, ...path: Loc): Issue => ({
	loc: ['body', ...path],
	msg,
	type: 'value_error',
});

/** Exactly one of a location and a private node pool. */
function placementRules(body: Record<string, unknown>): Issue[] {
	const hasPool = Object.hasOwn(body, 'node_pool_id');
	const hasLocation = Object.hasOwn(body, 'location_ids');
	if (hasPool && hasLocation)
		return [violation('cannot be combined with location_ids', 'node_pool_id')];
	if (hasPool || hasLocation) return [];
	return [{ loc: ['body', 'location_ids'], msg: 'Field required', type: 'missing' }];
}

/** The hardware is in the catalogue, in this size and in this location. */
function offerRules(
	hardware: readonly HardwareOffer[],
	{ hardware_id: id, gpus_per_vm: gpus, location_ids: locations }: Record<string, unknown>,
): Issue[] {
	if (typeof id !== 'number' && typeof id !== 'string') return [];
	// 12 and "12" are two ids: the hardware list gives some as integers and some as text
	const offers = hardware.filter((offer) => offer.deploy_id === id);
	if (offers.length === 0) return [violation('no such hardware', 'hardware_id')];
	const { gpus_per_vm: size } = deployBody.shape;
	const [location]: unknown[] = Array.isArray(locations) && locations.length === 1 ? locations : [];
	const issues: Issue[] = [];
	if (size.safeParse(gpus).success && !offers.some((offer) => offer.num_cards === gpus))
		issues.push(violation(`must be ${cardsOf(offers)}, the cards of this hardware`, 'gpus_per_vm'));
	if (typeof location === 'string' && !offers.some((offer) => offer.location === location))
		issues.push(violation('the hardware is not offered there', 'location_ids', 0));
	return issues;
}

function orderOf(service: Service, body: DeployBody, request: Record<string, unknown>): Order {
	const location = body.location_ids?.[0];
	const offers = service.hardware.filter(
		(offer) => offer.deploy_id === body.hardware_id && offer.num_cards === body.gpus_per_vm,
	);
	// The catalogue does not list private pools; they are billed at the hardware's lowest price
	const offer = offers
		.filter((one) => location === undefined || one.location === location)
		.sort((a, b) => a.price - b.price)[0];
	if (!offer) throw refusal(404, 'Hardware not found');
	const workers = body.vms_qty ?? 1;
	if (location !== undefined) checkCapacity(service, offer, workers, offer.num_cards);
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
		hourlyPrice: hourlyPrice(service, { offer, gpus: offer.num_cards, replicas: workers }),
		isExternal: offer.supplier === 'external',
		request,
	};
}
