import type { Service } from '../core/service.mts';
import type { HardwareOffer } from './catalogue.mts';
import { toMillionth } from './money.mts';

/** An offer, how much of it is hired, and for how long. */
export interface Rental {
	offer: HardwareOffer;
	/** Part of the configuration: 1 for a VM, GPUs by cards for a container. */
	share: number;
	replicas: number;
	hours: number;
}

/** What an hour of a rental costs in usdc, fees included. Deploy and extend charge this price. */
export function hourlyPrice(
	{ settings }: Service,
	{ offer, share, replicas }: Omit<Rental, 'hours'>,
): number {
	const factor = (1 + settings.serviceFeePercent / 100) * (settings.surcharges[offer.id] ?? 1);
	return toMillionth(offer.price * share * replicas * factor);
}

/** Body of the price endpoints (beyond-the-spec.md section 1, "Price"); the fee fields carry the service's name. */
export function quote(service: Service, rental: Rental, currency: string): Record<string, unknown> {
	const { settings } = service;
	const base = rental.offer.price * rental.share * rental.replicas * rental.hours;
	const conversionPercent = currency.toLowerCase() === 'usdc' ? 0 : settings.conversionFeePercent;
	const conversionFee = toMillionth((base * conversionPercent) / 100);
	return {
		replica_count: rental.replicas,
		available_replica_count: [service.purchases.free(rental.offer)],
		discount: 0,
		[`${settings.service}_fee`]: toMillionth((base * settings.serviceFeePercent) / 100),
		[`${settings.service}_fee_percent`]: settings.serviceFeePercent,
		currency_conversion_fee: conversionFee,
		currency_conversion_fee_percent: conversionPercent,
		total_cost_usdc: toMillionth(hourlyPrice(service, rental) * rental.hours + conversionFee),
	};
}

/** The price of VMs as the habits of the service say it; what is charged is always right. */
export function quotedOtherwise(
	service: Service,
	rental: Rental,
	currency: string,
): Record<string, unknown> {
	const gpus = rental.offer.num_cards;
	const said = { gpus_per_vm: gpus, ...quote(service, rental, currency) };
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
		case 'oneGpu': {
			const ofOneGpu = quote(service, { ...rental, share: rental.share / gpus }, currency);
			return { ...said, ...ofOneGpu, gpus_per_vm: 1 };
		}
		case 'withoutCounts': {
			const { replica_count: _count, ...others } = ofOne();
			return others;
		}
		case 'otherCurrency': {
			const { total_cost_usdc: total, ...others } = said as Record<string, unknown>;
			return { ...others, currency: 'tok', total_cost: Number(total) / 10 };
		}
	}
}
