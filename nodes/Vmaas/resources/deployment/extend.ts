import type { IDataObject } from 'n8n-workflow';
import { described, getDeployment, unwrapped } from '../../../marketplace/deployments';
import { deploymentField, durationHoursField } from '../../../marketplace/fields';
import { listOffers, offersOf } from '../../../marketplace/offers';
import { VMAAS } from '../../../marketplace/paths';
import {
	checkPriceLimits,
	priceLimitFields,
	readPriceLimits,
	type PriceLimits,
} from '../../../marketplace/priceLimits';
import { readReference, resolveDeployment, type Reference } from '../../../marketplace/references';
import { collectionField } from '../../../shared/fields';
import { isRecord } from '../../../shared/guards';
import { replyError, send } from '../../../shared/http/request';
import type { Reply } from '../../../shared/http/reply';
import { parseJson } from '../../../shared/json';
import { numberOf } from '../../../shared/numbers';
import { contextError, prerequisite } from '../../../shared/operation/context';
import type { OperationContext } from '../../../shared/operation/context';
import type { Operation } from '../../../shared/operation/operation';
import type { Id } from '../../../shared/operation/parameters';
import {
	isConfirmed,
	NOT_SENT_AGAIN,
	reconcile,
	reconcileOthers,
	sendOnce,
	type Evidence,
	type Intent,
} from '../../../shared/operation/sendOnce';

interface Input {
	reference: Reference;
	durationHours: number;
	priceLimits: PriceLimits;
}

/** What is compared before and after, since a lost answer leaves no other trace. */
interface PaidTime extends IDataObject {
	/** Minutes served and remaining, together: they change only by an extension. */
	minutes: number | null;
	paid: number | null;
}

/** What is noted before an extension is sent, by the names of the output. */
interface Note extends IDataObject {
	deployment_id: string;
	added_hours: number;
	before: PaidTime;
	prices: IDataObject;
}

const DEADLINE_MS = 120_000;

/** Served and remaining minutes are whole numbers of their own, so their sum may be off by their rounding. */
const ROUNDING_MINUTES = 2;

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
		const { reference, durationHours } = input;
		const earlier = context.journal.intent();
		if (earlier?.settled && context.journal.ageMs() < RETRIES_MS)
			throw alreadyExtended(context, earlier.settled as Note);
		if (earlier && !earlier.settled)
			return [await reconcile(context, extendIntent(context, earlier as Note))];
		const deploymentId = await beforeExtension(
			context,
			'The deployment',
			async () => await resolveDeployment(context, reference),
		);
		await checkOthers(context, deploymentId);
		context.known.deployment_id = deploymentId;
		const details = await beforeExtension(
			context,
			'The deployment',
			async () => await getDeployment(context, deploymentId),
		);
		const prices = await beforeExtension(
			context,
			'The price',
			async () => await priceOfExtension(context, input, details),
		);
		const note: Note = {
			deployment_id: deploymentId,
			added_hours: durationHours,
			before: paidTimeOf(details),
			prices,
		};
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
		if (outcome.state === 'rejected') throw replyError(context, outcome.reply);
		if (outcome.state === 'made') return [outcome.item];
		const hint = `The service confirmed the extension, but ${outcome.problem}. ${ADVICE}`;
		return [{ ...(outcome.item ?? extended(note, {})), hint }];
	},
};

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
	const hardwareId = details.hardware_id as Id | undefined;
	const gpusPerVm = numberOf(details.gpus_per_vm);
	const [location] = Array.isArray(details.locations) ? details.locations.filter(isRecord) : [];
	if (hardwareId === undefined || !Number.isInteger(gpusPerVm) || !location) {
		throw contextError(context, {
			message:
				'The price limit cannot be checked: the details of the deployment have no hardware, GPU count or location',
			description: 'Remove the price limit to extend it without this check.',
		});
	}
	const offers = offersOf(
		await context.once('offers', async () => await listOffers(context)),
		hardwareId,
	);
	// The details do not say which of these is the code that the price takes
	const codes = [location.iso2, location.id, location.name]
		.filter((code) => code !== undefined && code !== null)
		.map(String);
	const locationId =
		codes.find((code) => offers.some((offer) => String(offer.location) === code)) ?? codes[0] ?? '';
	return await checkPriceLimits(context, priceLimits, {
		hardwareId,
		gpusPerVm: gpusPerVm!,
		durationHours,
		locationId,
		replicaCount: numberOf(details.total_vms) || 1,
	});
}

function extendIntent(context: OperationContext, note: Note): Intent {
	const { deployment_id, added_hours } = note;
	return {
		what: `Extension of ${deployment_id} by ${added_hours} hours`,
		note,
		facts: { deployment_id },
		// Any other 2xx is looked up, too: the page of a proxy is one, and hours that were not added end a job
		isYes: isConfirmed,
		proof: (reply) => {
			const said = isConfirmed(reply) ? saidOf(reply) : {};
			return 'compute_minutes_remaining' in said ? extended(note, said) : undefined;
		},
		evidence: {
			source: 'its details',
			look: async () => evidenceOf(note, await getDeployment(context, deployment_id)),
		},
		warning: 'Do not extend it again before you have checked its remaining time (Deployment > Get)',
		advice: `${ADVICE} ${NOT_SENT_AGAIN}`,
		cancelled: `Cancelled while an extension by ${added_hours} hours was under way: it may have been made.`,
	};
}

/** The answer to an extension holds the details (beyond-the-spec.md section 1 "Extend"). */
function saidOf(reply: Reply): IDataObject {
	const answer = reply.kind === 'answer' ? parseJson(reply.text) : undefined;
	return isRecord(answer) ? unwrapped(answer as IDataObject) : {};
}

function extended({ deployment_id, added_hours, prices }: Note, details: IDataObject): IDataObject {
	return { ...described({ ...details, deployment_id }), added_hours, ...prices };
}

/** Whether the details show the extension; unknown where they told no time both before and after. */
function evidenceOf(note: Note, details: IDataObject): Evidence {
	const [before, after] = [note.before, paidTimeOf(details)];
	let isExtended: boolean;
	if (before.minutes !== null && after.minutes !== null)
		isExtended = after.minutes - before.minutes >= note.added_hours * 60 - ROUNDING_MINUTES;
	else if (before.paid !== null && after.paid !== null) isExtended = after.paid > before.paid;
	else
		return {
			state: 'unknown',
			problem: 'its details do not tell its time',
			item: extended(note, details),
		};
	const item = extended(note, details);
	return isExtended
		? { state: 'made', item }
		: { state: 'absent', problem: 'the deployment shows no change', item };
}

function paidTimeOf(details: IDataObject): PaidTime {
	const served = numberOf(details.compute_minutes_served);
	const remaining = numberOf(details.compute_minutes_remaining);
	return {
		minutes: served === undefined || remaining === undefined ? null : served + remaining,
		paid: numberOf(details.amount_paid) ?? null,
	};
}
