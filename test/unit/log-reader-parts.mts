import type { IDataObject } from 'n8n-workflow';
import { Follower } from '../../nodes/CaasLogsTrigger/follower.ts';
import { LogReader } from '../../nodes/CaasLogsTrigger/logReader.ts';
import { Progress } from '../../nodes/CaasLogsTrigger/progress.ts';
import type { Settings } from '../../nodes/CaasLogsTrigger/settings.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { elapsed } from '../../nodes/shared/time.ts';
import { Body, functionsOf, LOG, settingsOf } from './log-parts.mts';
import { pass } from './still-time.mts';

export const LINES = ['one', 'two', 'three', 'four', 'five', 'six'];

/** A log of a service that honours the offset, and a reader that follows it. */
export function followed(
	lines: string[],
	changes: Partial<Settings> = {},
	{ newest, status = 'running' }: { newest?: number; status?: string } = {},
) {
	const log = [...lines];
	/** The connections, with the offset that each was requested from, and when. */
	const connections: Array<{ body: Body; offset: number; at: number }> = [];
	/** The offset of each request. */
	const asked: unknown[] = [];
	const start = elapsed();
	const service = {
		ends: false,
		/** The status of its answers. */
		status: 200,
		/** Index of the first line that it sends for an offset. */
		first: (offset?: number) => offset ?? 0,
		type: 'text/plain',
		text: (rows: string[]) => rows.map((row) => `${row}\n`).join(''),
	};
	const functions = functionsOf(({ url, qs }) => {
		if (!url.includes('/log/')) return { json: { data: { id: 'd', status } } };
		asked.push(qs.offset);
		if (service.status !== 200) return { status: service.status };
		const offset = service.first(qs.offset as number | undefined);
		const body = new Body();
		connections.push({ body, offset, at: elapsed() - start });
		body.write(service.text(log.slice(offset)));
		if (service.ends) body.write(undefined);
		return { body, headers: { 'content-type': service.type } };
	});
	const delivered: unknown[] = [];
	const last: unknown[] = [];
	const events: IDataObject[] = [];
	const reports: string[] = [];
	const follower = new Follower(functions, settingsOf({ connectionEvents: true, ...changes }), {
		async deliver({ items, isLast, progress, unfinished }) {
			const rows = items.map(({ json }) => json.line);
			// As the delivery of an active workflow
			if (follower.signal.aborted && !isLast) return false;
			(isLast ? last : delivered).push(...rows);
			progress.finish(unfinished);
			return await Promise.resolve(true);
		},
		report: ({ message }) => reports.push(message),
		event: (json) => events.push(json),
	});
	const progress = new Progress({ offset: BEGINNING, from: BEGINNING, known: [] });
	const reader = new LogReader(LOG, progress, follower, newest);
	void follower.follow(reader);
	const write = async (...rows: string[]) => {
		log.push(...rows);
		connections.at(-1)?.body.write(service.text(rows));
		await pass();
	};
	const lose = async () => {
		connections.at(-1)?.body.write(new Error('reset'));
		await pass();
	};
	/** Why connections were lost, and how the log ended. */
	const ends = () =>
		events.flatMap(({ event, reason }) => (event === 'connected' ? [] : [reason ?? event]));
	return {
		asked,
		connections,
		delivered,
		last,
		ends,
		reports,
		follower,
		progress,
		reader,
		write,
		lose,
		service,
		log,
	};
}
