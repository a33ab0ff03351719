import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { compare } from '../../../marketplace/offers';
import { isLimited, priceWithin, type Quote } from '../../../marketplace/priceLimits';
import type { ProductContext } from '../../../marketplace/product';
import { beforeDeploy } from '../../../marketplace/purchase';
import { ownWords } from '../../../shared/http/errors';
import type { Reply } from '../../../shared/http/reply';
import { numberOf } from '../../../shared/numbers';
import type { Candidate } from '../../candidates';
import type { OrderInput } from './order';

/** A candidate with what the output says of it and its price, which is empty where the service shows none. */
export interface PricedCandidate {
	candidate: Candidate;
	what: IDataObject;
	prices: IDataObject;
}

/**
 * Reads the price of each candidate.
 * @returns those that may be bought, lowest total first (without a total last, in their order), and the others with their reason
 * @throws where prices are needed and none could be read
 */
export async function priceEach(
	context: ProductContext,
	input: OrderInput,
	candidates: Candidate[],
): Promise<{ priced: PricedCandidate[]; tried: IDataObject[] }> {
	const isNeeded = isLimited(input.priceLimits) || input.nameRules.dryRun;
	const priced: PricedCandidate[] = [];
	const tried: IDataObject[] = [];
	let failure: NodeApiError | undefined;
	let failures = 0;
	for (const candidate of candidates) {
		const what = describe(candidate);
		// After an outage or a wrong key the next offers would fail alike, each after all its tries
		const result: Result =
			failure && !isAboutOffer(failure) ? { failure } : await priceOne(context, input, candidate);
		if ('prices' in result) priced.push({ candidate, what, prices: result.prices });
		else if ('reason' in result) tried.push({ ...what, reason: result.reason });
		else if (isNeeded) {
			({ failure } = result);
			failures++;
			tried.push({ ...what, reason: failure.message });
		} else {
			({ failure } = result);
			priced.push({ candidate, what, prices: {} });
		}
	}
	if (failure && failures === candidates.length) throw failure;
	const total = ({ prices }: PricedCandidate) => numberOf(prices.total_price) ?? Infinity;
	return { priced: priced.sort((a, b) => compare(total(a), total(b))), tried };
}

/**
 * The price of a candidate for its purchase. Where it is limited, it is read again: since {@link priceEach}, others were priced and
 * tried, and waited for.
 * @throws where it cannot be read
 */
export async function priceAgain(
	context: ProductContext,
	input: OrderInput,
	{ candidate, prices }: PricedCandidate,
): ReturnType<Quote> {
	if (!isLimited(input.priceLimits)) return { prices };
	const result = await priceOne(context, input, candidate);
	if ('failure' in result) throw result.failure;
	return 'reason' in result ? { problem: { message: result.reason } } : result;
}

type Result = { prices: IDataObject } | { reason: string } | { failure: NodeApiError };

async function priceOne(
	context: ProductContext,
	input: OrderInput,
	{ hardwareId, gpusPerVm, locationId }: Candidate,
): Promise<Result> {
	const replicaCount = input.vmsQty ?? 1;
	const { durationHours } = input;
	const order = {
		hardwareId,
		gpus: gpusPerVm,
		locationIds: [locationId],
		durationHours,
		replicaCount,
	};
	try {
		const result = await beforeDeploy(
			context,
			'The price',
			async () => await priceWithin(context, input.priceLimits, order),
		);
		if ('problem' in result) return { reason: result.problem.message };
		const soldOut = shortage(result.answer, replicaCount);
		return soldOut === undefined ? { prices: result.prices } : { reason: soldOut };
	} catch (caught) {
		const failure = caught as NodeApiError;
		if (context.signal?.aborted) throw failure;
		return isAboutOffer(failure) && CAPACITY.test(failure.message)
			? { reason: failure.message }
			: { failure };
	}
}

/** Whether the service refused this request, rather than every one. */
function isAboutOffer({ httpCode }: NodeApiError): boolean {
	return /^4/.test(httpCode ?? '') && !['401', '403', '429'].includes(String(httpCode));
}

function describe({ offer, hardwareId, locationId }: Candidate): IDataObject {
	return {
		hardware_id: hardwareId,
		location: locationId,
		hardware_name: offer.name ?? null,
		offer_price: offer.price ?? null,
	};
}

/** Why the price answer says that nothing is free, if it does: `available_replica_count` is a list of numbers, one of which must be enough. */
function shortage(answer: IDataObject, replicas: number): string | undefined {
	const counts = answer.available_replica_count;
	if (!Array.isArray(counts) || counts.length === 0) return undefined;
	return counts.every((count) => (numberOf(count) ?? Infinity) < replicas)
		? 'sold out, according to its price'
		: undefined;
}

/** How the service says "sold out" is not shown, so its words decide; any other rejection would be that of the next offer, too. */
const CAPACITY =
	/sold.?out|capacity|not available|unavailable|no (free|available|matching)|out of stock|insufficient (gpu|hardware|resource|stock|worker|node)/i;

/** The words with which a rejection says that the offer is sold out, or undefined. */
export function capacityWords(reply: Reply): string | undefined {
	if (reply.kind !== 'answer') return undefined;
	const words = ownWords(reply.contentType, reply.text);
	return CAPACITY.test(words) ? words : undefined;
}
