import type { IDataObject } from 'n8n-workflow';
import { ADVICE, extended, extendIntent, priceIn, type ExtensionNote } from '../extension';
import { deploymentField, durationHoursField } from '../fields';
import { requireLimitByPerson } from '../agentLimit';
import { wasToldToEnd } from '../ownDeployments';
import { extendedBy, paidTimeOf } from '../paidTime';
import { sizeOf } from '../price';
import {
	checkPriceLimits,
	isLimited,
	safetyCollection,
	readPriceLimits,
	type PriceLimits,
} from '../priceLimits';
import { whatIsForCertain } from '../presence';
import { notFoundError, readReference, resolveDeployment, type Reference } from '../references';
import { inTurn, type Recent } from '../turns';
import { isRecord } from '../../shared/guards';
import { numberOf } from '../../shared/numbers';
import type { Id } from '../../shared/operation/parameters';
import type { Reply } from '../../shared/http/reply';
import { replyError, send } from '../../shared/http/request';
import { delay } from '../../shared/time';
import { againIfUnsent } from '../../shared/operation/againIfUnsent';
import { contextError, prerequisite } from '../../shared/operation/context';
import { isOwn, onProduct, ownerOf, type Product, type ProductContext } from '../product';
import {
	LOOK_PAUSES_MS,
	reconcileOthers,
	reconcileOwn,
	sendOnce,
} from '../../shared/operation/sendOnce';

interface Input {
	reference: Reference;
	durationHours: number;
	priceLimits: PriceLimits;
}

const DEADLINE_MS = 120_000;

/** Longer than n8n's longest series of retries: a call that comes later is one of its own. */
const RETRIES_MS = 300_000;

/**
 * The locations of a deployment as the price takes them.
 * @param locations those of its details, one at least
 */
export type PriceLocations = (
	context: ProductContext,
	hardwareId: Id,
	locations: IDataObject[],
) => Promise<Id[]>;

/** Deployment > Extend of a product. */
export const extend = (product: Product, priceLocations: PriceLocations) =>
	onProduct<Input>(product, {
		value: 'extend',
		name: 'Extend',
		action: `Extend ${product.deployment}`,
		description: 'Add hours to a running deployment. This spends money.',
		effect: 'write',
		identifyingKeys: ['deployment_id', 'added_hours'],
		fields: [
			deploymentField,
			{
				...durationHoursField,
				displayName: 'Additional Hours',
				description: 'How many whole hours to add to the remaining time',
				typeOptions: { minValue: 1, numberPrecision: 0 },
			},
			safetyCollection(product, 'Extend nothing'),
		],
		input: (parameters) => ({
			reference: readReference(parameters),
			durationHours: parameters.integer('durationHours', { min: 1 }),
			priceLimits: readPriceLimits(parameters),
		}),
		async run(context, input) {
			const noted = context.journal.intent() as Partial<ExtensionNote> | undefined;
			if (!noted) requireLimitByPerson(context, input.priceLimits);
			const deploymentId =
				noted?.deployment_id ??
				(await beforeExtension(
					context,
					'The deployment',
					async () => await resolveDeployment(context, input.reference),
				));
			return await inTurn(context, { id: deploymentId }, async (recent) => {
				const items = [await extendInTurn(context, input, deploymentId, recent, priceLocations)];
				// Before the next one begins: an agent's call with equal arguments shares the journal
				context.journal.done(items);
				return items;
			});
		},
	});

async function extendInTurn(
	context: ProductContext,
	input: Input,
	deploymentId: string,
	recent: Recent,
	priceLocations: PriceLocations,
): Promise<IDataObject> {
	const { durationHours } = input;
	const earlier = context.journal.intent();
	if (earlier?.settled && context.journal.ageMs() < RETRIES_MS)
		throw alreadyExtended(context, earlier.settled as ExtensionNote);
	const made =
		earlier && !earlier.settled
			? await reconcileOwn(context, extendIntent(context, earlier as ExtensionNote))
			: undefined;
	if (made) return made;
	await checkOthers(context, deploymentId);
	context.known.deployment_id = deploymentId;
	const details = await beforeExtension(
		context,
		'The deployment',
		async () => await extendable(context, deploymentId, isLimited(input.priceLimits)),
	);
	const result = await againIfUnsent(context, async () => {
		const prices = await beforeExtension(
			context,
			'The price',
			async () => await priceOfExtension(context, input, details, priceLocations),
		);
		return await sendExtension(context, recent, {
			...ownerOf(context),
			deployment_id: deploymentId,
			added_hours: durationHours,
			before: paidTimeOf(details, recent.paidTime),
			prices,
		});
	});
	if ('rejected' in result) throw replyError(context, result.rejected);
	return result.item;
}

/** Sends an extension whose price was checked just before. */
async function sendExtension(
	context: ProductContext,
	recent: Recent,
	note: ExtensionNote,
): Promise<{ item: IDataObject } | { rejected: Reply }> {
	const { deployment_id, added_hours: hours } = note;
	const known = recent.paidTime;
	recent.paidTime = extendedBy(note.before, hours, priceIn(note));
	const outcome = await sendOnce(
		context,
		extendIntent(context, note),
		async () =>
			await send(context, {
				method: 'POST',
				path: `${context.product.path}/deployment/{deployment_id}/extend`,
				params: { deployment_id },
				body: { duration_hours: hours },
				retry: 'never',
				deadlineMs: DEADLINE_MS,
			}),
	);
	if (outcome.state === 'rejected') {
		recent.paidTime = known;
		return { rejected: outcome.reply };
	}
	if (outcome.state === 'made') {
		recent.paidTime = paidTimeOf(outcome.item);
		return { item: outcome.item };
	}
	const item = {
		...(outcome.item ?? extended(context, note, {})),
		added_hours: null,
		requested_hours: hours,
		accepted: true,
		hint: [
			`The service accepted the extension, but ${outcome.problem}. ${ADVICE}`,
			outcome.item?.hint,
		]
			.filter(Boolean)
			.join(' '),
	};
	return { item };
}

/**
 * The details of a deployment that can be extended.
 * @throws for one that is over or was told to end, and where it is unknown
 */
async function extendable(
	context: ProductContext,
	deploymentId: string,
	needsSize: boolean,
	pausesMs = LOOK_PAUSES_MS,
): Promise<IDataObject> {
	if (wasToldToEnd(context, deploymentId))
		throw notExtended(context, deploymentId, 'was told to end');
	const present = await whatIsForCertain(context, deploymentId);
	const { state, details } = present;
	if (state === 'unreadable') throw present.error;
	const [pauseMs, ...pausesLeft] = pausesMs;
	// The details of a young one may not show yet, and they alone tell its size
	const isYoung =
		state === 'never seen'
			? present.hasList && present.isYoung
			: needsSize && details?.hardware_id === undefined;
	if (isYoung && pauseMs !== undefined && !context.signal?.aborted) {
		await delay(pauseMs, context.signal);
		return await extendable(context, deploymentId, needsSize, pausesLeft);
	}
	// The bare contract shows nothing of a deployment
	if (state === 'never seen' && !present.hasList) return {};
	if (state === 'never seen') throw await notFoundError(context, { id: deploymentId });
	if (details && state !== 'ended' && state !== 'ending') return details;
	throw notExtended(context, deploymentId, `is "${String(details?.status ?? 'gone')}"`);
}

function notExtended(context: ProductContext, deploymentId: string, why: string) {
	return contextError(context, {
		message: `Deployment ${deploymentId} ${why} and cannot be extended`,
		description: 'Deploy a new one.',
	});
}

async function beforeExtension<T>(
	context: ProductContext,
	what: string,
	read: () => Promise<T>,
): Promise<T> {
	return await prerequisite(context, what, 'Nothing was extended.', read);
}

/**
 * Finds out what became of other extensions of this deployment in this execution; a loop may keep its deployment so.
 * @throws while one is unknown, and where one was made, since this call may have been meant for it
 */
async function checkOthers(context: ProductContext, deploymentId: string): Promise<void> {
	const [other] = await reconcileOthers(context, (noted) =>
		isOwn(context, noted) && noted.deployment_id === deploymentId
			? extendIntent(context, noted as ExtensionNote)
			: undefined,
	);
	if (!other) return;
	const note = other.intent.note as ExtensionNote;
	// Retry On Fail is no order to add more
	if (context.functions.getNode().retryOnFail) context.journal.note({ settled: note });
	throw alreadyExtended(context, note);
}

function alreadyExtended(context: ProductContext, { deployment_id, added_hours }: ExtensionNote) {
	return contextError(
		context,
		{
			message: `An earlier extension of ${deployment_id} by ${added_hours} hours was made. Nothing was added now: execute the workflow again to add more`,
		},
		{ deployment_id, added_hours },
	);
}

async function priceOfExtension(
	context: ProductContext,
	{ priceLimits, durationHours }: Input,
	details: IDataObject,
	priceLocations: PriceLocations,
): Promise<IDataObject> {
	if (!isLimited(priceLimits)) return {};
	const hardwareId = hardwareIn(details);
	const size = sizeOf(context.product, details);
	const shown: unknown[] = Array.isArray(details.locations) ? details.locations : [];
	const locations = shown
		.map((one) => (typeof one === 'string' || typeof one === 'number' ? { id: one } : one))
		.filter(isRecord) as IDataObject[];
	if (hardwareId === undefined || !size || locations.length === 0) {
		throw contextError(context, {
			message: `The price limit cannot be checked: the details of the deployment do not show its hardware, its location, or how many ${context.product.workers} and GPUs it has`,
			description: 'Remove the price limit to extend it without this check.',
		});
	}
	return await checkPriceLimits(context, priceLimits, {
		hardwareId,
		gpus: size.gpus,
		durationHours,
		locationIds: await priceLocations(context, hardwareId, locations),
		replicaCount: size.workers,
	});
}

/** The hardware of a deployment as the price takes it: some details have the ID of an offer, `12__US` for 12 (beyond-the-spec.md section 1). */
function hardwareIn({ hardware_id: shown }: IDataObject): Id | undefined {
	if (typeof shown !== 'string') return typeof shown === 'number' ? shown : undefined;
	const [, hardware] = /^(.+)__[^_]+$/.exec(shown) ?? [];
	return hardware === undefined ? shown : (numberOf(hardware) ?? hardware);
}
