import type { IDataObject } from 'n8n-workflow';
import { contentOf, described, getDeployment } from '../../../marketplace/deployments';
import { deploymentField, durationHoursField } from '../../../marketplace/fields';
import { listOffers, offersOf } from '../../../marketplace/offers';
import { requireLimitByPerson } from '../../../marketplace/agentLimit';
import { extendedBy, growthOf, paidTimeOf, type PaidTime } from '../../../marketplace/paidTime';
import { VMAAS } from '../../../marketplace/paths';
import { sizeOf } from '../../../marketplace/price';
import {
	checkPriceLimits,
	isLimited,
	priceLimitFields,
	readPriceLimits,
	type PriceLimits,
} from '../../../marketplace/priceLimits';
import { whatIsForCertain } from '../../../marketplace/presence';
import {
	notFoundError,
	readReference,
	resolveDeployment,
	type Reference,
} from '../../../marketplace/references';
import { inTurn, type Recent } from '../../../marketplace/turns';
import { collectionField } from '../../../shared/fields';
import { isRecord } from '../../../shared/guards';
import { replyError, send } from '../../../shared/http/request';
import { numberOf } from '../../../shared/numbers';
import { delay } from '../../../shared/time';
import { contextError, prerequisite } from '../../../shared/operation/context';
import type { OperationContext } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import {
	isConfirmed,
	LOOK_PAUSES_MS,
	NOT_SENT_AGAIN,
	reconcileOthers,
	reconcileOwn,
	sendOnce,
	type Evidence,
	type Intent,
} from '../../../shared/operation/sendOnce';

interface Input {
	reference: Reference;
	durationHours: number;
	priceLimits: PriceLimits;
}

/** What is noted before an extension is sent, by the names of the output. */
interface Note extends IDataObject {
	deployment_id: string;
	added_hours: number;
	before: PaidTime;
	prices: IDataObject;
}

const DEADLINE_MS = 120_000;

/** Longer than n8n's longest series of retries: a call that comes later is one of its own. */
const RETRIES_MS = 300_000;

const ADVICE =
	'Check the remaining time of the deployment (Deployment > Get) before you extend it again.';

export const extend: Operation<Input> = {
	value: 'extend',
	name: 'Extend',
	action: 'Extend a deployment',
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
		collectionField('safety', 'Safety', 'Add Price Limit', priceLimitFields('Extend nothing')),
	],
	input: (parameters) => ({
		reference: readReference(parameters),
		durationHours: parameters.integer('durationHours', { min: 1 }),
		priceLimits: readPriceLimits(parameters),
	}),
	async run(context, input) {
		const noted = context.journal.intent() as Partial<Note> | undefined;
		if (!noted) requireLimitByPerson(context, input.priceLimits);
		const deploymentId =
			noted?.deployment_id ??
			(await beforeExtension(
				context,
				'The deployment',
				async () => await resolveDeployment(context, input.reference),
			));
		return await inTurn(context, { id: deploymentId }, async (recent) => {
			const items = [await extendInTurn(context, input, deploymentId, recent)];
			// Before the next one begins: an agent's call with equal arguments shares the journal
			context.journal.done(items);
			return items;
		});
	},
};

async function extendInTurn(
	context: OperationContext,
	input: Input,
	deploymentId: string,
	recent: Recent,
): Promise<IDataObject> {
	const { durationHours } = input;
	const earlier = context.journal.intent();
	if (earlier?.settled && context.journal.ageMs() < RETRIES_MS)
		throw alreadyExtended(context, earlier.settled as Note);
	const made =
		earlier && !earlier.settled
			? await reconcileOwn(context, extendIntent(context, earlier as Note))
			: undefined;
	if (made) return made;
	await checkOthers(context, deploymentId);
	context.known.deployment_id = deploymentId;
	const details = await beforeExtension(
		context,
		'The deployment',
		async () => await extendable(context, deploymentId, isLimited(input.priceLimits)),
	);
	const prices = await beforeExtension(
		context,
		'The price',
		async () => await priceOfExtension(context, input, details),
	);
	const note: Note = {
		deployment_id: deploymentId,
		added_hours: durationHours,
		before: paidTimeOf(details, recent.paidTime),
		prices,
	};
	const known = recent.paidTime;
	recent.paidTime = extendedBy(note.before, durationHours, priceIn(note));
	const outcome = await sendOnce(
		context,
		extendIntent(context, note),
		async () =>
			await send(context, {
				method: 'POST',
				path: `${VMAAS}/deployment/{deployment_id}/extend`,
				params: { deployment_id: deploymentId },
				body: { duration_hours: durationHours },
				retry: 'ifUnsent',
				deadlineMs: DEADLINE_MS,
			}),
	);
	if (outcome.state === 'rejected') {
		recent.paidTime = known;
		throw replyError(context, outcome.reply);
	}
	if (outcome.state === 'made') {
		recent.paidTime = paidTimeOf(outcome.item);
		return outcome.item;
	}
	return {
		...(outcome.item ?? extended(note, {})),
		added_hours: null,
		requested_hours: durationHours,
		accepted: true,
		hint: `The service accepted the extension, but ${outcome.problem}. ${ADVICE}`,
	};
}

/**
 * The details of a deployment that can be extended.
 * @throws for one that is over, and where it is unknown
 */
async function extendable(
	context: OperationContext,
	deploymentId: string,
	needsSize: boolean,
	pausesMs = LOOK_PAUSES_MS,
): Promise<IDataObject> {
	const present = await whatIsForCertain(context, deploymentId);
	const { state, details } = present;
	if (state === 'unreadable') throw present.error;
	const [pauseMs, ...pausesLeft] = pausesMs;
	// The details of a young one may not show yet, and they alone tell its size
	const isYoung =
		state === 'never seen' ? present.mayShow : needsSize && details?.hardware_id === undefined;
	if (isYoung && pauseMs !== undefined && !context.signal?.aborted) {
		await delay(pauseMs, context.signal);
		return await extendable(context, deploymentId, needsSize, pausesLeft);
	}
	// The bare contract shows nothing of a deployment
	if (state === 'never seen' && !present.hasList) return {};
	if (state === 'never seen') throw await notFoundError(context, { id: deploymentId });
	if (details && state !== 'ended' && state !== 'ending') return details;
	throw contextError(context, {
		message: `Deployment ${deploymentId} is "${String(details?.status ?? 'gone')}" and cannot be extended`,
		description: 'Deploy a new one.',
	});
}

async function beforeExtension<T>(
	context: OperationContext,
	what: string,
	read: () => Promise<T>,
): Promise<T> {
	return await prerequisite(context, what, 'Nothing was extended.', read);
}

/**
 * Finds out what became of other extensions of this deployment in this execution; a loop may keep its deployment so.
 * @throws while one is unknown, and where one was made, since this call may have been meant for it
 */
async function checkOthers(context: OperationContext, deploymentId: string): Promise<void> {
	const [other] = await reconcileOthers(context, (noted) =>
		noted.deployment_id === deploymentId ? extendIntent(context, noted as Note) : undefined,
	);
	if (!other) return;
	const note = other.intent.note as Note;
	// Retry On Fail is no order to add more
	if (context.functions.getNode().retryOnFail) context.journal.note({ settled: note });
	throw alreadyExtended(context, note);
}

function alreadyExtended(context: OperationContext, { deployment_id, added_hours }: Note) {
	return contextError(
		context,
		{
			message: `An earlier extension of ${deployment_id} by ${added_hours} hours was made. Nothing was added now: execute the workflow again to add more`,
		},
		{ deployment_id, added_hours },
	);
}

async function priceOfExtension(
	context: OperationContext,
	{ priceLimits, durationHours }: Input,
	details: IDataObject,
): Promise<IDataObject> {
	if (priceLimits.maxPrice === undefined && priceLimits.maxHourlyPrice === undefined) return {};
	const { hardware_id: hardwareId } = details;
	const size = sizeOf(details);
	const [location] = Array.isArray(details.locations) ? details.locations.filter(isRecord) : [];
	if ((typeof hardwareId !== 'string' && typeof hardwareId !== 'number') || !size || !location) {
		throw contextError(context, {
			message:
				'The price limit cannot be checked: the details of the deployment do not show its hardware, its location, or how many VMs and GPUs it has',
			description: 'Remove the price limit to extend it without this check.',
		});
	}
	const offers = offersOf(
		await context.once('offers', async () => await listOffers(context)),
		hardwareId,
	);
	// The details do not say which of these is the code that the price takes
	const codes = [location.id, location.iso2, location.name]
		.filter((code) => code !== undefined && code !== null)
		.map(String);
	const locationId =
		codes.find((code) => offers.some((offer) => String(offer.location) === code)) ?? codes[0] ?? '';
	return await checkPriceLimits(context, priceLimits, {
		hardwareId,
		gpusPerVm: size.gpusPerVm,
		durationHours,
		locationId,
		replicaCount: size.vms,
	});
}

function extendIntent(context: OperationContext, note: Note): Intent {
	const { deployment_id, added_hours } = note;
	return {
		what: `Extension of ${deployment_id} by ${added_hours} hours`,
		note,
		facts: { deployment_id },
		proof: (reply) => {
			// It holds the details (beyond-the-spec.md section 1 "Extend")
			const evidence = isConfirmed(reply) ? evidenceOf(note, contentOf(reply), true) : undefined;
			return evidence?.state === 'made' ? evidence.item : undefined;
		},
		evidence: {
			source: 'its details',
			look: async () => evidenceOf(note, await getDeployment(context, deployment_id), false),
		},
		warning: 'Do not extend it again before you have checked its remaining time (Deployment > Get)',
		advice: `${ADVICE} ${NOT_SENT_AGAIN}`,
		cancelled: `Cancelled while an extension by ${added_hours} hours was under way: it may have been made.`,
	};
}

function priceIn({ prices }: Note): number | undefined {
	return numberOf(prices.total_price);
}

function extended({ deployment_id, added_hours, prices }: Note, details: IDataObject): IDataObject {
	return { ...described({ ...details, deployment_id }), added_hours, ...prices };
}

/**
 * Whether the details show the extension.
 * @param isAnswer whether they are the answer to it
 */
function evidenceOf(note: Note, details: IDataObject, isAnswer: boolean): Evidence {
	return {
		...growthOf(note.before, details, { hours: note.added_hours, price: priceIn(note), isAnswer }),
		item: extended(note, details),
	};
}
