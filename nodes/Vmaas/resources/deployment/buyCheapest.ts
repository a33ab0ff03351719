import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { hourlyPrice, listOffers } from '../../../marketplace/offers';
import { tryToPlace } from '../../../marketplace/order';
import type { ProductContext } from '../../../marketplace/product';
import { beforeDeploy, purchase, type Purchase } from '../../../marketplace/purchase';
import { isTransient, replyError } from '../../../shared/http/request';
import { contextError, withKnown, pause } from '../../../shared/operation/context';
import { elapsed } from '../../../shared/time';
import { chooseOffers, type Candidate, type Skipped } from '../../candidates';
import type { Filters } from '../../../marketplace/hardwareFilters';
import { capacityWords, priceAgain, priceEach, type PricedCandidate } from './cheapestPrices';
import { bodyOf, extrasOf, orderedOf, withSshKey, type OrderInput } from './order';

/** An order of whatever is cheapest. */
export interface CheapestOrder extends OrderInput {
	filters: Filters;
	/** GPUs of each VM; undefined accepts any number. */
	gpusPerVm?: number;
	/** How many offers are priced and tried. */
	maxTries: number;
	/** How long to look again if every offer is sold out or above a price limit, in milliseconds. */
	keepTryingMs: number;
}

/** Pause between two looks at the offers, in milliseconds. */
const PAUSE_MS = 60_000;

/** Total by list price, or the other way round, from which the output says so; fees and discounts are far below. */
const FAR = 1.5;

/** Errors after which another look may find an offer: all were sold out, or above the price limit. */
const passing = new WeakSet<Error>();

/**
 * Buys the cheapest available offer that passes the filters and the price limits, or shows what a dry run would send.
 * @returns the item for the output
 * @throws where nothing could be bought, and where the outcome is unknown
 */
export async function buyCheapest(
	context: ProductContext,
	order: CheapestOrder,
): Promise<IDataObject> {
	const started = elapsed();
	const end = started + (order.nameRules.dryRun ? 0 : order.keepTryingMs);
	for (let looks = 1; ; looks++) {
		try {
			return await lookAndBuy(context, order);
		} catch (caught) {
			const error = caught as NodeApiError;
			if (!passing.has(error) && !isTransient(error)) throw error;
			if (elapsed() >= end) {
				if (looks > 1)
					error.description = `${error.description ?? ''}\nLooked ${looks} times in ${Math.round((elapsed() - started) / 60_000)} minutes.`;
				throw error;
			}
		}
		await pause(context, Math.min(PAUSE_MS, end - elapsed()));
	}
}

/** The name is checked in each look, since others may have taken it meanwhile. */
async function lookAndBuy(context: ProductContext, input: CheapestOrder): Promise<IDataObject> {
	const rules = { ...input.nameRules, gpus: input.gpusPerVm };
	return await purchase(context, rules, async (begun) => {
		const order = await withSshKey(context, input);
		const offers = await beforeDeploy(
			context,
			'The hardware list',
			async () => await listOffers(context, input.filters.query),
		);
		const { candidates, skipped } = chooseOffers(offers, input.filters.checks, input.gpusPerVm);
		if (candidates.length === 0) throw nothingPasses(context, skipped);
		const { priced, tried } = await priceEach(context, input, candidates.slice(0, input.maxTries));
		const said = skipped.map(({ reason, offers: count }) => ({ reason, offers: count }));
		return await buyFirst(context, order, begun, priced, {
			tried,
			...(said.length > 0 && { skipped: said }),
		});
	});
}

/** @param seen `tried`, to which rejected offers are added, and `skipped`, for the output */
async function buyFirst(
	context: ProductContext,
	input: CheapestOrder,
	begun: Purchase,
	priced: PricedCandidate[],
	seen: { tried: IDataObject[]; skipped?: IDataObject[] },
): Promise<IDataObject> {
	const { tried } = seen;
	for (const planned of priced) {
		const { candidate, what } = planned;
		const { hardwareId, gpusPerVm, locationId } = candidate;
		const order = { ...input, hardwareId, gpusPerVm, placement: { locationId } };
		const placed = await tryToPlace(context, begun, input.nameRules, {
			body: bodyOf(order, begun.name),
			ordered: orderedOf(order),
			extras: extrasOf(order),
			priceLimits: input.priceLimits,
			async quote() {
				const quoted = await priceAgain(context, input, planned);
				if ('problem' in quoted) return quoted;
				const hint = priceHint(candidate, input, quoted.prices);
				return {
					prices: { ...quoted.prices, ...what, ...seen, ...(hint !== undefined && { hint }) },
				};
			},
		});
		if ('item' in placed) return placed.item;
		if ('problem' in placed) {
			tried.push({ ...what, reason: placed.problem.message });
			continue;
		}
		const soldOut = capacityWords(placed.rejected);
		if (soldOut === undefined) throw withKnown(replyError(context, placed.rejected), { tried });
		tried.push({ ...what, reason: soldOut });
	}
	// n8n shows the lines of a description in one
	const reasons = tried.map(
		({ hardware_name: name, hardware_id: id, location, reason }) =>
			`${name ? `${String(name)} (ID ${String(id)})` : `ID ${String(id)}`} in ${String(location)}: ${String(reason).replace(/\.?$/, '.')}`,
	);
	const error = contextError(
		context,
		{
			message: `None of the ${tried.length} cheapest offers could be deployed`,
			description: [...reasons, 'Nothing was deployed.'].join('\n'),
		},
		{ tried },
	);
	passing.add(error);
	throw error;
}

function nothingPasses(context: ProductContext, skipped: Skipped[]): NodeApiError {
	const isUnchecked = skipped.length > 0 && skipped.every(({ isUnknown }) => isUnknown);
	const advice = isUnchecked
		? 'Remove the filters that cannot be checked, or choose the hardware with Hardware > Get Many and use Deploy.'
		: 'Widen the filters or the GPU count, or try again later.';
	const error = contextError(context, {
		message: isUnchecked
			? 'The filters cannot be checked on any available offer'
			: 'No available offer passes the filters',
		description: [
			`${advice} Nothing was deployed.`,
			...skipped.map(({ reason, offers }) => `${offers} × ${reason}`),
		].join('\n'),
	});
	if (!isUnchecked) passing.add(error);
	return error;
}

/** What the output says of a total that is far from the list price, or undefined. */
function priceHint(
	{ offer }: Candidate,
	{ durationHours, vmsQty = 1 }: CheapestOrder,
	{ total_price: total, currency }: IDataObject,
): string | undefined {
	// The list is in USD
	if (typeof total !== 'number' || !/^usd/i.test(String(currency))) return undefined;
	const listed = Number((hourlyPrice(offer) * durationHours * vmsQty).toPrecision(12));
	const ratio = total / listed;
	if (ratio < FAR && ratio > 1 / FAR) return undefined;
	return `The total of ${total} ${String(currency)} is ${Number(ratio.toPrecision(2))} times the ${listed} USD of the hardware list.`;
}
