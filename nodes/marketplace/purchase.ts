import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import type { Answer, Reply } from '../shared/http/reply';
import { send } from '../shared/http/request';
import { parseJson } from '../shared/json';
import { contextError, isTool, prerequisite } from '../shared/operation/context';
import type { OperationContext } from '../shared/operation/context';
import {
	isAccepted,
	NOT_SENT_AGAIN,
	reconcile,
	reconcileOthers,
	sendOnce,
	type Evidence,
	type Intent,
} from '../shared/operation/sendOnce';
import { now } from '../shared/time';
import { described, findByName, idOf, unwrapped } from './deployments';
import { VMAAS } from './paths';
import { stateOf } from './state';

/** What a purchase does about deployments that have its name already. */
export interface NameRules {
	name: string;
	/** Adds a suffix that no other execution, retry or item has. */
	uniqueName: boolean;
	ifNameExists: 'error' | 'useExisting' | 'deploy';
	dryRun: boolean;
}

/** A purchase whose name is free: it may be sent. */
export interface Purchase {
	/** The name that is sent. */
	name: string;
	/** The IDs that have this name already; undefined where they are not known: one that is found by its name then proves nothing. */
	knownIds?: string[];
}

/** What is noted before a deploy is sent, by the names of the output. */
interface Note extends IDataObject {
	resource_private_name: string;
	knownIds?: string[];
	/** What the output says of the order besides what the service answers. */
	extras: IDataObject;
}

/** Deploys can take long: the service looks for a free node first. */
const DEADLINE_MS = 120_000;

/**
 * What comes before each deploy: the deployment that an earlier try or another call has bought, the name, and the
 * deployments that have it already.
 * @returns `done`, the output of a deployment that is there, or the purchase that may be sent
 * @throws where an earlier outcome is unknown, or the name is taken
 */
export async function beginPurchase(
	context: OperationContext,
	rules: NameRules,
): Promise<{ done: IDataObject } | { purchase: Purchase }> {
	const note = context.journal.intent();
	if (note) return { done: await reconcile(context, deployIntent(context, note as Note)) };
	const name = nameToSend(context, rules);
	context.known.resource_private_name = name;
	const [other] = await reconcileOthers(context, (noted) =>
		noted.resource_private_name === name ? deployIntent(context, noted as Note) : undefined,
	);
	// A model that repeats a call means the same deployment, also with Deploy Anyway
	if (other && isTool(context.functions)) return { done: other.item };
	return await checkName(context, name, rules);
}

/**
 * Sends one deploy, at most once for this item of this execution. Before it is sent, its name and the known IDs are
 * noted; when the answer is lost, it is looked for by its name among the IDs that are new.
 * @param body of `POST …/deploy` (compute-api.md "Deploy VMs")
 * @param extras what the output says of the order besides what the service answers
 * @returns the deployment for the output, or the service's rejection for the caller to judge
 * @throws when the outcome stays unknown
 */
export async function buy(
	context: OperationContext,
	{ name, knownIds }: Purchase,
	body: IDataObject,
	extras: IDataObject,
): Promise<{ bought: IDataObject } | { rejected: Reply }> {
	const note: Note = { resource_private_name: name, knownIds, extras };
	const intent = deployIntent(context, note);
	const outcome = await sendOnce(
		context,
		intent,
		async () =>
			await send(context, {
				method: 'POST',
				path: `${VMAAS}/deploy`,
				body,
				retry: 'ifUnsent',
				deadlineMs: DEADLINE_MS,
			}),
	);
	if (outcome.state === 'rejected') return { rejected: outcome.reply };
	const said = saidOf(outcome.reply);
	if (outcome.state === 'made') return { bought: { ...said, ...outcome.item } };
	return {
		bought: {
			...bought(note, said, now()),
			hint: `The service confirmed the deployment without an ID, and ${outcome.problem}. Find it by its name.`,
		},
	};
}

/** Reads something that a deploy needs; where that fails, nothing was deployed. */
export async function beforeDeploy<T>(
	context: OperationContext,
	what: string,
	read: () => Promise<T>,
): Promise<T> {
	return await prerequisite(context, what, 'Nothing was deployed.', read);
}

/** The name that is sent: with Unique Name, one that no other execution, retry or item can have. */
function nameToSend(context: OperationContext, { name, uniqueName }: NameRules): string {
	if (!uniqueName) return name;
	const { $runIndex } = context.functions.getWorkflowDataProxy(context.itemIndex);
	return `${name}-${context.functions.getExecutionId()}-${String($runIndex)}-${context.itemIndex}`;
}

/** Applies If Name Exists, and notes which IDs have this name already, so that a new deployment can be told from them. */
async function checkName(
	context: OperationContext,
	name: string,
	{ ifNameExists, uniqueName, dryRun }: NameRules,
): Promise<{ done: IDataObject } | { purchase: Purchase }> {
	const { knownIds, alive } = await beforeDeploy(
		context,
		'The list of deployments',
		async () => await sameName(context, name),
	).catch((error: Error): Awaited<ReturnType<typeof sameName>> => {
		// These rules do not need the list: nothing else has a unique name
		if (context.signal?.aborted || !(uniqueName || ifNameExists === 'deploy')) throw error;
		return { knownIds: uniqueName ? [] : undefined, alive: [] };
	});
	const found = alive.find(({ status }) => stateOf(status) !== 'ending') ?? alive[0];
	if (!found || ifNameExists === 'deploy') return { purchase: { name, knownIds } };
	const existing = described(found);
	const isEnding = stateOf(existing.status) === 'ending';
	if (ifNameExists === 'useExisting' && !isEnding)
		return { done: { ...existing, existing: true, ...(dryRun && { dry_run: true }) } };
	const advice = isEnding
		? 'It is being destroyed. Wait until it has ended, or use another name.'
		: 'Use another name, turn on Unique Name, or choose under Safety > If Name Exists to use the existing one.';
	throw contextError(
		context,
		{
			message: `A deployment named "${name}" already exists (${String(existing.deployment_id)}, ${String(existing.status ?? 'state unknown')})`,
			description: `${advice} Nothing was deployed.`,
		},
		{ deployment_id: existing.deployment_id ?? null },
	);
}

/** The IDs of all deployments with this name, and those of them that have not ended. */
async function sameName(
	context: OperationContext,
	name: string,
): Promise<{ knownIds?: string[]; alive: IDataObject[] }> {
	const found = await findByName(context, name);
	return {
		knownIds: found.flatMap((entry) => idOf(entry) ?? []),
		alive: found.filter((entry) => stateOf(entry.status) !== 'ended'),
	};
}

function deployIntent(context: OperationContext, note: Note): Intent {
	const { resource_private_name: name, knownIds } = note;
	const sentAt = now();
	return {
		what: `Deploy of "${name}"`,
		note,
		facts: { resource_private_name: name, deployment_id: null },
		isYes: isAccepted,
		proof: (reply) => {
			const said = isAccepted(reply) ? saidOf(reply) : {};
			return said.deployment_id ? bought(note, said, sentAt) : undefined;
		},
		evidence: knownIds
			? {
					source: 'the list of deployments',
					look: async () => await lookFor(context, note, knownIds, sentAt),
				}
			: 'it cannot be told from older ones of its name, since their list could not be read before',
		warning: 'Do not deploy it again before you have looked for it (Deployment > Get Many)',
		advice: `The deployment may exist and bill. Look for "${name}" in the deployments (Deployment > Get Many) or in the service's own console before you deploy again. ${NOT_SENT_AGAIN}`,
		cancelled:
			'Cancelled while a deploy was under way: the deployment may exist and bill. Look for it by its name.',
	};
}

/** The newest deployment with the name that was not there before. */
async function lookFor(
	context: OperationContext,
	note: Note,
	knownIds: string[],
	sentAt: number,
): Promise<Evidence> {
	const entries = (await findByName(context, note.resource_private_name)).filter(
		(entry) => !knownIds.includes(String(idOf(entry))),
	);
	const [found, ...others] = entries.map(described);
	if (!found) return { state: 'absent', problem: 'it is not in the list of deployments' };
	if (others.length > 0)
		found.other_deployment_ids = others.map((other) => other.deployment_id as string);
	return { state: 'made', item: bought(note, found, sentAt) };
}

/** What the answer to a deploy says of the deployment, with `deployment_id: null` where it says none. */
function saidOf(reply: Reply | undefined): IDataObject {
	const answer = reply?.kind === 'answer' ? parseJson((reply as Answer).text) : undefined;
	const said = isRecord(answer) ? unwrapped(answer as IDataObject) : {};
	return { ...described(said), deployment_id: idOf(answer) ?? null };
}

function bought(
	{ resource_private_name: name, extras }: Note,
	found: IDataObject,
	sentAt: number,
): IDataObject {
	const endsAt = sentAt + Number(extras.duration_hours) * 3_600_000;
	return {
		expires_at: new Date(endsAt).toISOString(),
		...found,
		resource_private_name: name,
		...extras,
	};
}
