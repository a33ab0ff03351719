import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isRecord } from '../core/guards.mts';
import { jsonBody, param, queryInteger, queryJson, queryOf } from '../core/http.mts';
import type { Service } from '../core/service.mts';
import { Invalid, integer, parse } from '../core/validation.mts';
import type { Loc } from '../core/validation.mts';
import type { HardwareOffer } from './catalogue.mts';
import { alive } from './deployments.mts';
import { hourlyPrice, quote } from './pricing.mts';
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
	const { hardware, purchases, logs } = service;

	app.post('/deploy', (request) => {
		const raw = jsonBody(request);
		const body = parse(deployBody, raw, 'body');
		const offer = offerFor(hardware, body.hardware_id, body.location_ids, 'body');
		const replicas = body.container_config.replica_count;
		const deployment = purchases.buy({
			kind: 'caas',
			name: body.resource_private_name,
			hardwareId: offer.deploy_id,
			hardwareName: offer.name,
			region: regionOf(offer.location),
			gpusPerWorker: body.gpus_per_container,
			workers: replicas,
			hours: body.duration_hours,
			hourlyPrice: hourlyPrice(service, {
				offer,
				share: shareOf(offer, body.gpus_per_container),
				replicas,
			}),
			isExternal: offer.supplier === 'external',
			request: isRecord(raw) ? raw : {},
		});
		for (let index = 0; index < replicas; index++)
			logs.open(deployment.id, workerId(deployment.id, index));
		return { status: 'succeeded', deployment_id: deployment.id };
	});

	app.patch('/deployment/:deployment_id', (request) => {
		const changes = parse(patchBody, jsonBody(request), 'body');
		const deployment = alive(service, 'caas', param(request, 'deployment_id'));
		const { request: asked } = deployment.order;
		asked.container_config = {
			...(isRecord(asked.container_config) ? asked.container_config : {}),
			...changes,
		};
		return { status: 'succeeded', deployment_id: deployment.id };
	});

	app.get('/price', (request) => {
		const wanted = queryOf(request, priceQuery);
		const offer = offerFor(hardware, wanted.hardware_id, wanted.location_ids, 'query');
		const gpus = wanted.gpus_per_container;
		const rental = {
			offer,
			share: shareOf(offer, gpus),
			replicas: wanted.replica_count,
			hours: wanted.duration_hours,
		};
		return { data: { gpus_per_container: gpus, ...quote(service, rental, 'usdc') } };
	});

	app.get('/available-replicas', (request) => {
		const wanted = queryOf(request, replicasQuery);
		const offers = hardware.filter((offer) => offer.deploy_id === wanted.hardware_id);
		return {
			data: regions.flatMap(({ code, number, iso2, name }) =>
				offers
					.filter((offer) => offer.location === code)
					.map((offer) => {
						const gpus = purchases.free(offer) * offer.num_cards;
						return {
							id: number,
							iso2,
							name,
							available_replicas: Math.floor(gpus / wanted.hardware_qty),
						};
					}),
			),
		};
	});
}

/** A container may take some of a configuration's cards and pays for as many. */
const shareOf = (offer: HardwareOffer, gpus: number): number => gpus / Math.max(offer.num_cards, 1);

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
