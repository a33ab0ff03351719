import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { idOf, listDeployments, nameOf } from '../../../marketplace/deployments';
import { hasId, isSameId } from '../../../marketplace/ids';
import { isOfAnother } from '../../../marketplace/ownDeployments';
import { lacksList, noteList } from '../../../marketplace/presence';
import type { ProductContext } from '../../../marketplace/product';
import { trailOf } from '../../../marketplace/purchase';
import { stateOf } from '../../../marketplace/state';
import { YOUNG_MS } from '../../../marketplace/turns';
import { hasZone, LARGEST_ZONE_MS, timeOf } from '../../../shared/dates';
import { contextError } from '../../../shared/operation/context';
import { elapsed, now } from '../../../shared/time';
import { jobOfName } from './jobName';

/** By what the deployments of a job are known in a list. */
export interface JobName {
	/** Undefined where it is not known: then it is what the list shows. */
	name?: string;
	/** Whether a name that the list shows is that of the job and nobody else's; by default in whatever case. */
	isName?: (shown: string) => boolean;
	/** Only once a list has shown this deployment under the name, others of the name count: it may be that of another job. */
	provenBy?: string;
	/** Until then, by {@link elapsed}, a list may be too old to show what the deploy has made. */
	lookUntil?: number;
}

/** A service has no list where it has said so for so long, in milliseconds: a gateway says it while its routes change. */
const NONE_MS = 60_000;

/** Of so many the words say that they may be of a job. */
const MOST_TOLD = 10;

/** What looks at the list of deployments have shown of a job. */
export class JobList {
	name: string | undefined;
	private readonly isName: (shown: string) => boolean;
	/** As the last look has read it; `none` where the service has no list, undefined where it could not be read. */
	private entries: IDataObject[] | 'none' | undefined;
	/** Whether a look has shown the name: then what is named otherwise is not of the job. A service may change names, or show none. */
	private isNameShown = false;
	private readonly provenBy: string | undefined;
	/** Since when it is said in a row that there is no list, by {@link elapsed}. */
	private noneSince: number | undefined;

	constructor({ name, isName, provenBy }: JobName) {
		this.name = name;
		this.isName = isName ?? ((shown) => shown.toLowerCase() === name?.toLowerCase());
		this.provenBy = provenBy;
	}

	/** Reads the list; its IDs under the name of the job have not ended. */
	async look(context: ProductContext): Promise<string[]> {
		this.entries = undefined;
		const entries = (this.entries = await readEntries(context));
		this.noneSince = entries === 'none' ? (this.noneSince ?? elapsed()) : undefined;
		if (!Array.isArray(entries)) return [];
		const named = entries.filter((entry) => this.isName(nameOf(entry) ?? ''));
		const { provenBy } = this;
		this.isNameShown ||=
			provenBy === undefined
				? named.length > 0
				: named.some((entry) => isSameId(idOf(entry), provenBy));
		if (!this.isNameShown) return [];
		this.name ??= nameOf(named[0] ?? {});
		return billing(named).flatMap((entry) => idOf(entry) ?? []);
	}

	/** Whether the last look could read the list, or has shown that there is none. */
	get isRead(): boolean {
		if (this.noneSince !== undefined) return elapsed() >= this.noneSince + NONE_MS;
		return this.entries !== undefined;
	}

	/**
	 * Why it cannot be told whether the deploy has made more than the known ones, and which those may be.
	 * @returns undefined where the last look has shown that nothing else that can be of the job bills; otherwise also whether a later
	 *   look may show it
	 */
	unsure(
		context: ProductContext,
		knownIds: string[],
	): { problem: string; isPassing: boolean } | undefined {
		const { entries } = this;
		if (entries === undefined || !this.isRead)
			return { problem: 'the list of deployments could not be read', isPassing: true };
		if (entries === 'none')
			return { problem: 'the service has no list of deployments', isPassing: false };
		const older = (this.name !== undefined && trailOf(context, this.name)?.olderIds) || [];
		const others = billing(entries).filter((entry) => {
			const id = idOf(entry) ?? '';
			const isKnown = hasId([...knownIds, ...older], id);
			return !isKnown && !isOfAnother(context, id, undefined) && this.mayBeNamed(nameOf(entry));
		});
		if (others.length === 0) return undefined;
		const told = others
			.slice(0, MOST_TOLD)
			.map((entry) => `${idOf(entry) ?? 'no ID'} (${quoted(nameOf(entry))})`);
		const more = others.length > MOST_TOLD ? ` and ${others.length - MOST_TOLD} more` : '';
		const why = this.isNameShown
			? 'the service shows others without a name, or with a longer one'
			: 'the service does not show the name of the job';
		const problem = `${why}, so each of these may be one: ${told.join(', ')}${more}`;
		// What is named otherwise than the job is hardly its own: it is told, and holds up nothing
		return { problem, isPassing: !this.isNameShown };
	}

	/** Whether what is shown so may be of the job: where the service shows its name, one without a name yet, or with more behind it. */
	private mayBeNamed(shown: string | undefined): boolean {
		if (!this.isNameShown || shown === undefined) return true;
		return this.name !== undefined && shown.toLowerCase().startsWith(this.name.toLowerCase());
	}
}

/**
 * Whether the service shows that a deployment which has ended was that of a job.
 * @throws where it was that of another one
 */
export async function isOfJob(
	context: ProductContext,
	jobId: string,
	ended: IDataObject,
): Promise<boolean> {
	const id = context.known.deployment_id;
	const isIt = (entry: IDataObject) => idOf(entry) === id;
	const name =
		nameOf(ended) ?? nameOf((await listDeployments(context).catch(() => [])).find(isIt) ?? {});
	const shown = jobOfName(name ?? '');
	if (shown !== undefined && shown !== jobId)
		throw contextError(context, {
			message: `The deployment "${name}" is not that of job ${jobId}, so nothing was ended`,
			description: 'Use the deployment_id and the job_id of one item of Start.',
		});
	return shown === jobId;
}

/**
 * What a person must know while a job goes on: which others the list shows now under its name, and that they bill.
 * @param deploymentId that of the job
 */
export async function warningOfOthers(
	context: ProductContext,
	deploymentId: string,
	job: JobName,
): Promise<string | undefined> {
	const ids = await new JobList(job).look(context);
	const others = ids.filter((id) => !isSameId(id, deploymentId));
	if (others.length === 0) return undefined;
	return `The list shows ${others.join(', ')} under the name of this job, too, which bills. Destroy it`;
}

/** Until when, by {@link elapsed}, what was made with a deployment may not be listed yet. One whose age is not shown may be new. */
export function youngUntil({ account }: ProductContext, created: unknown): number {
	const createdAt = timeOf(created) ?? Infinity;
	const zoneMs = hasZone(created) ? 0 : LARGEST_ZONE_MS;
	const ageMs = now() + (account.clockAheadMs ?? 0) - createdAt - zoneMs;
	return elapsed() - Math.max(0, ageMs) + YOUNG_MS;
}

function quoted(name: string | undefined): string {
	return name === undefined ? 'no name' : `"${name}"`;
}

/** Those that have not ended. */
function billing(entries: IDataObject[]): IDataObject[] {
	return entries.filter(({ status }) => stateOf(status) !== 'ended');
}

/** All deployments; `none` where the service has no list, undefined where it cannot be read now. */
async function readEntries(context: ProductContext): Promise<IDataObject[] | 'none' | undefined> {
	try {
		const entries = await listDeployments(context);
		noteList(context);
		return entries;
	} catch (caught) {
		const error = caught as NodeApiError;
		return lacksList(context, error) ? 'none' : passing(context)(error);
	}
}

/** What fails is tried again, until the time is over. */
export function passing({ signal }: ProductContext): (error: NodeApiError) => undefined {
	return (error) => {
		if (signal?.aborted) throw error;
		return undefined;
	};
}
