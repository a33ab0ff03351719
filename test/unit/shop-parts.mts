import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';
import { deployCheapest } from '../../nodes/Vmaas/resources/deployment/deployCheapest.ts';
import { deployParameters } from '../engine/nodes.mts';
import { inputOf, outcome } from './job-bench.mts';
import type { Answered } from './log-parts.mts';
import { Market, productContext } from './market-parts.mts';
import { fresh } from './purchase-parts.mts';

type Sent = Parameters<Market['answer']>[0] & { body?: unknown };

/** An offer of the hardware 7 with one GPU. */
export const offer = (changes: IDataObject = {}): IDataObject => ({
	deploy_id: 7,
	name: 'H100',
	num_cards: 1,
	price: 2,
	vram_per_card: 80,
	location: 'us-west-2',
	...changes,
});

/** Offers of one GPU of these hardware IDs, each for as many dollars an hour. */
export const offers = (...ids: number[]): IDataObject[] =>
	ids.map((id) => offer({ deploy_id: id, name: `GPU ${id}`, price: id }));

/** The price answer for a total. */
export const costs = (total: number, more: IDataObject = {}): Answered => ({
	json: { data: { total_cost_usdc: total, ...more } },
});

export const says = (status: number, message: string): Answered => ({ status, json: { message } });

/** A service that sells VMs in this process. */
export class Shop extends Market {
	/** The bodies of the deploys. */
	readonly orders: IDataObject[] = [];
	/** What each look at the offers asked for. */
	readonly looks: IDataObject[] = [];
	/** The answer to a question for a price. */
	price: (query: IDataObject) => Answered = () => costs(4);
	/** What the details show of each that is made. */
	made: IDataObject = {};
	/** The answer to a deploy, where it is none that is made. */
	refuse: (order: IDataObject) => Answered | undefined = () => undefined;

	constructor(public offers: IDataObject[] = [offer()]) {
		super();
	}

	/** The hardware of which prices were asked for. */
	get priced(): unknown[] {
		return this.queries.map(({ hardware_id: id }) => id);
	}

	/** The hardware that was ordered. */
	get ordered(): unknown[] {
		return this.orders.map(({ hardware_id: id }) => id);
	}

	protected override usually(method: string, path: string, sent: Sent): Answered {
		const request = `${method} ${path}`;
		if (request === 'GET hardware') {
			this.looks.push(sent.qs ?? {});
			return { json: { data: { hardware: this.offers } } };
		}
		if (request === 'GET price') return this.price(sent.qs);
		if (request !== 'POST deploy') return super.usually(method, path, sent);
		const order = JSON.parse(String(sent.body)) as IDataObject;
		this.orders.push(order);
		const refused = this.refuse(order);
		if (refused) return refused;
		const { resource_private_name } = order;
		this.add(`d${this.orders.length}`, { resource_private_name, ...this.made });
		return {
			json: { data: { deployment_id: `d${this.orders.length}`, resource_private_name } },
		};
	}
}

/** The form of Deploy Cheapest: two hours of whatever there is. */
export function cheapestForm(changes: IDataObject = {}) {
	const { hardwareId: _, placement: __, locationId: ___, ...common } = deployParameters();
	return inputOf(deployCheapest, {
		...common,
		resourcePrivateName: fresh('shop'),
		filters: {},
		gpusPerVm: 0,
		maxTries: 3,
		...changes,
	});
}

/** What Deploy Cheapest comes to, with these functions of n8n in place of the usual ones. */
async function run(shop: Shop, changes: IDataObject, functions: object, signal?: AbortSignal) {
	const context = await productContext(shop, { signal });
	Object.assign(context.functions, functions);
	const input = cheapestForm(changes);
	return await outcome(async () => await deployCheapest.run(context, input));
}

/** The item that Deploy Cheapest puts out. */
export async function bought(
	shop: Shop,
	changes: IDataObject = {},
	functions: object = {},
	signal?: AbortSignal,
): Promise<IDataObject> {
	const result = await run(shop, changes, functions, signal);
	if (result instanceof Error) throw result;
	expect(result).toHaveLength(1);
	return result[0] as IDataObject;
}

/** Why Deploy Cheapest has bought nothing, and why not each offer that it has tried. */
export async function refusal(shop: Shop, changes: IDataObject = {}, functions: object = {}) {
	const error = await run(shop, changes, functions);
	if (!(error instanceof Error)) throw new Error('It was bought');
	const known = error.context.known as IDataObject | undefined;
	const tried = known?.tried as IDataObject[] | undefined;
	return {
		message: error.message,
		description: error.description,
		...(tried && { tried: tried.map(({ reason }) => reason) }),
	};
}
