import type { IDataObject } from 'n8n-workflow';
import { collectionField } from '../../../shared/fields';
import { parseJson } from '../../../shared/json';
import type { Operation } from '../../../shared/operation/operation';
import {
	describeCause,
	ASSUME_ABSENT_AFTER_MS,
	NOT_SENT_AGAIN,
	RECONCILE_DELAYS_MS,
	isConfirmed,
	isRejected,
} from '../../../shared/operation/outcome';
import { replyError, send } from '../../../shared/http/request';
import { delay } from '../../../shared/time';
import { type Id } from '../../../shared/operation/parameters';
import {
	checkPriceLimits,
	priceLimitFields,
	readPriceLimits,
	type PriceLimits,
} from '../../../marketplace/priceLimits';
import { described, getDeployment, unwrapped } from '../../../marketplace/deployments';
import { deploymentIdField, durationHoursField } from '../../../marketplace/fields';
import { listOffers, offersOf } from '../../../marketplace/offers';
import { VMAAS } from '../../../marketplace/paths';
import { CONFIRM_DELAYS_MS } from '../../../marketplace/purchase';
import { isRecord } from '../../../shared/guards';
import {
	type OperationContext,
	contextError,
	prerequisite,
} from '../../../shared/operation/context';
import type { Reply } from '../../../shared/http/reply';

interface Input {
	deploymentId: string;
	durationHours: number;
	caps: PriceLimits;
}

/** What is compared before and after, since a lost answer leaves no other trace. */
interface Measure extends IDataObject {
	/** Served and remaining minutes: they change only by an extension. */
	minutes: number | null;
	paid: number | null;
}

/** What is noted before an extension is sent, by the names of the output. */
interface Note extends IDataObject {
	deployment_id: string;
	added_hours: number;
	before: Measure;
	prices: IDataObject;
}

/** Served and remaining minutes are whole numbers of their own, so their sum may be off by their rounding. */
const ROUNDING_MINUTES = 2;

/** Longer than n8n's longest run of retries: a call that comes later is one of its own. */
const RETRIES_MS = 300_000;

const LOOK =
	'Look at the remaining time of the deployment (Deployment > Get) before you extend it again.';

export const extend: Operation<Input> = {
	value: 'extend',
	name: 'Extend',
	action: 'Extend a deployment',
	description: 'Add hours to a running deployment. This spends money.',
	effect: 'write',
	identifyingKeys: ['deployment_id', 'added_hours'],
	fields: [
		deploymentIdField,
		{
			...durationHoursField,
			displayName: 'Additional Hours',
			description: 'How many whole hours to add to the time that is left',
			typeOptions: { minValue: 1, numberPrecision: 0 },
		},
		collectionField('safety', 'Safety', 'Add Safety Rule', priceLimitFields('Extend nothing')),
	],
	input: (parameters) => ({
		deploymentId: parameters.pathId('deploymentId'),
		durationHours: parameters.integer('durationHours', { min: 1 }),
		caps: readPriceLimits(parameters),
	}),
	async run(context, input) {
		const { deploymentId, durationHours } = input;
		const open = context.journal.intent();
		if (open?.settled && context.journal.ageMs() < RETRIES_MS)
			throw settledError(context, open.settled as Note);
		if (open && !open.settled) return [await findLost(context, open as Note, undefined)];
		await settleOthers(context, deploymentId);
		const known = { deployment_id: deploymentId };
		Object.assign(context.known, known);
		const details = await beforeExtension(
			context,
			'The deployment',
			async () => await getDeployment(context, deploymentId),
		);
		const prices = await beforeExtension(
			context,
			'The price',
			async () => await capExtension(context, input, details),
		);
		const note: Note = { ...known, added_hours: durationHours, before: measure(details), prices };
		context.journal.note(note);
		const reply = await send(context, {
			method: 'POST',
			path: `${VMAAS}/deployment/{deployment_id}/extend`,
			params: known,
			body: { duration_hours: durationHours },
			retry: 'ifUnsent',
			deadlineMs: 120_000,
		});
		if (isConfirmed(reply)) return [await confirmed(context, note, reply)];
		// Also any other 2xx is looked after: a proxy's welcome page is one, and hours that were not added end a job
		if (!isRejected(reply)) return [await findLost(context, note, reply)];
		context.journal.clear();
		throw replyError(context, reply);
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
 * Looks for what other calls of this execution have sent for this deployment: it may not show yet, and an AI agent repeats a call
 * that failed. Throws while that outcome is unknown, for a quarter of an hour: a loop may keep its machine so. Throws also when it was
 * made, since this call may have been meant for it.
 */
async function settleOthers(context: OperationContext, deploymentId: string): Promise<void> {
	for (const other of context.journal.others()) {
		const note = other.intent() as Note;
		if (note.deployment_id !== deploymentId) continue;
		const { isExtended } =
			other.ageMs() > ASSUME_ABSENT_AFTER_MS ? await lookUp(context, note, []) : {};
		if (isExtended === false) {
			other.clear();
			continue;
		}
		other.done([await findLost(context, note, undefined)]);
		// Retry On Fail is no order to add more
		if (context.functions.getNode().retryOnFail) context.journal.note({ settled: note });
		throw settledError(context, note);
	}
}

function settledError(context: OperationContext, { deployment_id, added_hours }: Note) {
	return contextError(
		context,
		{
			message: `An earlier extension of ${deployment_id} by ${added_hours} hours turned out to be made. Nothing was added now: run it again to add more`,
		},
		{ deployment_id, added_hours },
	);
}

async function capExtension(
	context: OperationContext,
	{ caps: priceLimits, durationHours }: Input,
	details: IDataObject,
): Promise<IDataObject> {
	if (priceLimits.maxPrice === undefined && priceLimits.maxHourlyPrice === undefined) return {};
	const hardwareId = details.hardware_id as Id | undefined;
	const gpusPerVm = Number(details.gpus_per_vm);
	const [location] = Array.isArray(details.locations) ? details.locations.filter(isRecord) : [];
	if (hardwareId === undefined || !Number.isInteger(gpusPerVm) || !location) {
		throw contextError(
			context,
			{
				message:
					'The price limit cannot be checked: the details of the deployment lack hardware, GPU count or location',
				description: 'Remove the price limit to extend all the same.',
			},
			{},
		);
	}
	const offers = offersOf(
		await context.once('offers', async () => await listOffers(context)),
		hardwareId,
	);
	// The details do not say which of these is the code that the price wants
	const codes = [location.iso2, location.id, location.name]
		.filter((code) => code !== undefined && code !== null)
		.map(String);
	const locationId =
		codes.find((code) => offers.some((offer) => String(offer.location) === code)) ?? codes[0] ?? '';
	const order = {
		hardwareId,
		gpusPerVm,
		durationHours,
		locationId,
		replicaCount: Number(details.total_vms) || 1,
	};
	return await checkPriceLimits(context, priceLimits, order);
}

/** The answer to an extension holds the details (beyond-the-spec.md section 1 "Extend"); where it does not, they are read. */
async function confirmed(
	context: OperationContext,
	note: Note,
	reply: Reply,
): Promise<IDataObject> {
	const answer = reply.kind === 'answer' ? parseJson(reply.text) : undefined;
	const said = isRecord(answer) ? unwrapped(answer as IDataObject) : {};
	if ('compute_minutes_remaining' in said) return result(note, said);
	const { details = {}, isExtended, problem } = await lookUp(context, note, CONFIRM_DELAYS_MS);
	const output = result(note, details);
	return isExtended
		? output
		: { ...output, hint: `The service confirmed the extension, but ${problem}. ${LOOK}` };
}

function result({ deployment_id, added_hours, prices }: Note, details: IDataObject): IDataObject {
	return { ...described({ ...details, deployment_id }), added_hours, ...prices };
}

async function findLost(
	context: OperationContext,
	note: Note,
	reply: Reply | undefined,
): Promise<IDataObject> {
	const { details = {}, isExtended, problem } = await lookUp(context, note, RECONCILE_DELAYS_MS);
	if (isExtended) return { ...result(note, details), recovered: true };
	const { deployment_id, added_hours } = note;
	if (context.signal?.aborted) {
		context.log('Cancelled while an extension was under way: it may have been made.', {
			deployment_id,
			added_hours,
		});
		throw replyError(context, { kind: 'cancelled' });
	}
	throw contextError(
		context,
		{
			message: `Extension of ${deployment_id} by ${added_hours} hours: outcome unknown. ${describeCause(reply)}, and ${problem}. Do not extend it again before you have looked at its remaining time (Deployment > Get)`,
			description: `${LOOK} ${NOT_SENT_AGAIN}`,
		},
		{ deployment_id, outcome: 'unknown' },
	);
}

/**
 * Looks at the details until they show the extension.
 * @returns `isExtended` undefined where the details cannot tell
 */
async function lookUp(
	context: OperationContext,
	{ deployment_id, added_hours, before }: Note,
	pausesMs: number[],
): Promise<{ details?: IDataObject; isExtended?: boolean; problem: string }> {
	let details: IDataObject | undefined;
	let isExtended: boolean | undefined;
	let problem = '';
	for (const pauseMs of [0, ...pausesMs]) {
		await delay(pauseMs, context.signal);
		if (context.signal?.aborted) break;
		try {
			details = await getDeployment(context, deployment_id);
			isExtended = wasExtended(before, measure(details), added_hours);
			if (isExtended) break;
			problem =
				isExtended === false
					? 'the deployment shows no change'
					: 'its details do not tell its time';
		} catch (error) {
			problem = `its details could not be read: ${(error as Error).message}`;
		}
	}
	return { details, isExtended, problem };
}

function measure(details: IDataObject): Measure {
	const {
		compute_minutes_served: served,
		compute_minutes_remaining: remaining,
		amount_paid: paid,
	} = details;
	return {
		minutes:
			typeof served === 'number' && typeof remaining === 'number' ? served + remaining : null,
		paid: typeof paid === 'number' ? paid : null,
	};
}

/** Undefined where nothing is known both before and after. */
function wasExtended(before: Measure, after: Measure, hours: number): boolean | undefined {
	if (before.minutes !== null && after.minutes !== null)
		return after.minutes - before.minutes >= hours * 60 - ROUNDING_MINUTES;
	return before.paid === null || after.paid === null ? undefined : after.paid > before.paid;
}
