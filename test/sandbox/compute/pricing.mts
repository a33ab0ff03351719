import type { Service } from '../core/service.mts';
import type { HardwareOffer } from './catalogue.mts';
import type { Product } from './deployment.mts';
import { toMillionth } from './money.mts';

/** An offer, how much of it is hired, and for how long. */
export interface Rental {
	offer: HardwareOffer;
	/** Cards of each VM or container: a VM has all of the configuration, a container may have some. */
	gpus: number;
	replicas: number;
	hours: number;
}

/** The part of a configuration that is hired, and paid. */
const shareOf = ({ num_cards: cards }: HardwareOffer, gpus: number): number =>
	cards === 0 ? 1 : gpus / cards;

/** What an hour of a rental costs in usdc, fees included. Deploy and extend charge this price. */
export function hourlyPrice(
	{ settings }: Service,
	{ offer, gpus, replicas }: Omit<Rental, 'hours'>,
): number {
	const factor = (1 + settings.serviceFeePercent / 100) * (settings.surcharges[offer.id] ?? 1);
	return toMillionth(offer.price * shareOf(offer, gpus) * replicas * factor);
}

/** Body of the price endpoints (beyond-the-spec.md section 1, "Price"); the fee fields carry the service's name. */
function quote(service: Service, rental: Rental, currency: string): Record<string, unknown> {
	const { settings } = service;
	const { offer, gpus, replicas, hours } = rental;
	const base = offer.price * shareOf(offer, gpus) * replicas * hours;
	const conversionPercent = currency.toLowerCase() === 'usdc' ? 0 : settings.conversionFeePercent;
	const conversionFee = toMillionth((base * conversionPercent) / 100);
	return {
		replica_count: replicas,
		available_replica_count: [service.purchases.free(offer, gpus)],
		discount: 0,
		[`${settings.service}_fee`]: toMillionth((base * settings.serviceFeePercent) / 100),
		[`${settings.service}_fee_percent`]: settings.serviceFeePercent,
		currency_conversion_fee: conversionFee,
		currency_conversion_fee_percent: conversionPercent,
		total_cost_usdc: toMillionth(hourlyPrice(service, rental) * hours + conversionFee),
	};
}

/** What the price endpoint of a product says, as the habits of the service have it; what is charged is always right. */
export function quoted(
	service: Service,
	kind: Product,
	rental: Rental,
	currency = 'usdc',
): Record<string, unknown> {
	const gpusKey = kind === 'vmaas' ? 'gpus_per_vm' : 'gpus_per_container';
	const said: Record<string, unknown> = {
		[gpusKey]: rental.gpus,
		...quote(service, rental, currency),
	};
	const ofOne = () => quote(service, { ...rental, replicas: 1 }, currency);
	switch (service.settings.price) {
		case 'right':
			return said;
		case 'zero':
			return { ...said, total_cost_usdc: 0 };
		case 'null':
			return { ...said, total_cost_usdc: null };
		case 'oneReplica':
			return { ...said, ...ofOne() };
		case 'oneGpu':
			return { ...said, ...quote(service, { ...rental, gpus: 1 }, currency), [gpusKey]: 1 };
		case 'withoutCounts': {
			const { replica_count: _count, ...others } = ofOne();
			return others;
		}
		case 'otherCurrency': {
			const { total_cost_usdc: total, ...others } = said;
			return { ...others, currency: 'tok', total_cost: Number(total) / 10 };
		}
	}
}
