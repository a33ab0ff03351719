import { describe, expect, it } from 'vitest';
import type { ReaderHost } from '../../nodes/CaasLogsTrigger/readerHost.ts';
import type { CloseReason } from '../../nodes/CaasLogsTrigger/closeReason.ts';
import { Checkpoint } from '../../nodes/CaasLogsTrigger/checkpoint.ts';
import type { EndOfLogCheck } from '../../nodes/CaasLogsTrigger/endOfLog.ts';
import type { Settings } from '../../nodes/CaasLogsTrigger/settings.ts';
import { LogReader } from '../../nodes/CaasLogsTrigger/logReader.ts';
import type { OpenStream } from '../../nodes/shared/stream/stream.ts';

const SETTINGS: Settings = {
	deploymentId: 'd',
	containerIds: ['c'],
	streams: ['stdout'],
	startFrom: 'beginning',
	offset: '0',
	maxEntries: 10,
	maxWaitMs: 60_000,
	delivery: 'completed',
	maxRunsInFlight: 1,
	jsonOnly: false,
	contextLines: 0,
	idleTimeoutMs: 60_000,
	format: 'auto',
	largestLine: 1_048_576,
	output: 'entries',
	connectionEvents: false,
	offsetParameter: 'offset',
	offsetUnit: 'entries',
};

/** Entries without the time at which they came, which is another one each time. */
const timeless = (json: unknown) =>
	JSON.parse(
		JSON.stringify(json, (key, value: unknown) => (key === 'received_at' ? undefined : value)),
	) as unknown;

/**
 * Everything that a reader delivers of a log whose bytes come in pieces of a size, and its offsets then. Of a log in one piece
 * the first line comes before the rest: the first entry of a connection is looked at by itself, and bare lines with it.
 */
async function followed(
	log: string,
	size: number,
	changed: Partial<Settings>,
	checkpoint = new Checkpoint(),
) {
	const batches: unknown[][] = [];
	const host: ReaderHost = {
		settings: { ...SETTINGS, ...changed },
		signal: new AbortController().signal,
		context: async () => await Promise.reject(new Error('is not opened here')),
		deliver: async ({ items, endOffset, checkpoint: of }) => {
			batches.push(items.map(({ json }) => timeless(json)));
			of.commit(of.beginBatch(endOffset));
			return await Promise.resolve(true);
		},
		hasDeploymentEnded: async () => await Promise.resolve(false),
		reportLostBatches: () => undefined,
	};
	const bytes = Buffer.from(log);
	async function* pieces(): AsyncGenerator<Uint8Array> {
		const begin = size < bytes.length ? size : bytes.indexOf('\n') + 1;
		yield await Promise.resolve(bytes.subarray(0, begin));
		for (let from = begin; from < bytes.length; from += size)
			yield await Promise.resolve(bytes.subarray(from, from + size));
	}
	const reader = new LogReader(
		{ deploymentId: 'd', containerId: 'c', stream: 'stdout' },
		checkpoint,
		host,
	);
	reader.cursor.onConnected(true);
	const opened = {
		kind: 'open',
		body: Object.assign(pieces(), { destroy: () => undefined }),
		format: 'auto',
		account: {},
	} as unknown as OpenStream;
	const ending = await (reader as unknown as { read(from: OpenStream): Promise<CloseReason> }).read(
		opened,
	);
	const { readOffset, entryOffset } = reader.cursor;
	const { received } = (reader as unknown as { endOfLog: EndOfLogCheck }).endOfLog;
	reader.cursor.onConnected(true);
	// A service may begin with what it has sent last
	const again = reader.cursor.next({
		data: lines[99] ?? '',
		type: 'message',
		lastEventId: '99',
		hasOwnId: true,
		bytes: 1,
		truncated: false,
	});
	return {
		batches,
		kind: ending.kind,
		readOffset,
		entryOffset,
		received,
		inFlight: checkpoint.inFlight,
		again,
	};
}

const lines = Array.from({ length: 100 }, (_, index) =>
	index % 9 === 0 ? `{"level":"error","at":${index}}` : `line ${index} ärger`,
);
const LOGS = {
	'bare lines': lines.map((line) => `${line}\n`).join(''),
	'bare lines that end as in Windows': lines.map((line) => `${line}\r\n`).join(''),
	events: lines.map((line) => `data: ${line}\n\n`).join(''),
	'events, some with an ID': lines
		.map((line, index) => `${index % 3 === 0 ? `id: ${index}\n` : ''}data: ${line}\n\n`)
		.join(''),
};
const CHANGES: Record<string, Partial<Settings>> = {
	'nothing chosen': {},
	'bytes counted': { offsetUnit: 'bytes' },
	'IDs counted': { offsetUnit: 'eventId' },
	'a level': { level: 'error' },
	'a level with context': { level: 'error', contextLines: 2 },
	'batches of one': { maxEntries: 1 },
	'a line to stop at': {
		stopOn: { test: (line: string) => line.includes('line 61 ') } as Settings['stopOn'],
	},
	'one item a batch': { output: 'batch' },
};

/** A line to stop at that never comes: each entry is looked at by itself. */
const ONE_BY_ONE = { stopOn: { test: () => false } as unknown as Settings['stopOn'] };

/** What was saved when an execution of the first 37 entries was interrupted. */
function interrupted(more = {}): Checkpoint {
	const checkpoint = new Checkpoint();
	checkpoint.beginBatch({ entries: 37, bytes: 0, lastEventId: '' });
	return Checkpoint.load({ ...checkpoint.save(), ...more }) ?? checkpoint;
}

describe.each(Object.entries(LOGS))('%s in pieces are what they are in one', (_, log) => {
	it.each(Object.entries(CHANGES))('%s', async (_name, changed) => {
		const whole = await followed(log, log.length * 2, { ...ONE_BY_ONE, ...changed });
		expect(whole.batches.length).toBeGreaterThan(0);
		for (const size of [7, 64, 500, log.length * 2])
			expect(await followed(log, size, changed), `pieces of ${size} bytes`).toEqual(whole);
	});

	it('nothing of what is skipped', async () => {
		const skipping = () => Object.assign(new Checkpoint(), { skipsBacklog: true });
		const whole = await followed(log, log.length * 2, {}, skipping());
		expect(whole.batches).toEqual([]);
		for (const size of [7, 500]) expect(await followed(log, size, {}, skipping())).toEqual(whole);
	});

	it('the batch that was in flight is redelivered as it was', async () => {
		const whole = await followed(log, log.length * 2, {}, interrupted());
		expect(whole.batches[0]).toHaveLength(37);
		for (const size of [7, 500])
			expect(await followed(log, size, {}, interrupted())).toEqual(whole);
	});

	it('nothing after the batch that was in flight when the log was over', async () => {
		for (const size of [7, 500, log.length * 2]) {
			const { batches, kind, readOffset } = await followed(
				log,
				size,
				{},
				interrupted({ over: true }),
			);
			expect([batches.length, batches[0]?.length, kind, readOffset.entries]).toEqual([
				1,
				37,
				'finished',
				37,
			]);
		}
	});
});
