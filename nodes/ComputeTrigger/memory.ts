import type { IPollFunctions } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { parseJson } from '../shared/json';

/** What the trigger keeps from poll to poll. */
export interface Kept {
	/** A digest of what is watched: for anything else it is no base line. */
	scope: string;
	/** When the base line was made, in milliseconds since 1970. */
	since: number;
	/** How many polls have told events since. */
	told: number;
	/** How often something was kept since: clocks may be set back. */
	count: number;
	/** By part (a product, say), what was seen. */
	seen: Record<string, unknown>;
}

/** The key in the node's static data. */
const KEY = 'computeTrigger';

/**
 * What quiet polls of this process have seen, by workflow and node. n8n does not save static data after a poll without
 * events (unless durable cursors are on), and may read what it has saved before the next one.
 */
const quiet = new Map<string, Kept>();

/** The node that polls, in this process. */
export function nodeKey(functions: IPollFunctions): string {
	return `${functions.getWorkflow().id}:${functions.getNode().id}`;
}

/** What was kept for this scope; undefined before the first poll. */
export function load(functions: IPollFunctions, scope: string): Kept | undefined {
	const saved = savedIn(functions);
	const own = quiet.get(nodeKey(functions));
	if (saved?.scope !== scope) return own?.scope === scope && !saved ? own : undefined;
	// What was seen before events that n8n has saved since is no continuation
	const isContinued = own?.scope === scope && own.since === saved.since && own.told === saved.told;
	return isContinued && own.count > saved.count ? own : saved;
}

/** Keeps what a poll has seen. n8n saves it with the execution that the events start. */
export function store(functions: IPollFunctions, kept: Kept, hasEvents: boolean): void {
	functions.getWorkflowStaticData('node')[KEY] = JSON.stringify(kept);
	// n8n may drop events, as those of a workflow that is deactivated meanwhile: only then they are told again
	if (!hasEvents) quiet.set(nodeKey(functions), kept);
}

function savedIn(functions: IPollFunctions): Kept | undefined {
	const text = functions.getWorkflowStaticData('node')[KEY];
	const kept = typeof text === 'string' ? parseJson(text) : undefined;
	return isRecord(kept) && isRecord(kept.seen) ? (kept as unknown as Kept) : undefined;
}
