import type { IDataObject } from 'n8n-workflow';
import type { NameRules } from '../../nodes/marketplace/deploymentName.ts';
import { place } from '../../nodes/marketplace/order.ts';
import type { ProductContext } from '../../nodes/marketplace/product.ts';
import { purchase, type Order } from '../../nodes/marketplace/purchase.ts';
import type { PurchaseNote } from '../../nodes/marketplace/purchased.ts';
import { now } from '../../nodes/shared/time.ts';
import type { Answered, Asked } from './log-parts.mts';
import { Market, productContext } from './market-parts.mts';

export const ORDERED = { hardware_id: 12, gpus: 1, duration_hours: 2, workers: 1 };
export const PRICES = { total_price: 4, hourly_price: 2, currency: 'usdc' };
export const minutesAgo = (minutes: number) => new Date(now() - minutes * 60_000).toISOString();

let count = 0;
/** A name or an ID that no other test of the file has: the process remembers what it has bought. */
export const fresh = (what: string) => `${what}${++count}`;

/** A service that sells deployments. */
export class Shop extends Market {
	/** What was sent. */
	readonly bodies: unknown[] = [];
	/** The answer to a deploy, or the error of its connection. */
	sells: () => Answered | Error = () => ({ json: {} });

	override async answer(
		asked: Asked & { method?: string; body?: string | Buffer },
	): Promise<Answered> {
		if (asked.method !== 'POST') return await super.answer(asked);
		this.bodies.push(JSON.parse(String(asked.body)));
		this.asked.push(`POST ${asked.url.replace(/^.*\/(vmaas|caas)\//, '')}`);
		const answer = this.sells();
		if (answer instanceof Error) throw answer;
		return answer;
	}

	/** The requests since the last call, each once where it was repeated. */
	requests(): string[] {
		return this.asked.splice(0).filter((one, index, all) => one !== all[index - 1]);
	}
}

/** The error of a connection; `ECONNREFUSED` comes before anything was sent. */
export const broken = (code: string) =>
	Object.assign(new Error('socket'), { code, isAxiosError: true });

/** A service that sells this deployment, which shows from then on unless it is hidden. */
export function selling(id: string, name: string, isShown = true): Shop {
	const shop = new Shop();
	shop.sells = () => {
		if (isShown) shop.add(id, { resource_private_name: name });
		return { json: { data: { deployment_id: id } } };
	};
	return shop;
}

/** A service whose answer to what is sent is lost. */
export function losing(shows: () => void = () => undefined): Shop {
	const shop = new Shop();
	shop.sells = () => {
		shows();
		return broken('ECONNRESET');
	};
	return shop;
}

/** What is ordered for two hours at the price. */
export const orderOf = (name: string, changes: Partial<Order> = {}): Order => ({
	body: { resource_private_name: name, hardware_id: 12 },
	ordered: ORDERED,
	extras: { hardware_name: 'H100' },
	priceLimits: { currency: 'usdc' },
	quote: async () => await Promise.resolve({ prices: PRICES }),
	...changes,
});

export const rulesOf = (name: string, changes: Partial<NameRules> = {}): NameRules => ({
	name,
	uniqueName: false,
	ifNameExists: 'error',
	minRemainingHours: 1,
	dryRun: false,
	workers: 1,
	...changes,
});

interface Bought {
	context?: ProductContext;
	rules?: Partial<NameRules>;
	order?: Partial<Order>;
}

/** What an item of a deploy buys under a name. */
export async function buying(shop: Shop, name: string, given: Bought = {}): Promise<IDataObject> {
	const context = given.context ?? (await productContext(shop));
	const rules = rulesOf(name, given.rules);
	return await purchase(
		context,
		rules,
		async (begun) => await place(context, begun, rules, orderOf(begun.name, given.order)),
	);
}

/** What is noted before a deploy is sent. */
export const noteOf = (name: string, changes: Partial<PurchaseNote> = {}): PurchaseNote => ({
	product: 'vmaas',
	purchaseId: fresh('purchase'),
	resource_private_name: name,
	isUnique: false,
	knownIds: [],
	order: { ...ORDERED, sentAt: now() },
	extras: PRICES,
	...changes,
});
