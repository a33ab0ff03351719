import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { idOf, isAbsent, listNamed, nameOf } from '../../../marketplace/deployments';
import { noteList, noteSeen } from '../../../marketplace/presence';
import type { ProductContext } from '../../../marketplace/product';
import type { SshCredential } from '../../../marketplace/ssh';
import { replyError } from '../../../shared/http/request';
import { contextError, pause, prerequisite } from '../../../shared/operation/context';
import { SshError, withSsh } from '../../../shared/ssh';
import { isAlive } from './aliveRuns';
import { ask } from './ask';
import { awaitSsh, signalOf, type Vm } from './awaitSsh';
import { endDeployments, type End } from './end';
import { runsOf } from './jobName';
import { youngUntil } from './listed';
import { LOST_MS } from './overSsh';
import { HEARTBEAT_SCRIPT } from './scripts';

/** The owner of a VM writes a heartbeat each 20 seconds: between two looks it misses four. */
const BETWEEN_LOOKS_MS = 90_000;

/** Looks in a row that must fail before a VM that answered is taken for unreachable. */
const MOST_TRIES = 4;

const TRY_AGAIN_MS = 10_000;

/** What an execution of Run finds of earlier ones of its job. */
export interface Leftovers extends IDataObject {
	/** Ended, since nobody works on them any more. */
	ended_leftovers: IDataObject[];
	/** Not touched, each with its reason. */
	left_alone: IDataObject[];
}

/**
 * Ends what executions of Run have left that are dead: n8n was killed, say. One that is alive in this process is known; one in
 * another process writes a heartbeat on its VM. No clock is compared with another.
 * @param job its `waitMs` is how long a VM may take until it answers; its owner does not wait longer either
 * @param ownName of the deployment of this execution, which a purchase looks for by itself
 * @throws where the list cannot be read, and where a leftover could not be ended: nothing was bought
 */
export async function endLeftovers(
	context: ProductContext,
	{ key, credential, waitMs }: { key: string; credential: SshCredential; waitMs: number },
	ownName: string,
): Promise<Leftovers> {
	const leftovers: Leftovers = { ended_leftovers: [], left_alone: [] };
	const entries = await readEntries(context);
	if (entries === undefined) {
		const reason = 'the service has no list of deployments: earlier runs cannot be found';
		leftovers.left_alone.push({ reason });
		return leftovers;
	}
	const { certain, uncertain } = runsOf(entries, key);
	for (const entry of uncertain) leaveAlone(entry, 'its name is cut: it may be of another job');
	/** Those that may still bill. */
	const open: Array<{ end: End; warning: string }> = [];
	await Promise.all(
		byRun(certain).map(async ([name, run]) => {
			if (name.toLowerCase() === ownName.toLowerCase()) return undefined;
			const leaveAll = (reason: string) => run.forEach((entry) => leaveAlone(entry, reason));
			if (isAlive(name)) return leaveAll('another execution of this n8n works on it');
			const reasons = await Promise.all(
				run.map(async (entry) => {
					noteSeen(context, idIn(entry));
					return await whyAlive(context, idIn(entry), credential, waitMs);
				}),
			);
			const present = run.filter((_, index) => reasons[index] !== 'ended');
			const alive = reasons.find((reason) => reason !== undefined && reason !== 'ended');
			// A run works on one of them, and ends the others with it
			if (alive !== undefined) return present.forEach((entry) => leaveAlone(entry, alive));
			if (present.length === 0) return undefined;
			const lookUntil = Math.max(...run.map((entry) => youngUntil(context, entry.created_at)));
			const job = { name, lookUntil };
			const { end, warning } = await endDeployments(context, present.map(idIn), job);
			if (warning !== undefined && end.destroyed !== true) return open.push({ end, warning });
			return leftovers.ended_leftovers.push({ ...end, ...(warning && { hint: `${warning}.` }) });
		}),
	);
	const [first] = open;
	if (first === undefined) return leftovers;
	const { deployment_id, resource_private_name } = first.end;
	throw contextError(
		context,
		{
			message: `An earlier run of this job could not be ended. ${open.map(({ warning }) => warning).join('. ')}`,
			description: 'Nothing was deployed now.',
		},
		{ deployment_id, resource_private_name },
	);

	function leaveAlone(entry: IDataObject, reason: string): void {
		const { status = null } = entry;
		leftovers.left_alone.push({
			deployment_id: idOf(entry) ?? null,
			resource_private_name: nameOf(entry) ?? null,
			status,
			reason,
		});
	}
}

/** The deployments of each run under its name: where a proxy has sent a deploy again, there are two. */
function byRun(entries: IDataObject[]): Array<[name: string, entries: IDataObject[]]> {
	const runs = new Map<string, [string, IDataObject[]]>();
	for (const entry of entries) {
		const name = nameOf(entry) ?? '';
		const run = runs.get(name.toLowerCase()) ?? [name, []];
		run[1].push(entry);
		runs.set(name.toLowerCase(), run);
	}
	return [...runs.values()];
}

/** The list is an error where an entry has none. */
function idIn(entry: IDataObject): string {
	return String(idOf(entry));
}

/** All deployments; undefined where the service has no list. */
async function readEntries(context: ProductContext): Promise<IDataObject[] | undefined> {
	try {
		const entries = await prerequisite(
			context,
			'The list of deployments',
			'Nothing was deployed: an earlier run of this job may still be there.',
			async () => await listNamed(context),
		);
		noteList(context);
		return entries;
	} catch (caught) {
		const error = caught as NodeApiError;
		if (isAbsent(error)) return undefined;
		throw error;
	}
}

/**
 * Why a deployment must not be ended; undefined where its owner is dead, `ended` where it has ended by itself.
 */
async function whyAlive(
	context: ProductContext,
	deploymentId: string,
	credential: SshCredential,
	waitMs: number,
): Promise<string | undefined> {
	// Its owner waits so long for the first answer, and for one after a lost connection
	const longestMs = Math.max(waitMs, LOST_MS);
	const awaited = await awaitSsh(context, deploymentId, credential, longestMs);
	if ('ended' in awaited) return 'ended';
	if ('never' in awaited && awaited.isUnread)
		return 'the service does not show its VM, so it cannot be told whether an execution works on it';
	if ('never' in awaited)
		return awaited.problem?.problem === 'login'
			? 'it rejects this SSH key, so it cannot be told whether an execution works on it'
			: undefined;
	const before = await readHeartbeat(context, awaited.vm);
	await pause(context, BETWEEN_LOOKS_MS);
	const after = await readHeartbeat(context, awaited.vm);
	if (before === undefined || after === undefined)
		return 'its VM answered and does not answer any more, so it cannot be told whether an execution works on it';
	return before === after ? undefined : 'an execution of another n8n process works on it';
}

/** The heartbeat, empty where there is none; undefined where the VM does not answer. */
async function readHeartbeat(context: ProductContext, vm: Vm): Promise<string | undefined> {
	const signal = signalOf(context);
	for (let tries = 1; tries <= MOST_TRIES; tries++) {
		if (tries > 1) await pause(context, TRY_AGAIN_MS);
		try {
			const { stdout, exitCode } = await withSsh(
				context.functions,
				vm.login,
				signal,
				async (session) =>
					await ask(session, HEARTBEAT_SCRIPT, {
						timeoutMs: 30_000,
						maxOutputBytes: 4_096,
						signal,
					}),
			);
			if (exitCode === 0) return stdout;
		} catch (caught) {
			const error = caught as NodeApiError | SshError;
			if (signal.aborted) throw replyError(context, { kind: 'cancelled' });
			if (!(error instanceof SshError)) throw error;
		}
	}
	return undefined;
}
