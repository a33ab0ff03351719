import type { IDataObject } from 'n8n-workflow';
import { knownError, type Call } from '../shared/execute';
import { parseJson } from '../shared/json';
import { failure, send, type Outcome } from '../shared/request';
import { delay, now } from '../shared/time';
import { described, findByName, idOf, isFinal } from './deployments';
import { causeOf, PATIENCE_MS, wasDone, wasRefused } from '../shared/outcome';
import { VMAAS } from './paths';

/** What a deploy is meant to be; `extras` go to the output as they are. */
export interface Purchase {
	name: string;
	body: IDataObject;
	extras: IDataObject;
}

/** Deploys can take long: the service looks for a machine first. */
const DEADLINE_MS = 120_000;
/** Looks for the id of a machine that the service has confirmed, when the answer did not hold it. */
const SHORT_PATIENCE_MS = [1_000, 2_000];

/**
 * Sends one deploy, at most once for this item of this execution: there is no idempotency key
 * (beyond-the-spec.md section 1 "Deploy"). Before it is sent, name and known ids are noted; when the answer is lost,
 * the machine is looked up by its name among the ids that are new. Any 2xx is a success, an empty body too.
 * @returns the outcome of a refusal for the caller to judge; throws when the outcome stays unknown
 */
export async function buy(call: Call, purchase: Purchase, knownIds: string[]): Promise<{ bought: IDataObject } | { refused: Outcome }> {
	call.journal.note({ name: purchase.name, knownIds, extras: purchase.extras });
	const outcome = await send(call, { method: 'POST', path: `${VMAAS}/deploy`, body: purchase.body, retry: 'once', deadlineMs: DEADLINE_MS });
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
	if (!open) return undefined;
	const purchase = { name: String(open.name), body: {}, extras: open.extras as IDataObject };
	return await findLost(call, purchase, open.knownIds as string[], undefined);
}

/** The ids of all deployments with this name, and those of them that have not ended. */
export async function sameName(call: Call, name: string): Promise<{ ids: string[]; alive: IDataObject[] }> {
	const found = await findByName(call, name);
	return { ids: found.flatMap((entry) => idOf(entry) ?? []), alive: found.filter((entry) => !isFinal(entry.status)) };
}

async function confirmed(call: Call, purchase: Purchase, knownIds: string[], outcome: Outcome): Promise<IDataObject> {
	const answer = outcome.kind === 'answer' ? parseJson(outcome.text) : undefined;
	const id = idOf(answer);
	const sentAt = now();
	if (id !== undefined) return bought(purchase, { deployment_id: id }, sentAt);
	const { found } = await lookUp(call, purchase.name, knownIds, SHORT_PATIENCE_MS);
	if (found) return bought(purchase, found, sentAt);
	return {
		...bought(purchase, { deployment_id: null }, sentAt),
		hint: 'The service confirmed the deployment without an ID, and it is not in the list yet. Find it by its name.',
	};
}

function bought(purchase: Purchase, found: IDataObject, sentAt: number): IDataObject {
	const expiresAt = new Date(sentAt + Number(purchase.extras.duration_hours) * 3_600_000).toISOString();
	return { expires_at: expiresAt, ...found, resource_private_name: purchase.name, ...purchase.extras };
}

async function findLost(call: Call, purchase: Purchase, knownIds: string[], outcome: Outcome | undefined): Promise<IDataObject> {
	const { found, problem } = outcome?.kind === 'cancelled' ? { problem: '' } : await lookUp(call, purchase.name, knownIds, PATIENCE_MS);
	if (found) return { ...bought(purchase, found, now()), recovered: true };
	if (call.signal?.aborted) {
		call.log('Cancelled while a deploy was under way: the machine may exist and bill. Look for it by its name.', {
			resource_private_name: purchase.name,
			deployment_id: null,
		});
		throw failure(call, { kind: 'cancelled' });
	}
	throw knownError(call, {
		message: `Deploy of "${purchase.name}": outcome unknown. ${causeOf(outcome)}, and ${problem}`,
		description: `The machine may exist and bill. Look for "${purchase.name}" in the deployments (Deployment > Get Many) or in the service's own console before you deploy again. This execution will not send it a second time.`,
	}, { resource_private_name: purchase.name, deployment_id: null, outcome: 'unknown' });
}

/**
 * The newest deployment with this name that was not there before, looked for with patience; a look that fails is followed
 * by the next.
 * @returns what was found, or in words why nothing was
 */
async function lookUp(call: Call, name: string, knownIds: string[], pausesMs: number[]): Promise<{ found?: IDataObject; problem: string }> {
	let problem = '';
	for (const pauseMs of [0, ...pausesMs]) {
		await delay(pauseMs, call.signal);
		if (call.signal?.aborted) break;
		try {
			const entries = (await findByName(call, name)).filter((entry) => !knownIds.includes(String(idOf(entry))));
			const [found, ...others] = entries.map(described);
			if (found && others.length > 0) found.other_deployment_ids = others.map((other) => other.deployment_id as string);
			if (found) return { found, problem };
			problem = 'it is not in the list of deployments';
		} catch (error) {
			problem = `the list of deployments could not be read: ${(error as Error).message}`;
		}
	}
	return { problem };
}
