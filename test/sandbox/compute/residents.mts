import type { Service } from '../core/service.mts';
import type { Deployment, Product } from './deployment.mts';
import { HOUR } from './money.mts';
import { hourlyPrice } from './pricing.mts';
import { regionOf } from './regions.mts';

/** A deployment that somebody else has made: a colleague, another workflow, the console of the service. */
export interface Resident {
	/** Default: VMaaS. */
	kind?: Product;
	name: string;
	/** For how long it is paid; default 48. */
	hours?: number;
	/** How long ago it was deployed; default 0. */
	hoursAgo?: number;
	/** `id` of its offer; default: one with a single GPU. */
	offerId?: string;
	/** Whether it may end while somebody reads the list. */
	mayLeave?: boolean;
}

const USUAL_OFFER = '7__us-west-2';
/** Pause between two moves of entries in the list. */
const MOVE_EVERY_MS = 10_000;

/** Records a resident; it takes no capacity. It runs since it was made, until its time is over. */
export function addResident(service: Service, resident: Resident): Deployment {
	const { kind = 'vmaas', name, hours = 48, hoursAgo = 0 } = resident;
	const { offerId = USUAL_OFFER, mayLeave } = resident;
	const { clock, hardware, purchases } = service;
	const offer = hardware.find(({ id }) => id === offerId);
	if (!offer) throw new Error(`There is no offer ${offerId}`);
	const deployment = purchases.seed(
		{
			kind,
			name,
			hardwareId: offer.deploy_id,
			hardwareName: offer.name,
			region: regionOf(offer.location),
			gpusPerWorker: offer.num_cards,
			workers: 1,
			hours,
			hourlyPrice: hourlyPrice(service, { offer, gpus: offer.num_cards, replicas: 1 }),
			isExternal: offer.supplier === 'external',
			mayLeave,
			request: {
				resource_private_name: name,
				...(kind === 'caas' && { registry_config: { image_url: 'registry.example/resident:1' } }),
			},
		},
		clock.now() - hoursAgo * HOUR,
	);
	deployment.settle(clock.now());
	return deployment;
}

/** While somebody reads the list, the first entry that may leave ends, or one arrives: the others move to other pages. */
export function moveEntries(service: Service, kind: Product): void {
	const { clock, purchases, settings } = service;
	if (settings.moves === 'nothing') return;
	const residents = purchases.seeded.filter(({ order }) => order.kind === kind);
	const moved = settings.moves === 'ends' ? 'finishedAt' : 'createdAt';
	const last = Math.max(...residents.map((one) => one[moved] ?? -Infinity));
	if (clock.now() - last < MOVE_EVERY_MS) return;
	if (settings.moves === 'arrives')
		addResident(service, { kind, name: `arrived-${residents.length}` });
	else
		(settings.oldestFirst ? residents : residents.reverse())
			.find(({ state, order }) => state === 'running' && order.mayLeave)
			?.fail(clock.now());
}
