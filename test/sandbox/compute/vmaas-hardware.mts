import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { queryInteger, queryJson, queryList, queryOf, queryValue } from '../core/http.mts';
import type { Service } from '../core/service.mts';
import { Invalid } from '../core/validation.mts';
import { cardsOf, type HardwareEntry, type HardwareOffer } from './catalogue.mts';
import type { ComputeHabits } from './habits.mts';
import { quoted } from './pricing.mts';

const MB_PER_GB = 1024;

const atLeast = (min: number) => queryInteger(z.number().min(min));

/** Query of the hardware list: names of beyond-the-spec.md section 1, limits of compute-api.md ("Limits"). */
const filters = z
	.object({
		gpu: queryValue(z.string()),
		regions: queryList(),
		gpu_family: queryList(),
		gpu_memory_min: atLeast(0),
		gpu_memory_max: atLeast(0),
		cpu_cores_min: atLeast(1),
		cpu_cores_max: atLeast(1),
		device_memory_min: atLeast(1),
		device_memory_max: atLeast(1),
		storage_min: atLeast(1),
		storage_max: atLeast(1),
		supplier: queryValue(z.enum(['internal', 'external'])),
	})
	.partial();

/** Query of the price (compute-api.md, "Deployment price"); `replica_count` is required by the server. */
const priceQuery = z.object({
	hardware_id: queryValue(z.string().min(1)),
	gpus_per_vm: atLeast(1),
	duration_hours: atLeast(1),
	currency: queryValue(z.string().min(1)),
	location_ids: queryJson(z.array(z.string().min(1)).min(1)),
	replica_count: atLeast(1),
});

/** `GET /hardware` and `GET /price` of VMaaS. */
export function hardwareRoutes(app: FastifyInstance, service: Service): void {
	app.get('/hardware', (request) => {
		const wanted = filtersOf(request, service.settings);
		return {
			data: {
				hardware: service.hardware
					.filter((offer) => fits(offer, wanted))
					.map((offer) => shown(service, offer)),
			},
		};
	});

	app.get('/price', (request) => {
		const wanted = queryOf(request, priceQuery);
		const ofHardware = service.hardware.filter(
			(offer) => String(offer.deploy_id) === wanted.hardware_id,
		);
		const offers = ofHardware.filter((offer) => offer.num_cards === wanted.gpus_per_vm);
		const problem = (field: string, msg: string) =>
			new Invalid([{ loc: ['query', field], msg, type: 'value_error' }]);
		if (ofHardware.length === 0) throw problem('hardware_id', 'no such hardware');
		if (offers.length === 0)
			throw problem('gpus_per_vm', `must be ${cardsOf(ofHardware)}, the cards of this hardware`);
		const there = wanted.location_ids.map((location) =>
			offers.find((offer) => offer.location === location),
		);
		const [offer] = there;
		if (!offer || there.includes(undefined))
			throw problem('location_ids', 'the hardware is not offered there');
		const rental = {
			offer,
			gpus: offer.num_cards,
			replicas: wanted.replica_count,
			hours: wanted.duration_hours,
		};
		return { data: quoted(service, 'vmaas', rental, wanted.currency) };
	});
}

function filtersOf(request: FastifyRequest, settings: ComputeHabits): z.infer<typeof filters> {
	const wanted = queryOf(request, filters);
	const [name] = Object.keys(wanted);
	if (settings.filters === 'refused' && name !== undefined)
		throw new Invalid([
			{ loc: ['query', name], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
		]);
	return settings.filters === 'ignored' ? {} : wanted;
}

/** An offer as the list shows it: sold out as soon as its last VM is taken. */
function shown({ purchases }: Service, offer: HardwareOffer): HardwareEntry {
	const { capacity: _hidden, ...entry } = offer;
	return purchases.free(offer) === 0 ? { ...entry, sold_out: true } : entry;
}

function fits(offer: HardwareOffer, wanted: z.infer<typeof filters>): boolean {
	const name = offer.name.toLowerCase();
	return (
		(wanted.gpu === undefined || name.includes(wanted.gpu.toLowerCase())) &&
		(wanted.regions === undefined || wanted.regions.includes(offer.location)) &&
		(wanted.gpu_family === undefined ||
			wanted.gpu_family.some((family) => isOfFamily(name, family.toLowerCase()))) &&
		(wanted.supplier === undefined || wanted.supplier === offer.supplier) &&
		between(offer.vram_per_card, wanted.gpu_memory_min, wanted.gpu_memory_max) &&
		between(offer.vcpu, wanted.cpu_cores_min, wanted.cpu_cores_max) &&
		between(inMegabytes(offer.memory), wanted.device_memory_min, wanted.device_memory_max) &&
		between(inMegabytes(offer.storage), wanted.storage_min, wanted.storage_max)
	);
}

/** A family is a whole model name or its first words: `H100` matches `H100 SXM5`, `L4` does not match `L40S`. */
const isOfFamily = (name: string, family: string): boolean =>
	name === family || name.startsWith(`${family} `);

const inMegabytes = (gigabytes: number | undefined): number | undefined =>
	gigabytes === undefined ? undefined : gigabytes * MB_PER_GB;

/** A missing value meets no limit. */
function between(value: number | undefined, min = -Infinity, max = Infinity): boolean {
	if (min === -Infinity && max === Infinity) return true;
	return value !== undefined && value >= min && value <= max;
}
