import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { requireLimitByPerson } from '../../../marketplace/agentLimit';
import { gpusPerVmField } from '../../../marketplace/fields';
import { hourlyPrice, isAvailable, listOffers, type Offer } from '../../../marketplace/offers';
import { GPUS, readGpus } from '../../../marketplace/price';
import { priceWithin, type Priced } from '../../../marketplace/priceLimits';
import {
	beforeDeploy,
	boughtBefore,
	buy,
	purchase,
	type Purchase,
} from '../../../marketplace/purchase';
import { ownWords } from '../../../shared/http/errors';
import type { Reply } from '../../../shared/http/reply';
import { replyError, type QueryValue } from '../../../shared/http/request';
import { numberOf } from '../../../shared/numbers';
import { contextError, withKnown, type OperationContext } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import type { Id } from '../../../shared/operation/parameters';
import { filtersField, readFilters } from '../hardware';
import { bodyOf, commonFields, extrasOf, nameField, readOrder, type OrderInput } from './order';

interface Input extends OrderInput {
	query: Record<string, QueryValue | undefined>;
	gpusPerVm?: number;
	maxTries: number;
}

type Candidate = Offer & { deploy_id: Id; num_cards: number; location: string };

export const deployCheapest: Operation<Input> = {
	value: 'deployCheapest',
	name: 'Deploy Cheapest',
	action: 'Deploy the cheapest VMs',
	description:
		'Rent the cheapest available GPUs that pass the filters; if they are sold out, the next offer. This spends money; the first hour is never refunded.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'resource_private_name'],
	fields: [
		nameField,
		filtersField,
		{
			...gpusPerVmField,
			description: 'Only offers with this number of GPUs per VM, 1 to 8. 0 accepts any number.',
		},
		{
			displayName: 'Max Tries',
			name: 'maxTries',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
			default: 3,
			description: 'How many offers to try if one is sold out or above a price limit',
		},
		...commonFields,
	],
	input(parameters) {
		parameters.requireFilled('gpusPerVm', 'must not be empty; 0 accepts any number');
		return {
			...readOrder(parameters),
			query: readFilters(parameters, true),
			gpusPerVm: readGpus(parameters),
			maxTries: parameters.integer('maxTries', { min: 1, max: 20 }),
		};
	},
	again: boughtBefore,
	async run(context, input) {
		const rules = { ...input.nameRules, gpusPerVm: input.gpusPerVm };
		if (!rules.dryRun) requireLimitByPerson(context, input.priceLimits);
		return [
			await purchase(context, rules, async (begun) => {
				const offers = await beforeDeploy(
					context,
					'The hardware list',
					async () => await listOffers(context, input.query),
				);
				const candidates = rank(offers, input.gpusPerVm).slice(0, input.maxTries);
				if (candidates.length > 0) return await tryEach(context, input, begun, candidates);
				throw contextError(context, {
					message: 'No available offer passes the filters',
					description:
						'Widen the filters or the GPU count, or try again later. Nothing was deployed.',
				});
			}),
		];
	},
};

async function tryEach(
	context: OperationContext,
	input: Input,
	purchase: Purchase,
	candidates: Candidate[],
): Promise<IDataObject> {
	const tried: IDataObject[] = [];
	for (const offer of candidates) {
		const { location: locationId } = offer;
		const order = {
			...input,
			hardwareId: offer.deploy_id,
			gpusPerVm: offer.num_cards,
			placement: { locationId },
		};
		const what = {
			hardware_id: offer.deploy_id,
			location: locationId,
			hardware_name: offer.name ?? null,
			offer_price: offer.price ?? null,
		};
		const query = { ...order, locationId, replicaCount: input.vmsQty ?? 1 };
		const priced = await beforeDeploy(
			context,
			'The price',
			async () => await priceWithin(context, input.priceLimits, query),
		).catch((error: NodeApiError) => unpriced(context, input, error));
		const reason =
			'problem' in priced ? priced.problem.message : shortage(priced.answer, query.replicaCount);
		if ('problem' in priced || reason !== undefined) {
			tried.push({ ...what, reason: reason ?? null });
			continue;
		}
		const { name } = purchase;
		const body = bodyOf(order, name);
		if (input.nameRules.dryRun)
			return {
				dry_run: true,
				resource_private_name: name,
				...what,
				...priced.prices,
				request: body,
				tried,
			};
		const extras = { ...extrasOf(order, priced.prices), ...what, tried };
		const result = await buy(context, purchase, body, extras);
		if ('bought' in result) return result.bought;
		const soldOut = capacityWords(result.rejected);
		if (soldOut === undefined) throw withKnown(replyError(context, result.rejected), { tried });
		tried.push({ ...what, reason: soldOut });
	}
	throw contextError(
		context,
		{
			message: `None of the ${tried.length} cheapest offers could be deployed`,
			description: `${tried.map((one) => `${String(one.hardware_id)} in ${String(one.location)}: ${String(one.reason)}`).join('\n')}\nNothing was deployed.`,
		},
		{ tried },
	);
}

/** An offer without a price: sold out, or one whose price nobody needs; any other failure would be that of the next offer, too. */
function unpriced(
	context: OperationContext,
	{ priceLimits: { maxPrice, maxHourlyPrice }, nameRules: { dryRun } }: Input,
	error: NodeApiError,
): Priced {
	if (error.httpCode?.startsWith('4') && CAPACITY.test(error.message))
		return { problem: { message: error.message } };
	if (maxPrice !== undefined || maxHourlyPrice !== undefined || dryRun || context.signal?.aborted)
		throw error;
	return { prices: {}, answer: {} };
}

/** What is available, cheapest first; of equal prices more GPU memory first, then by location, so that the order is always the same. */
function rank(offers: Offer[], gpus: number | undefined): Candidate[] {
	return offers
		.filter(
			(offer): offer is Candidate =>
				isCandidate(offer) && (gpus === undefined || offer.num_cards === gpus),
		)
		.sort(
			(a, b) =>
				hourlyPrice(a) - hourlyPrice(b) ||
				memoryOf(b) - memoryOf(a) ||
				a.location.localeCompare(b.location),
		);
}

function memoryOf({ vram_per_card: perCard, num_cards: cards }: Candidate): number {
	return (numberOf(perCard) ?? 0) * cards;
}

function isCandidate(offer: Offer): boolean {
	const hasCards =
		Number.isInteger(offer.num_cards) &&
		offer.num_cards! >= GPUS.min &&
		offer.num_cards! <= GPUS.max;
	return (
		isAvailable(offer) &&
		Number.isFinite(hourlyPrice(offer)) &&
		offer.deploy_id !== undefined &&
		typeof offer.location === 'string' &&
		hasCards
	);
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

function capacityWords(reply: Reply): string | undefined {
	if (reply.kind !== 'answer') return undefined;
	const words = ownWords(reply.contentType, reply.text);
	return CAPACITY.test(words) ? words : undefined;
}
