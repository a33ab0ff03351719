import type { IDataObject } from 'n8n-workflow';
import { parseJson } from '../shared/json';
import { replyError, send } from '../shared/http/request';
import { delay, now } from '../shared/time';
import { described, findByName, idOf, isFinal, unwrapped } from './deployments';
import {
	describeCause,
	ASSUME_ABSENT_AFTER_MS,
	NOT_SENT_AGAIN,
	RECONCILE_DELAYS_MS,
	isAccepted,
	isRejected,
} from '../shared/operation/outcome';
import { VMAAS } from './paths';
import { isRecord } from '../shared/guards';
import { type OperationContext, contextError, prerequisite } from '../shared/operation/context';
import type { Reply } from '../shared/http/reply';

/** What a deploy is meant to be; `extras` go to the output as they are. */
export interface Purchase {
	name: string;
	body: IDataObject;
	extras: IDataObject;
}

/** Deploys can take long: the service looks for a machine first. */
const DEADLINE_MS = 120_000;
/** Looks for what the service has confirmed, when the answer did not hold it. */
export const CONFIRM_DELAYS_MS = [1_000, 2_000];

/** As {@link prerequisite}, before a deploy. */
export async function beforeDeploy<T>(
	context: OperationContext,
	what: string,
	read: () => Promise<T>,
): Promise<T> {
	return await prerequisite(context, what, 'Nothing was deployed.', read);
}

/**
 * Sends one deploy, at most once for this item of this execution: there is no idempotency key
 * (beyond-the-spec.md section 1 "Deploy"). Before it is sent, name and known ids are noted; when the answer is lost,
 * the machine is looked up by its name among the ids that are new. Any 2xx is a success, an empty body too.
 * @param knownIds undefined where they are not known: a machine that is found by its name then proves nothing
 * @returns the outcome of a refusal for the caller to judge; throws when the outcome stays unknown
 */
export async function buy(
	context: OperationContext,
	purchase: Purchase,
	knownIds: string[] | undefined,
): Promise<{ bought: IDataObject } | { refused: Reply }> {
	context.journal.note({ resource_private_name: purchase.name, knownIds, extras: purchase.extras });
	const reply = await send(context, {
		method: 'POST',
		path: `${VMAAS}/deploy`,
		body: purchase.body,
		retry: 'ifUnsent',
		deadlineMs: DEADLINE_MS,
	});
	if (isAccepted(reply)) return { bought: await confirmed(context, purchase, knownIds, reply) };
	if (isRejected(reply)) {
		context.journal.clear();
		return { refused: reply };
	}
	return { bought: await findLost(context, purchase, knownIds, reply) };
}

/** Finishes what an earlier run of this item has sent; undefined when it sent nothing. */
export async function resumePurchase(context: OperationContext): Promise<IDataObject | undefined> {
	const open = context.journal.intent();
	return open && (await findNoted(context, open));
}

/**
 * Finishes what other calls of this execution have sent under this name: the list may not show it yet, and an AI agent repeats
 * a call that failed. Throws while that outcome is unknown, for a quarter of an hour: a loop may need its machine.
 * @returns the machine that one of them has bought
 */
export async function settleOthers(
	context: OperationContext,
	name: string,
): Promise<IDataObject | undefined> {
	let found: IDataObject | undefined;
	for (const other of context.journal.others()) {
		const open = other.intent()!;
		if (open.resource_private_name !== name) continue;
		const isOld = other.ageMs() > ASSUME_ABSENT_AFTER_MS;
		if (isOld && (await lookUp(context, name, open.knownIds as string[] | undefined, [])).isAbsent)
			other.clear();
		else other.done([(found = await findNoted(context, open))]);
	}
	return found;
}

async function findNoted(
	context: OperationContext,
	{ resource_private_name: name, extras, knownIds }: IDataObject,
): Promise<IDataObject> {
	return await findLost(
		context,
		{ name: name as string, body: {}, extras: extras as IDataObject },
		knownIds as string[] | undefined,
		undefined,
	);
}

/** The ids of all deployments with this name, and those of them that have not ended. */
export async function sameName(
	context: OperationContext,
	name: string,
): Promise<{ ids: string[]; alive: IDataObject[] }> {
	const found = await findByName(context, name);
	return {
		ids: found.flatMap((entry) => idOf(entry) ?? []),
		alive: found.filter((entry) => !isFinal(entry.status)),
	};
}

async function confirmed(
	context: OperationContext,
	purchase: Purchase,
	knownIds: string[] | undefined,
	reply: Reply,
): Promise<IDataObject> {
	const answer = reply.kind === 'answer' ? parseJson(reply.text) : undefined;
	const said = {
		...described(isRecord(answer) ? unwrapped(answer as IDataObject) : {}),
		deployment_id: idOf(answer) ?? null,
	};
	const sentAt = now();
	if (said.deployment_id !== null) return bought(purchase, said, sentAt);
	const { found, problem } = await lookUp(context, purchase.name, knownIds, CONFIRM_DELAYS_MS);
	if (found) return bought(purchase, { ...said, ...found }, sentAt);
	return {
		...bought(purchase, said, sentAt),
		hint: `The service confirmed the deployment without an ID, and ${problem}. Find it by its name.`,
	};
}

function bought(purchase: Purchase, found: IDataObject, sentAt: number): IDataObject {
	const expiresAt = new Date(
		sentAt + Number(purchase.extras.duration_hours) * 3_600_000,
	).toISOString();
	return {
		expires_at: expiresAt,
		...found,
		resource_private_name: purchase.name,
		...purchase.extras,
	};
}

async function findLost(
	context: OperationContext,
	purchase: Purchase,
	knownIds: string[] | undefined,
	reply: Reply | undefined,
): Promise<IDataObject> {
	const { found, problem } =
		reply?.kind === 'cancelled'
			? { problem: '' }
			: await lookUp(context, purchase.name, knownIds, RECONCILE_DELAYS_MS);
	if (found) return { ...bought(purchase, found, now()), recovered: true };
	if (context.signal?.aborted) {
		context.log(
			'Cancelled while a deploy was under way: the machine may exist and bill. Look for it by its name.',
			{
				resource_private_name: purchase.name,
				deployment_id: null,
			},
		);
		throw replyError(context, { kind: 'cancelled' });
	}
	throw contextError(
		context,
		{
			// An AI agent gets the message alone
			message: `Deploy of "${purchase.name}": outcome unknown. ${describeCause(reply)}, and ${problem}. Do not deploy it again before you have looked for it (Deployment > Get Many)`,
			description: `The machine may exist and bill. Look for "${purchase.name}" in the deployments (Deployment > Get Many) or in the service's own console before you deploy again. ${NOT_SENT_AGAIN}`,
		},
		{ resource_private_name: purchase.name, deployment_id: null, outcome: 'unknown' },
	);
}

/**
 * The newest deployment with this name that was not there before, looked for with patience; a look that fails is followed
 * by the next.
 * @returns what was found, or in words why nothing was, and whether the list was read and lacks it
 */
async function lookUp(
	context: OperationContext,
	name: string,
	knownIds: string[] | undefined,
	pausesMs: number[],
): Promise<{ found?: IDataObject; problem: string; isAbsent?: boolean }> {
	if (!knownIds)
		return {
			problem:
				'it cannot be told from older ones of its name, since their list could not be read before',
		};
	let problem = '';
	let isAbsent = false;
	for (const pauseMs of [0, ...pausesMs]) {
		await delay(pauseMs, context.signal);
		if (context.signal?.aborted) break;
		try {
			const entries = (await findByName(context, name)).filter(
				(entry) => !knownIds.includes(String(idOf(entry))),
			);
			const [found, ...others] = entries.map(described);
			if (found && others.length > 0)
				found.other_deployment_ids = others.map((other) => other.deployment_id as string);
			if (found) return { found, problem };
			problem = 'it is not in the list of deployments';
			isAbsent = true;
		} catch (error) {
			problem = `the list of deployments could not be read: ${(error as Error).message}`;
		}
	}
	return { problem, isAbsent };
}
