import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { numberOf } from '../shared/numbers';
import { contextError, prerequisite } from '../shared/operation/context';
import { elapsed } from '../shared/time';
import { described, getDeployment, idOf, listNamed, nameOf, stillAlive } from './deployments';
import { hasId } from './ids';
import { isSameHardware } from './orderMatch';
import { boughtHere, isConfirmedUnseen, wasToldToEnd } from './ownDeployments';
import { leastRemainingMinutes, remainingMinutes, summandsOf } from './paidTime';
import { noteList, whatIsForCertain } from './presence';
import type { Product, ProductContext } from './product';
import { similarlyNamed } from './similarNames';
import { stateOf } from './state';
import { YOUNG_MS } from './turns';

/** What a purchase does about deployments that have its name already. */
export interface NameRules {
	name: string;
	/** Adds a suffix that no other execution, node or item has. */
	uniqueName: boolean;
	/** Whether the name has a suffix of its own already. */
	hasSuffix?: boolean;
	ifNameExists: 'error' | 'useExisting' | 'deploy';
	/** The least that an existing one must have left, in hours, to be used. */
	minRemainingHours: number;
	dryRun: boolean;
	/** Number of VMs or containers that are ordered; an existing one must have as many. */
	workers: number;
	/** GPUs of each that are ordered; undefined where the offer decides. */
	gpus?: number;
	/** The hardware that is ordered; undefined where the offers decide. */
	hardwareId?: string | number;
}

const SUFFIX_CHARACTERS = 10;

/**
 * A name that no other n8n instance, workflow, node, execution, run or item has. A try that was sent has it in the journal, so that a
 * retry uses it again.
 */
export function uniqueNameOf({ functions, itemIndex }: ProductContext, name: string): string {
	const { $runIndex } = functions.getWorkflowDataProxy(itemIndex);
	const parts = [
		functions.getInstanceId(),
		functions.getWorkflow().id,
		functions.getNode().id,
		functions.getExecutionId(),
		$runIndex,
		itemIndex,
	];
	const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
	return `${name}-${digest.slice(0, SUFFIX_CHARACTERS)}`;
}

/** Every deployment with this name, or with what the service may have made of it, in any state; a name is not unique at the service. */
export async function named(context: ProductContext, name: string): Promise<IDataObject[]> {
	return similarlyNamed(await listNamed(context), name);
}

/**
 * Applies If Name Exists, and tells which IDs have this name already and which are there at all, so that a new deployment can be
 * told from them. What this
 * execution and this process have bought counts, whatever the list shows.
 * @param bought what this process has bought under the name, by ID, with the time by {@link elapsed}
 */
export async function checkName(
	context: ProductContext,
	name: string,
	rules: NameRules,
	bought: Map<string, number>,
): Promise<{ done: IDataObject } | { knownIds?: string[]; olderIds: string[] }> {
	const { ifNameExists, uniqueName, dryRun } = rules;
	const own = [...new Set([...boughtHere(context, name), ...bought.keys()])];
	const all = await prerequisite(
		context,
		'The list of deployments',
		NEEDS_LIST,
		async () => await listNamed(context),
	).catch((error: Error) => {
		// These rules do not need the list: nothing else has a unique name
		if (context.signal?.aborted || !(uniqueName || ifNameExists === 'deploy')) throw error;
		return undefined;
	});
	if (!all) return { knownIds: uniqueName ? own : undefined, olderIds: own };
	const found = similarlyNamed(all, name);
	const olderIds = [...all.flatMap((entry) => idOf(entry) ?? []), ...own];
	noteList(context);
	const listed = found.flatMap((entry) => idOf(entry) ?? []);
	const hidden = await Promise.all(
		own
			.filter((id) => !hasId(listed, id))
			.map(async (id) => await hiddenOne(context, id, name, bought.get(id))),
	);
	const unseen = { status: null, resource_private_name: name };
	const unlisted = isConfirmedUnseen(context, name, listed) ? [...hidden, unseen] : hidden;
	const isOwned = (entry: IDataObject) => hasId(own, idOf(entry));
	const isNamed = (entry: IDataObject) => nameOf(entry)?.toLowerCase() === name.toLowerCase();
	const inTheWay = [...found, ...unlisted].filter(
		// All unique names of a job may be cut to one, and none of them is another's
		(entry) => !uniqueName || isNamed(entry) || isOwned(entry),
	);
	const knownIds = [...new Set([...listed, ...own])];
	if (ifNameExists === 'deploy') return { knownIds, olderIds };
	const alive = await stillAlive(context, inTheWay);
	if (alive.length === 0) return { knownIds, olderIds };
	const isEnding = (entry: IDataObject) =>
		stateOf(entry.status) === 'ending' || wasToldToEnd(context, String(idOf(entry)));
	const ready = alive.filter((entry) => !isEnding(entry));
	// A name in another case, or cut, may be another's: it stops a purchase, and is never passed on
	const same = ready.filter((entry) => nameOf(entry) === name || isOwned(entry));
	if (ifNameExists === 'useExisting' && same.length > 0) {
		const existing = await useExisting(context, same, rules);
		return { done: { ...existing, existing: true, ...(dryRun && { dry_run: true }) } };
	}
	const existing = described(ready[0] ?? alive[0]!);
	// A node after a list runs for each of its items: Unique Name would then buy as many
	const isOwn = hasId(boughtHere(context, name), String(existing.deployment_id));
	const other = isOwn
		? 'This execution has deployed it. A node runs once for each input item: to deploy once, turn on Execute Once in its settings. Nothing was deployed for this item.'
		: 'Use another name, turn on Unique Name, or choose under Safety > If Name Exists to use the existing one. Nothing was deployed.';
	const advice =
		ready.length === 0
			? 'It is being destroyed. Wait until it has ended, or use another name. Nothing was deployed.'
			: other;
	const shownName = nameOf(existing) ?? name;
	const description =
		shownName === name
			? advice
			: `It may be what the service has made of "${name}": some change the case, accents, the characters between words, or the length of a name. ${advice}`;
	throw contextError(
		context,
		{
			message: `A deployment named "${shownName}" already exists (${String(existing.deployment_id ?? 'ID unknown')}, ${String(existing.status ?? 'state unknown')})`,
			description,
		},
		{ deployment_id: existing.deployment_id ?? null },
	);
}

const NEEDS_LIST =
	'Nothing was deployed. Without this list only Unique Name, or Deploy Anyway under Safety > If Name Exists, can deploy.';

/**
 * A deployment that was bought here and is not in the list: ended, as far as it is seen, or not shown yet.
 * @param boughtAt by {@link elapsed}, where another execution may have bought it
 */
async function hiddenOne(
	context: ProductContext,
	id: string,
	name: string,
	boughtAt = Infinity,
): Promise<IDataObject> {
	const { state, details } = await whatIsForCertain(context, id);
	// What is older and shows nowhere is taken for ended
	const isGone = state === 'ended' || (state === 'never seen' && elapsed() >= boughtAt + YOUNG_MS);
	const status = isGone ? 'destroyed' : null;
	return { status, resource_private_name: name, ...details, deployment_id: id };
}

/**
 * The first of the existing deployments that is as large as the order and runs long enough.
 * @throws why none is
 */
async function useExisting(
	context: ProductContext,
	existing: IDataObject[],
	rules: NameRules,
): Promise<IDataObject> {
	const problems: string[] = [];
	for (const entry of existing) {
		const id = idOf(entry);
		const details = id === undefined ? {} : await detailsOf(context, id);
		const all = described({ ...entry, ...details }, context.account.clockAheadMs);
		const shown = { ...all, deployment_id: id ?? null };
		const problem = whyUnfit(context, shown, rules);
		if (problem === undefined) {
			const hints = hintsOn(context, shown, rules);
			return hints.length > 0 ? { ...shown, hint: hints.join(' ') } : shown;
		}
		problems.push(`${id ?? 'one without a known ID'} ${problem}`);
	}
	throw contextError(
		context,
		{
			message: `The existing deployment named "${rules.name}" cannot be used: ${problems.join('; ')}`,
			description:
				'Nothing was deployed. Extend or destroy it, change Safety > Min Remaining Hours, or use another name.',
		},
		{ deployment_id: idOf(existing[0]) ?? null },
	);
}

async function detailsOf(context: ProductContext, id: string): Promise<IDataObject> {
	// Where the details do not show it, the entry of the list is what is known
	return await getDeployment(context, id).catch(() => ({}));
}

/** How large an existing deployment is, as far as it is shown; some services leave at 0 what is not set. */
function shownSize({ gpusKey, workersKey }: Product, shown: IDataObject) {
	const [has, count, total] = [
		shown[gpusKey],
		shown[workersKey],
		// Of one whose details cannot be read, the list shows this alone
		shown.total_gpus ?? shown.hardware_quantity,
	].map((value) => numberOf(value) || undefined);
	return {
		gpus: has ?? (total && count && total / count),
		workers: count ?? (total && has && total / has),
		total,
	};
}

/** What to know of an existing deployment that is used. */
function hintsOn(
	{ product, account }: ProductContext,
	shown: IDataObject,
	{ hardwareId, gpus = 1, workers, minRemainingHours }: NameRules,
): string[] {
	const hints: string[] = [];
	const least = leastRemainingMinutes(shown);
	const isUnsure = summandsOf(shown, account.clockAheadMs) === undefined;
	if (stateOf(shown.status) !== 'starting') {
		if (least === undefined)
			hints.push('The service does not show how much of its paid time is left.');
		else if (isUnsure && least < minRemainingHours * 60)
			hints.push(
				'The service may add its minutes up over GPUs, so less of its paid time may be left.',
			);
	}
	const hardware = shown.hardware_id || hardwareId;
	if (hardwareId !== undefined && !isSameHardware(hardware, hardwareId))
		hints.push(`It has hardware ${String(hardware)}, and ${hardwareId} is ordered.`);
	const size = shownSize(product, shown);
	if (gpus * workers > 1 && size.gpus === undefined && size.total !== undefined)
		hints.push(
			`The service shows how many GPUs it has in all, not how many each ${product.worker} has.`,
		);
	return hints;
}

function whyUnfit(
	{ product, account }: ProductContext,
	shown: IDataObject,
	rules: NameRules,
): string | undefined {
	const { minRemainingHours } = rules;
	const state = stateOf(shown.status);
	if (typeof shown.status !== 'string') return 'does not show its state yet';
	if (state !== 'running' && state !== 'starting') return `is "${String(shown.status)}"`;
	const minutes = remainingMinutes(shown, account.clockAheadMs);
	if (state === 'running' && minutes !== undefined && minutes < minRemainingHours * 60)
		return `has ${Math.floor(minutes)} minutes left, and Min Remaining Hours is ${minRemainingHours}`;
	return whyTooSmall(product, shown, rules);
}

/** Why it is not known to be as large as the order; one VM or container with one GPU is the least that there is. */
function whyTooSmall(
	product: Product,
	shown: IDataObject,
	{ gpus = 1, workers }: NameRules,
): string | undefined {
	const has = shownSize(product, shown);
	if (has.gpus !== undefined && has.gpus < gpus)
		return `has ${has.gpus} GPUs per ${product.worker}, and ${gpus} are ordered`;
	if (has.workers !== undefined && has.workers < workers)
		return `has ${has.workers} ${product.workers}, and ${workers} are ordered`;
	const isKnown =
		(has.gpus !== undefined || gpus === 1) && (has.workers !== undefined || workers === 1);
	if (isKnown) return undefined;
	if (has.total === undefined) return `does not show how many ${product.workers} and GPUs it has`;
	return has.total < gpus * workers
		? `has ${has.total} GPUs in all, and ${gpus * workers} are ordered`
		: undefined;
}
