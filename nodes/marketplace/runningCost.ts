import type { IDataObject, NodeApiError } from 'n8n-workflow';
import type { Problem } from '../shared/http/errors';
import { contextError } from '../shared/operation/context';
import { ASSUME_ABSENT_AFTER_MS } from '../shared/operation/sendOnce';
import { elapsed } from '../shared/time';
import { idOf, listDeployments, nameOf } from './deployments';
import { idKey, isSameId } from './ids';
import { isUsdc, type PriceLimits, type Quote } from './priceLimits';
import { accountKey, CAAS, VMAAS, type Product, type ProductContext } from './product';
import { runningCostOf, withDetails } from './spending';
import { isFinal } from './state';
import { YOUNG_MS } from './turns';

/** A purchase of this process. */
interface Bought {
	product: Product;
	/** Undefined until the service has told it. */
	id?: string;
	/** What it costs an hour; undefined where its price was not read. */
	perHour?: number;
	/** Since when it should show, by {@link elapsed}; Infinity while it is sent. */
	at: number;
}

/** How many purchases of an account are remembered. */
const MAX_BOUGHT = 1_000;

/** By account, what this process has bought: the service may not show it yet, nor what it costs. */
const accounts = new Map<string, Bought[]>();

/** For so long, in milliseconds, a list that had entries is not believed to be empty: a copy which has none may have answered. */
const EMPTY_AFTER_MS = 600_000;
/** When a list last had entries, by account and product, by {@link elapsed}. */
const shownAt = new Map<string, number>();

/** A purchase that is about to be sent: others count it from now on. */
export interface Reservation {
	/** It was made: with its ID, where the service has told it. */
	keep(id?: string): void;
	/** It was not made. */
	release(): void;
}

/**
 * Checks that what runs in the account, VMs and containers, costs no more an hour with this purchase than Maximum Running Cost,
 * and counts the purchase from then on: of two that are checked at once, the second one sees the first. The price is read last, so
 * that it is as young as can be when the purchase is sent.
 * @returns the reservation with the price, or why it must not be bought at its price
 * @throws above the limit, and where the cost of something that runs is not known
 */
export async function reserve(
	context: ProductContext,
	{ maxRunningCost, currency }: PriceLimits,
	quote: Quote,
): Promise<{ reservation: Reservation; prices: IDataObject } | { problem: Problem }> {
	const bought = boughtBy(context);
	const askedAt = elapsed();
	const listed = maxRunningCost === undefined ? [] : await runningIn(context, bought);
	const quoted = await quote();
	if ('problem' in quoted) return quoted;
	// From here on nothing waits: no other purchase comes between this and the reservation
	const { prices } = quoted;
	// A price in another currency is none that can be added up, for later purchases as well
	const isComparable = isUsdc(currency) && typeof prices.hourly_price === 'number';
	const perHour = isComparable ? (prices.hourly_price as number) : undefined;
	if (maxRunningCost !== undefined) {
		const running = sumOf(context, listed, bought, askedAt);
		const problem =
			perHour === undefined ? unpriced(currency) : aboveLimit(running, perHour, maxRunningCost);
		if (problem) throw contextError(context, problem);
	}
	const own: Bought = { product: context.product, perHour, at: Infinity };
	bought.push(own);
	if (bought.length > MAX_BOUGHT) bought.shift();
	const reservation = {
		keep(id?: string) {
			own.id = id;
			own.at = elapsed();
		},
		release() {
			const index = bought.indexOf(own);
			if (index >= 0) bought.splice(index, 1);
		},
	};
	return { reservation, prices };
}

function unpriced(currency: string): Problem {
	return {
		message: `Maximum Running Cost cannot be checked with a price in ${currency}`,
		description: 'What deployments have cost is shown in usdc. Nothing was deployed.',
	};
}

function aboveLimit(running: number, perHour: number, limit: number): Problem | undefined {
	const sum = Number((running + perHour).toPrecision(12));
	if (sum <= limit) return undefined;
	return {
		message: `What runs costs ${running} an hour already, and with this deployment ${sum}: that is above the Maximum Running Cost of ${limit}`,
		description: 'Nothing was deployed. Destroy what is not needed, or raise the limit.',
	};
}

function boughtBy(context: ProductContext): Bought[] {
	const key = accountKey(context);
	const bought = accounts.get(key) ?? [];
	accounts.set(key, bought);
	return bought;
}

/** What the lists show that has not ended, with its details; also what was bought that the details alone show. */
async function runningIn(context: ProductContext, bought: Bought[]) {
	const listed = [];
	for (const product of [VMAAS, CAAS]) {
		const requests = { ...context, product };
		const entries = await read(context, product, async () => await listDeployments(requests));
		checkEmpty(context, product, entries);
		const alive = entries.filter(({ status }) => !isFinal(status));
		const ids = new Set(entries.map(keyOf));
		const unlisted = bought
			.filter((one) => one.product === product && isRemembered(one) && !ids.has(keyOf(one)))
			.map(({ id }) => ({ deployment_id: id }));
		const known = await withDetails(requests, [...alive, ...unlisted], () => false);
		const shown = known.filter(({ entry, details }) => details ?? ids.has(keyOf(entry)));
		listed.push({ product, ids, known: shown });
	}
	return listed;
}

function keyOf(shown: object): string | undefined {
	const id = idOf(shown);
	return id === undefined ? undefined : idKey(id);
}

/** Whether its details may still show what a list leaves out. One that is young counts also where nothing shows it. */
function isRemembered({ id, at }: Bought): boolean {
	return id !== undefined && elapsed() - at >= YOUNG_MS && elapsed() - at < ASSUME_ABSENT_AFTER_MS;
}

/** @throws where a list is empty that was not a moment ago */
function checkEmpty(context: ProductContext, product: Product, entries: IDataObject[]): void {
	const key = JSON.stringify([accountKey(context), product.key]);
	if (entries.length > 0) shownAt.set(key, elapsed());
	else if (elapsed() - (shownAt.get(key) ?? -Infinity) < EMPTY_AFTER_MS)
		throw contextError(context, {
			message: `Maximum Running Cost cannot be checked: the list of ${product.deployment}s is empty, and was not some minutes ago`,
			description: 'Nothing was deployed. Try again in some minutes.',
		});
}

async function read<T>(
	context: ProductContext,
	product: Product,
	reading: () => Promise<T>,
): Promise<T> {
	try {
		return await reading();
	} catch (caught) {
		const { message, description } = caught as NodeApiError;
		throw contextError(context, {
			message: `Maximum Running Cost cannot be checked: the list of ${product.deployment}s could not be read: ${message}`,
			description: [description, 'Nothing was deployed.'].filter(Boolean).join(' '),
		});
	}
}

/**
 * @param askedAt when the lists were asked for, since when their details may have taken minutes
 * @throws where the cost of something that runs is not known
 */
function sumOf(
	context: ProductContext,
	listed: Awaited<ReturnType<typeof runningIn>>,
	bought: Bought[],
	askedAt: number,
): number {
	let sum = 0;
	for (const { product, ids, known } of listed) {
		for (const { entry, details } of known) {
			if (details && isFinal(details.status)) continue;
			const id = idOf(entry);
			const own = bought.find((one) => one.product === product && isSameId(one.id, id));
			const perHour =
				(details && runningCostOf(details, context.account.clockAheadMs)?.perHour) ?? own?.perHour;
			if (perHour === undefined) throw unknownCost(context, product, entry);
			sum += perHour;
		}
		for (const one of bought) {
			const isShown = one.id !== undefined && ids.has(keyOf(one));
			if (one.product !== product || isShown || askedAt - one.at >= YOUNG_MS) continue;
			if (one.perHour === undefined) throw unknownCost(context, product, { id: one.id });
			sum += one.perHour;
		}
	}
	return Number(sum.toPrecision(12));
}

function unknownCost(context: ProductContext, product: Product, entry: IDataObject): NodeApiError {
	const name = nameOf(entry);
	const what = [name === undefined ? undefined : `"${name}"`, idOf(entry)]
		.filter(Boolean)
		.join(', ');
	return contextError(context, {
		message: `Maximum Running Cost cannot be checked: what the ${product.deployment} ${what || 'that was just sent'} costs an hour is not known`,
		description:
			'The service does not show what was paid for it and for how long, or it has only just begun. Nothing was deployed. Try again in some minutes.',
	});
}
