import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { LOG_PATH, logsTrigger } from '../engine/logs.mts';
import { startServer, type TestServer } from '../engine/server.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { eventually, turns } from '../engine/wait.mts';

/** A log is read in runs of lines where that is possible, and line by line where not: the items must not tell the difference. */
const fixture = useFixture({ time: 'immediate' });

const LINES = Array.from({ length: 100 }, (_, index) =>
	index % 9 === 0 ? `{"level":"error","at":${index}}` : `line ${index} ärger`,
);
const LOGS = {
	'bare lines': LINES.map((line) => `${line}\n`),
	'bare lines that end as in Windows': LINES.map((line) => `${line}\r\n`),
	events: LINES.map((line) => `data: ${line}\n\n`),
	'events, some with an ID': LINES.map(
		(line, index) => `${index % 3 === 0 ? `id: ${index}\n` : ''}data: ${line}\n\n`,
	),
};
const PARAMETERS: Record<string, IDataObject> = {
	'no option': {},
	'an offset in bytes': { options: { offsetUnit: 'bytes' } },
	'an offset by event ID': { options: { offsetUnit: 'eventId' } },
	'a level': { options: { level: 'error' } },
	'a level with context': { options: { level: 'error', contextLines: 2 } },
	'batches of one': { batch: { maxEntries: 1, maxWaitMs: 60_000 } },
	'a line to stop at': { options: { stopOn: 'line 61 ' } },
	'an item per batch': { options: { output: 'batch' } },
};

/** A service with the log of a deployment that has ended: its first stream comes in pieces of so many bytes, later ones are empty. */
async function serve(log: string, size: number): Promise<TestServer> {
	let connections = 0;
	const bytes = Buffer.from(log);
	return await startServer(async ({ url = '' }, response) => {
		if (!LOG_PATH.test(url))
			return void response
				.setHeader('content-type', 'application/json')
				.end(JSON.stringify({ data: { status: 'completed' } }));
		response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
		if (++connections === 1)
			for (let from = 0; from < bytes.length; from += size) {
				response.write(bytes.subarray(from, from + size));
				await turns(1);
			}
		response.end();
	});
}

/** The batches of items of a log in pieces of so many bytes, without the time at which they came. */
async function batchesOf(log: string, size: number, parameters: IDataObject): Promise<unknown[]> {
	const server = await serve(log, size);
	const { url } = server;
	const engine = await startEngine(sandboxCredentials({ ...fixture.sandbox, url }));
	const { options, ...others } = parameters;
	const trigger = new ActiveTrigger(
		engine,
		logsTrigger({
			batch: { maxEntries: 10, maxWaitMs: 60_000 },
			...others,
			options: { ...(options as IDataObject), connectionEvents: true },
		}),
	);
	await trigger.activate();
	await eventually('the end', () =>
		trigger.items.some(({ event }) => event === 'finished' || event === 'stopped'),
	);
	await trigger.deactivate();
	await server.close();
	return trigger.executions
		.map(({ items }) => items.map(({ json }) => json).filter(({ event }) => event === undefined))
		.filter((batch) => batch.length > 0)
		.map((batch) => JSON.parse(JSON.stringify(batch, withoutTime)) as unknown);
}

const withoutTime = (key: string, value: unknown) => (key === 'received_at' ? undefined : value);

describe.each(Object.entries(LOGS))('%s', (_, entries) => {
	it.each(Object.entries(PARAMETERS))(
		'the same items however the bytes are cut: %s',
		async (_name, parameters) => {
			const log = entries.join('');
			const whole = await batchesOf(log, log.length * 2, parameters);
			expect(whole.length).toBeGreaterThan(0);
			for (const size of [7, 500])
				expect(await batchesOf(log, size, parameters), `pieces of ${size} bytes`).toEqual(whole);
		},
	);
});
