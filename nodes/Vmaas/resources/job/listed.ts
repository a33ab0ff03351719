import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { idOf, listDeployments, nameOf } from '../../../marketplace/deployments';
import { isOfAnother } from '../../../marketplace/ownDeployments';
import { lacksList, noteList } from '../../../marketplace/presence';
import type { ProductContext } from '../../../marketplace/product';
import { trailOf } from '../../../marketplace/purchase';
import { stateOf } from '../../../marketplace/state';
import { YOUNG_MS } from '../../../marketplace/turns';
import { hasZone, LARGEST_ZONE_MS, timeOf } from '../../../shared/dates';
import { elapsed, now } from '../../../shared/time';

/** By what the deployments of a job are known in a list. */
export interface JobName {
	/** Undefined where it is not known: then it is what the list shows. */
	name?: string;
	/** Whether a name that the list shows is that of the job and nobody else's; by default in whatever case. */
	isName?: (shown: string) => boolean;
	/** Until then, by {@link elapsed}, a list may be too old to show what the deploy has made. */
	lookUntil?: number;
}

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

	constructor({ name, isName }: JobName) {
		this.name = name;
		this.isName = isName ?? ((shown) => shown.toLowerCase() === name?.toLowerCase());
	}

	/** Reads the list; its IDs under the name of the job have not ended. */
	async look(context: ProductContext): Promise<string[]> {
		this.entries = undefined;
		const entries = (this.entries = await readEntries(context));
		if (!Array.isArray(entries)) return [];
		const named = entries.filter((entry) => this.isName(nameOf(entry) ?? ''));
		this.name ??= nameOf(named[0] ?? {});
		this.isNameShown ||= named.length > 0;
		return billing(named).flatMap((entry) => idOf(entry) ?? []);
	}

	/** Whether the last look could read the list, or has shown that there is none. */
	get isRead(): boolean {
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
		if (this.entries === undefined)
			return { problem: 'the list of deployments could not be read', isPassing: true };
		if (this.entries === 'none')
			return { problem: 'the service has no list of deployments', isPassing: false };
		if (this.isNameShown) return undefined;
		const older = (this.name !== undefined && trailOf(context, this.name)?.olderIds) || [];
		const others = billing(this.entries).filter((entry) => {
			const id = idOf(entry) ?? '';
			const isKnown = knownIds.includes(id) || older.includes(id);
			return !isKnown && !isOfAnother(context, id, undefined);
		});
		if (others.length === 0) return undefined;
		const told = others
			.slice(0, MOST_TOLD)
			.map((entry) => `${idOf(entry) ?? 'no ID'} (${quoted(nameOf(entry))})`);
		const more = others.length > MOST_TOLD ? ` and ${others.length - MOST_TOLD} more` : '';
		const problem = `the service does not show the name of the job, so each of these may be one: ${told.join(', ')}${more}`;
		return { problem, isPassing: true };
	}
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
