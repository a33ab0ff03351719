import type { IDataObject, NodeApiError } from 'n8n-workflow';
import type { Reply } from '../../nodes/shared/http/reply.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import type { Evidence, Intent } from '../../nodes/shared/operation/sendOnce.ts';
import { pass } from './still-time.mts';

export const TWO_MINUTES = 120_000;

export const LOST: Reply = { kind: 'lost', reason: 'The connection broke' };
export const MADE: Evidence = { state: 'made', item: { id: 'm1' } };
export const ABSENT: Evidence = { state: 'absent', problem: 'it is not in the list' };

/** A purchase of which the looks show these things, one after the other; the last one again and again. */
export function purchase({
	looks = [ABSENT],
	note = {},
	ageMs = 0,
	signal,
	...more
}: Partial<Intent> & {
	looks?: Array<Evidence | Error>;
	ageMs?: number;
	signal?: AbortSignal;
} = {}) {
	const seen = { looks: 0, notes: [] as IDataObject[], cleared: 0, logged: [] as unknown[] };
	const context = {
		functions: { getNode: () => ({ id: 'n', name: 'Node', type: 't', typeVersion: 1 }) },
		itemIndex: 0,
		signal,
		known: {},
		journal: {
			note: (entry: IDataObject) => seen.notes.push({ ...entry }),
			clear: () => seen.cleared++,
			ageMs: () => ageMs,
		},
		log: (...said: unknown[]) => seen.logged.push(said),
	} as unknown as OperationContext;
	const intent: Intent = {
		what: 'Deploy of "job"',
		note: { name: 'job', ...note },
		facts: { name: 'job', id: null },
		proof: (reply) =>
			reply.kind === 'answer' && reply.text.includes('id') ? { id: 'said' } : undefined,
		evidence: {
			source: 'the list',
			look: async () => {
				const look = looks[Math.min(seen.looks++, looks.length - 1)] ?? ABSENT;
				if (look instanceof Error) throw look;
				return await Promise.resolve(look);
			},
		},
		warning: 'Look for it first',
		advice: 'It may exist.',
		cancelled: 'Cancelled while it was under way',
		...more,
	};
	return { context, intent, seen };
}

/** What became of it, with the time that passes meanwhile. */
export async function ended<T>(work: Promise<T>, ms = 2 * TWO_MINUTES) {
	const settled = work.then(
		(value) => ({ value, error: undefined }),
		(error: NodeApiError) => ({ value: undefined, error }),
	);
	await pass(ms);
	return await settled;
}
