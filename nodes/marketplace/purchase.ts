import type { IDataObject } from 'n8n-workflow';
import { knownError, reading, type Call } from '../shared/operation/execute';
import { parseJson } from '../shared/json';
import { failure, send, type Outcome } from '../shared/http/request';
import { delay, now } from '../shared/time';
import { described, findByName, idOf, isFinal, unwrapped } from './deployments';
import {
	causeOf,
	LONG_AGO_MS,
	NOT_AGAIN,
	PATIENCE_MS,
	wasDone,
	wasRefused,
} from '../shared/operation/outcome';
import { isRecord } from '../shared/operation/parameters';
import { VMAAS } from './paths';

/** What a deploy is meant to be; `extras` go to the output as they are. */
export interface Purchase {
	name: string;
	body: IDataObject;
	extras: IDataObject;
}

/** Deploys can take long: the service looks for a machine first. */
const DEADLINE_MS = 120_000;
/** Looks for what the service has confirmed, when the answer did not hold it. */
export const SHORT_PATIENCE_MS = [1_000, 2_000];

/** As {@link reading}, before a deploy. */
export async function beforeDeploy<T>(
	what: string,
	name: string,
	read: () => Promise<T>,
): Promise<T> {
	return await reading(what, { resource_private_name: name }, 'Nothing was deployed.', read);
}

/**
 * Sends one deploy, at most once for this item of this execution: there is no idempotency key
 * (beyond-the-spec.md section 1 "Deploy"). Before it is sent, name and known ids are noted; when the answer is lost,
 * the machine is looked up by its name among the ids that are new. Any 2xx is a success, an empty body too.
 * @param knownIds undefined where they are not known: a machine that is found by its name then proves nothing
 * @returns the outcome of a refusal for the caller to judge; throws when the outcome stays unknown
 */
export async function buy(
	call: Call,
	purchase: Purchase,
	knownIds: string[] | undefined,
): Promise<{ bought: IDataObject } | { refused: Outcome }> {
	call.journal.note({ resource_private_name: purchase.name, knownIds, extras: purchase.extras });
	const outcome = await send(call, {
		method: 'POST',
		path: `${VMAAS}/deploy`,
		body: purchase.body,
		retry: 'once',
		deadlineMs: DEADLINE_MS,
	});
	if (wasDone(outcome)) return { bought: await confirmed(call, purchase, knownIds, outcome) };
	if (wasRefused(outcome)) {
		call.journal.clear();
		return { refused: outcome };
	}
	return { bought: await findLost(call, purchase, knownIds, outcome) };
}

/** Finishes what an earlier run of this item has sent; undefined when it sent nothing. */
export async function resumePurchase(call: Call): Promise<IDataObject | undefined> {
	const open = call.journal.open();
	return open && (await findNoted(call, open));
}

/**
 * Finishes what other calls of this execution have sent under this name: the list may not show it yet, and an AI agent repeats
 * a call that failed. Throws while that outcome is unknown, for a quarter of an hour: a loop may need its machine.
 * @returns the machine that one of them has bought
 */
export async function settleOthers(call: Call, name: string): Promise<IDataObject | undefined> {
	let found: IDataObject | undefined;
	for (const other of call.journal.others()) {
		const open = other.open()!;
		if (open.resource_private_name !== name) continue;
		const isOld = other.ageMs() > LONG_AGO_MS;
		if (isOld && (await lookUp(call, name, open.knownIds as string[] | undefined, [])).isAbsent)
			other.clear();
		else other.done([(found = await findNoted(call, open))]);
	}
	return found;
}

async function findNoted(
	call: Call,
	{ resource_private_name: name, extras, knownIds }: IDataObject,
): Promise<IDataObject> {
	return await findLost(
		call,
		{ name: name as string, body: {}, extras: extras as IDataObject },
		knownIds as string[] | undefined,
		undefined,
	);
}

/** The ids of all deployments with this name, and those of them that have not ended. */
export async function sameName(
	call: Call,
	name: string,
): Promise<{ ids: string[]; alive: IDataObject[] }> {
	const found = await findByName(call, name);
	return {
		ids: found.flatMap((entry) => idOf(entry) ?? []),
		alive: found.filter((entry) => !isFinal(entry.status)),
	};
}

async function confirmed(
	call: Call,
	purchase: Purchase,
	knownIds: string[] | undefined,
	outcome: Outcome,
): Promise<IDataObject> {
	const answer = outcome.kind === 'answer' ? parseJson(outcome.text) : undefined;
	const said = {
		...described(isRecord(answer) ? unwrapped(answer as IDataObject) : {}),
		deployment_id: idOf(answer) ?? null,
	};
	const sentAt = now();
	if (said.deployment_id !== null) return bought(purchase, said, sentAt);
	const { found, problem } = await lookUp(call, purchase.name, knownIds, SHORT_PATIENCE_MS);
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
	call: Call,
	purchase: Purchase,
	knownIds: string[] | undefined,
	outcome: Outcome | undefined,
): Promise<IDataObject> {
	const { found, problem } =
		outcome?.kind === 'cancelled'
			? { problem: '' }
			: await lookUp(call, purchase.name, knownIds, PATIENCE_MS);
	if (found) return { ...bought(purchase, found, now()), recovered: true };
	if (call.signal?.aborted) {
		call.log(
			'Cancelled while a deploy was under way: the machine may exist and bill. Look for it by its name.',
			{
				resource_private_name: purchase.name,
				deployment_id: null,
			},
		);
		throw failure(call, { kind: 'cancelled' });
	}
	throw knownError(
		call,
		{
			// An AI agent gets the message alone
			message: `Deploy of "${purchase.name}": outcome unknown. ${causeOf(outcome)}, and ${problem}. Do not deploy it again before you have looked for it (Deployment > Get Many)`,
			description: `The machine may exist and bill. Look for "${purchase.name}" in the deployments (Deployment > Get Many) or in the service's own console before you deploy again. ${NOT_AGAIN}`,
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
	call: Call,
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
		await delay(pauseMs, call.signal);
		if (call.signal?.aborted) break;
		try {
			const entries = (await findByName(call, name)).filter(
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
