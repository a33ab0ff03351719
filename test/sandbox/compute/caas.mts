import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isRecord } from '../core/guards.mts';
import { jsonBody, param, queryInteger, queryJson, queryOf } from '../core/http.mts';
import type { Service } from '../core/service.mts';
import { Invalid, integer, parse } from '../core/validation.mts';
import type { Loc } from '../core/validation.mts';
import type { HardwareOffer } from './catalogue.mts';
import { logUpdate } from './containers.mts';
import type { Order } from './deployment.mts';
import { alive } from './deployments.mts';
import { answerDeploy, checkCapacity } from './deploys.mts';
import { hourlyPrice, quoted } from './pricing.mts';
import { regionOf, regions } from './regions.mts';
import { workerId } from './views.mts';

const port = integer().min(1).max(65535);
const variables = z.record(z.string()).optional();
const words = z.array(z.string()).optional();

/** Body of the CaaS deploy (beyond-the-spec.md section 2). */
const deployBody = z
	.object({
		resource_private_name: z.string().min(1),
		duration_hours: integer().min(1),
		gpus_per_container: integer().min(1),
		hardware_id: integer(),
		location_ids: z.array(integer()).min(1),
		container_config: z
			.object({
				replica_count: integer().min(1),
				env_variables: variables,
				secret_env_variables: variables,
				entrypoint: words,
				traffic_port: port.optional(),
				args: words,
			})
			.strict(),
		registry_config: z
			.object({
				image_url: z.string().min(1),
				registry_username: z.string().optional(),
				registry_secret: z.string().optional(),
			})
			.strict(),
	})
	.strict();

/** Body of the CaaS patch: everything is at the top level; hardware and replicas cannot change. */
const patchBody = z
	.object({
		env_variables: variables,
		secret_env_variables: variables,
		entrypoint: words,
		traffic_port: port.optional(),
		image_url: z.string().min(1).optional(),
		registry_username: z.string().optional(),
		registry_secret: z.string().optional(),
		args: words,
		command: z.string().optional(),
	})
	.strict();

const atLeastOne = queryInteger(z.number().min(1));

const priceQuery = z.object({
	hardware_id: queryInteger(),
	duration_hours: atLeastOne,
	gpus_per_container: atLeastOne,
	replica_count: atLeastOne,
	location_ids: queryJson(z.array(integer()).min(1)),
});

const replicasQuery = z.object({ hardware_id: queryInteger(), hardware_qty: atLeastOne });

/** Deploy, patch, price and available replicas of CaaS; simplified: a deployment takes the first of its locations. */
export function caasRoutes(app: FastifyInstance, service: Service): void {
	const { clock, hardware, purchases, logs } = service;

	app.post('/deploy', (request, reply) => {
		const raw = jsonBody(request);
		const deployment = echoing(service, raw, () =>
			purchases.buy(orderOf(service, parse(deployBody, raw, 'body'), isRecord(raw) ? raw : {})),
		);
		for (let index = 0; index < deployment.order.workers; index++)
			logs.open(deployment.id, workerId(deployment.id, index)).source = {
				nextChange: () => deployment.nextChange,
				settle: () => deployment.settle(clock.now()),
			};
		return answerDeploy(service, reply, deployment);
	});

	app.patch('/deployment/:deployment_id', (request) => {
		const raw = jsonBody(request);
		const changes = echoing(service, raw, () => parse(patchBody, raw, 'body'));
		const deployment = alive(service, 'caas', param(request, 'deployment_id'));
		deployment.update(changes, clock.now());
		logUpdate(logs, deployment, changes);
		return { status: 'succeeded', deployment_id: deployment.id };
	});

	app.get('/price', (request) => {
		const wanted = queryOf(request, priceQuery);
		const rental = {
			offer: offerFor(hardware, wanted.hardware_id, wanted.location_ids, 'query'),
			gpus: wanted.gpus_per_container,
			replicas: wanted.replica_count,
			hours: wanted.duration_hours,
		};
		return { data: quoted(service, 'caas', rental) };
	});

	app.get('/available-replicas', (request) => {
		const wanted = queryOf(request, replicasQuery);
		const offers = hardware.filter((offer) => offer.deploy_id === wanted.hardware_id);
		return {
			data: regions.flatMap(({ code, number, iso2, name }) =>
				offers
					.filter((offer) => offer.location === code)
					.map((offer) => ({
						id: number,
						iso2,
						name,
						available_replicas: purchases.free(offer, wanted.hardware_qty),
					})),
			),
		};
	});
}

function orderOf(
	service: Service,
	body: z.infer<typeof deployBody>,
	request: Record<string, unknown>,
): Order {
	const offer = offerFor(service.hardware, body.hardware_id, body.location_ids, 'body');
	const { gpus_per_container: gpus, container_config: config } = body;
	const replicas = config.replica_count;
	checkCapacity(service, offer, replicas, gpus);
	return {
		kind: 'caas',
		name: body.resource_private_name,
		hardwareId: offer.deploy_id,
		hardwareName: offer.name,
		offerId: offer.id,
		region: regionOf(offer.location),
		gpusPerWorker: gpus,
		workers: replicas,
		hours: body.duration_hours,
		hourlyPrice: hourlyPrice(service, { offer, gpus, replicas }),
		isExternal: offer.supplier === 'external',
		request,
	};
}

/** Does a piece of work on a body; where the service has this habit, what is wrong with the body repeats all of it. */
function echoing<T>({ settings }: Service, body: unknown, work: () => T): T {
	try {
		return work();
	} catch (error) {
		if (!settings.echoesSecrets || !(error instanceof Invalid)) throw error;
		const sent = JSON.stringify(body);
		throw new Invalid(
			error.issues.map((issue) => ({ ...issue, msg: `${issue.msg}, got ${sent}`, input: body })),
		);
	}
}

function offerFor(
	hardware: readonly HardwareOffer[],
	id: number,
	numbers: readonly number[],
	part: 'body' | 'query',
): HardwareOffer {
	const invalid = (field: string, msg: string) => {
		const loc: Loc = [part, field];
		return new Invalid([{ loc, msg, type: 'value_error' }]);
	};
	const offers = hardware.filter((offer) => offer.deploy_id === id);
	if (offers.length === 0) throw invalid('hardware_id', 'no such hardware');
	const offer = offers.find(({ location }) => numbers.includes(regionOf(location).number));
	if (!offer) throw invalid('location_ids', 'the hardware is not offered there');
	return offer;
}
