import type { IDataObject } from 'n8n-workflow';
import type { Closed } from '../../nodes/CaasLogsTrigger/connection.ts';
import { Follower } from '../../nodes/CaasLogsTrigger/follower.ts';
import type { LogReader } from '../../nodes/CaasLogsTrigger/logReader.ts';
import { elapsed } from '../../nodes/shared/time.ts';
import { functionsOf, LOG, settingsOf, type Answered } from './log-parts.mts';

/** A connection that was lost. */
export const lost = (more: Partial<Extract<Closed, { kind: 'lost' }>> = {}): Closed => ({
	kind: 'lost',
	reason: 'lost it',
	livedMs: 0,
	isProgress: false,
	hasMore: false,
	isEmpty: false,
	...more,
});
export const refused = (more: Partial<Extract<Closed, { kind: 'refused' }>> = {}): Closed => ({
	kind: 'refused',
	reason: 'refused it',
	...more,
});

/** What a reader of a log gets, connection by connection; the last one again and again. */
export type Script = Array<Closed | Error | 'silent'>;

export function follow(
	scripts: Record<string, Script>,
	{ connectionEvents = false, answer = (): Answered => ({ status: 404 }) } = {},
) {
	const reports: Array<{ message: string }> = [];
	const events: IDataObject[] = [];
	const functions = functionsOf(answer);
	const follower = new Follower(functions, settingsOf({ connectionEvents }), {
		deliver: async () => await Promise.resolve(true),
		report: (one) => reports.push(one),
		event: (json) => events.push(json),
	});
	const at = elapsed();
	const results: unknown[] = [];
	const readers = Object.entries(scripts).map(([name, script]) => {
		const [containerId = '', stream = 'stdout'] = name.split('/');
		const controller = new AbortController();
		/** When it connected, in milliseconds since the start. */
		const connects: number[] = [];
		const left = [...script];
		const reader = {
			log: { ...LOG, containerId, stream },
			progress: { hasStopped: false },
			retryMs: undefined as number | undefined,
			isFinished: false,
			connects,
			stopSignal: controller.signal,
			stop: () => controller.abort(),
			finish: async () => await Promise.resolve((reader.isFinished = true)),
			async connect(onOpen: () => void): Promise<Closed> {
				connects.push(elapsed() - at);
				const next = (left.length > 1 ? left.shift() : left[0]) ?? 'silent';
				if (next instanceof Error) throw next;
				if (next === 'silent' || next.kind !== 'refused') onOpen();
				if (next !== 'silent') return await Promise.resolve(next);
				return await new Promise((resolve) =>
					controller.signal.addEventListener('abort', () => resolve({ kind: 'closed' })),
				);
			},
		};
		void follower
			.follow(reader as unknown as LogReader)
			.then((result) => results.push(result?.message ?? 'open'));
		return reader;
	});
	/** The time between two connections of the first log. */
	const gaps = () => {
		const connects = readers[0]?.connects ?? [];
		return connects.slice(1).map((one, before) => one - (connects[before] ?? 0));
	};
	return { follower, readers, reports, events, results, gaps };
}
