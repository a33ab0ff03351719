import type { IDataObject } from 'n8n-workflow';
import { extend, type PriceLocations } from '../../nodes/marketplace/operations/extend.ts';
import { VMAAS, type Product, type ProductContext } from '../../nodes/marketplace/product.ts';
import { openJournals } from '../../nodes/shared/operation/journal.ts';
import { productContext } from './market-parts.mts';
import { fresh, Shop } from './purchase-parts.mts';

type Input = Parameters<ReturnType<typeof extend>['run']>[1];

/** A deployment with an hour and a half left, and all that its price needs. */
export const SHOWN = {
	hardware_id: 12,
	total_vms: 1,
	gpus_per_vm: 1,
	locations: [{ id: 'eu' }],
	compute_minutes_served: 30,
	compute_minutes_remaining: 90,
	amount_paid: 4,
};

/** A service that extends one deployment by what is sent. */
export class Extending extends Shop {
	readonly id = fresh('d');
	/** The price in usdc of each hour. */
	price = 2;

	constructor(shown: IDataObject = SHOWN) {
		super();
		this.add(this.id, shown);
		this.sells = () => ({ json: { data: this.grow() } });
		this.instead = (request) =>
			request === 'GET price'
				? { json: { data: { total_cost_usdc: this.price * this.hours() } } }
				: undefined;
	}

	private hours(): number {
		return Number(this.queries.at(-1)?.duration_hours);
	}

	/** The details after the extension that was sent last. */
	grow(minutes?: number): IDataObject {
		const details = this.details.get(this.id) ?? {};
		const hours = (this.bodies.at(-1) as { duration_hours: number }).duration_hours;
		const remaining = Number(details.compute_minutes_remaining) + (minutes ?? hours * 60);
		const grown = {
			...details,
			compute_minutes_remaining: remaining,
			amount_paid: Number(details.amount_paid) + this.price * hours,
		};
		this.details.set(this.id, grown);
		return grown;
	}
}

interface Given extends Partial<Input> {
	context?: ProductContext;
	product?: Product;
	priceLocations?: PriceLocations;
}

/** What an item of Extend gives. */
export async function extending(shop: Extending, given: Given = {}): Promise<IDataObject> {
	const { context, product = VMAAS, priceLocations = idsIn, ...changes } = given;
	const input: Input = {
		reference: { id: shop.id },
		durationHours: 2,
		priceLimits: { currency: 'usdc' },
		...changes,
	};
	const operation = extend(product, priceLocations);
	const [item] = await operation.run(context ?? (await productContext(shop, { product })), input);
	return item as IDataObject;
}

const idsIn: PriceLocations = async (_, __, locations) =>
	await Promise.resolve(locations.map(({ id }) => id as string));

/** Two items of one execution. */
export async function twoItems(shop: Extending) {
	const flow = {};
	const [first, second] = [
		await productContext(shop, { flow }),
		await productContext(shop, { flow }),
	] as const;
	second.journal = openJournals(second.functions)(1);
	return { first, second };
}
