import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { ownWords } from '../../../shared/http/errors';
import type { Operation } from '../../../shared/operation/operation';
import { replyError, type QueryValue } from '../../../shared/http/request';
import type { Id } from '../../../shared/operation/parameters';
import { priceWithin, type Priced } from '../../../marketplace/priceLimits';
import { beginDeploy, bodyOf, extrasOf } from './deploy';
import {
	commonFields,
	nameField,
	readDeployForm,
	type DeployInput,
	type Safety,
} from './orderFields';
import { gpusPerVmField } from '../../../marketplace/fields';
import { filtersField, readFilters } from '../hardware';
import { hourlyPrice, isAvailable, listOffers, type Offer } from '../../../marketplace/offers';
import { GPUS, readGpus } from '../price';
import { beforeDeploy, buy } from '../../../marketplace/purchase';
import { type OperationContext, contextError, withKnown } from '../../../shared/operation/context';
import type { Reply } from '../../../shared/http/reply';

interface Input extends DeployInput {
	query: Record<string, QueryValue | undefined>;
	gpusPerVm?: number;
	maxTries: number;
}

type Candidate = Offer & { deploy_id: Id; num_cards: number; location: string };

export const deployCheapest: Operation<Input> = {
	value: 'deployCheapest',
	name: 'Deploy Cheapest',
	action: 'Deploy the cheapest GPU cluster',
	description:
		'Rent the cheapest available GPU machine that passes the filters; when it is sold out, the next one. This spends money; the first hour is never refunded.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'resource_private_name'],
	fields: [
		nameField,
		filtersField,
		{
			...gpusPerVmField,
			description: 'Only machines with this number of GPUs, 1 to 8. 0 takes any number.',
		},
		{
			displayName: 'Max Tries',
			name: 'maxTries',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
			default: 3,
			description: 'How many offers to try at most when one is sold out or above a price limit',
		},
		...commonFields,
	],
	input(parameters) {
		parameters.requireFilled('gpusPerVm', 'must not be empty; 0 takes any number');
		return {
			...readDeployForm(parameters),
			query: readFilters(parameters, true),
			gpusPerVm: readGpus(parameters),
			maxTries: parameters.integer('maxTries', { min: 1, max: 20 }),
		};
	},
	async run(context, input) {
		const begun = await beginDeploy(context, input);
		if ('done' in begun) return [begun.done];
		const { name, knownIds } = begun;
		const offers = await beforeDeploy(
			context,
			'The hardware list',
			async () => await listOffers(context, input.query),
		);
		const candidates = rank(offers, input.gpusPerVm).slice(0, input.maxTries);
		if (candidates.length === 0) {
			throw contextError(
				context,
				{
					message: 'No available offer passes the filters',
					description:
						'Widen the filters or the GPU count, or try again later. Nothing was deployed.',
				},
				{ resource_private_name: name },
			);
		}
		return [await tryEach(context, input, name, candidates, knownIds)];
	},
};

async function tryEach(
	context: OperationContext,
	input: Input,
	name: string,
	candidates: Candidate[],
	knownIds: string[] | undefined,
): Promise<IDataObject> {
	const tried: IDataObject[] = [];
	for (const offer of candidates) {
		const order = {
			...input,
			hardwareId: offer.deploy_id,
			gpusPerVm: offer.num_cards,
			placement: { locationId: offer.location },
		};
		const what = {
			hardware_id: offer.deploy_id,
			location: offer.location,
			hardware_name: offer.name ?? null,
			offer_price: offer.price ?? null,
		};
		const query = { ...order, locationId: offer.location, replicaCount: input.vmsQty ?? 1 };
		const priced = await beforeDeploy(
			context,
			'The price',
			async () => await priceWithin(context, input.safety, query),
		).catch((error: NodeApiError) => unpriced(context, input.safety, error));
		const hindrance =
			'problem' in priced ? priced.problem.message : shortage(priced.answer, input.vmsQty ?? 1);
		if ('problem' in priced || hindrance !== undefined) {
			tried.push({ ...what, reason: hindrance ?? null });
			continue;
		}
		const body = bodyOf(order, name);
		if (input.safety.dryRun)
			return {
				dry_run: true,
				resource_private_name: name,
				...what,
				...priced.prices,
				request: body,
				tried,
			};
		const extras = { ...extrasOf(order, priced.prices), ...what };
		const result = await buy(context, { name, body, extras: { ...extras, tried } }, knownIds);
		if ('bought' in result) return result.bought;
		const reason = capacityWords(result.refused);
		if (reason === undefined)
			throw withKnown(replyError(context, result.refused), { resource_private_name: name, tried });
		tried.push({ ...what, reason });
	}
	throw contextError(
		context,
		{
			message: `None of the ${tried.length} cheapest offers could be deployed`,
			description: `${tried.map((one) => `${String(one.hardware_id)} in ${String(one.location)}: ${String(one.reason)}`).join('\n')}\nNothing was deployed.`,
		},
		{ resource_private_name: name, tried },
	);
}

/** An offer without a price: sold out, or one that nobody needs the price of; every other failure would be that of the next offer, too. */
function unpriced(
	context: OperationContext,
	{ maxPrice, maxHourlyPrice, dryRun }: Safety,
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
				(Number(b.vram_per_card) || 0) * b.num_cards -
					(Number(a.vram_per_card) || 0) * a.num_cards ||
				a.location.localeCompare(b.location),
		);
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

/** Why the price answer says that there is no machine, if it does: `available_replica_count` is a list of numbers, one of which must be enough. */
function shortage(answer: IDataObject, replicas: number): string | undefined {
	const counts = answer.available_replica_count;
	if (!Array.isArray(counts) || counts.length === 0) return undefined;
	return counts.every((count) => typeof count === 'number' && count < replicas)
		? 'sold out, says its price'
		: undefined;
}

/** How the service says "sold out" is not shown, so its words decide; every other refusal would be refused for the next offer too. */
const CAPACITY =
	/sold.?out|capacity|not available|unavailable|no (free|available|matching)|out of stock|insufficient (gpu|hardware|resource|stock|worker|node)/i;

function capacityWords(reply: Reply): string | undefined {
	if (reply.kind !== 'answer') return undefined;
	const words = ownWords(reply.contentType, reply.text);
	return CAPACITY.test(words) ? words : undefined;
}
