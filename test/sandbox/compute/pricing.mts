import type { Service } from '../core/service.mts';
import type { HardwareOffer } from './catalogue.mts';
import { toMillionth } from './money.mts';

/** An offer and how much of it, for how long. */
export interface Wish {
	offer: HardwareOffer;
	/** Part of the configuration: 1 for a VM, GPUs by cards for a container. */
	share: number;
	replicas: number;
	hours: number;
}

/** What an hour of a wish costs in usdc, fees included. Deploy and extend charge it. */
export function hourlyPrice(
	{ settings }: Service,
	{ offer, share, replicas }: Omit<Wish, 'hours'>,
): number {
	return toMillionth(offer.price * share * replicas * (1 + settings.serviceFeePercent / 100));
}

/** Body of the price endpoints (beyond-the-spec.md section 1, "Price"); the fee fields carry the service's name. */
export function quote(service: Service, wish: Wish, currency: string): Record<string, unknown> {
	const { settings } = service;
	const base = wish.offer.price * wish.share * wish.replicas * wish.hours;
	const conversionPercent = currency.toLowerCase() === 'usdc' ? 0 : settings.conversionFeePercent;
	const conversionFee = toMillionth((base * conversionPercent) / 100);
	return {
		replica_count: wish.replicas,
		available_replica_count: [service.ledger.free(wish.offer)],
		discount: 0,
		[`${settings.service}_fee`]: toMillionth((base * settings.serviceFeePercent) / 100),
		[`${settings.service}_fee_percent`]: settings.serviceFeePercent,
		currency_conversion_fee: conversionFee,
		currency_conversion_fee_percent: conversionPercent,
		total_cost_usdc: toMillionth(hourlyPrice(service, wish) * wish.hours + conversionFee),
	};
}
