import { describe, expect, it } from 'vitest';
import { Connection } from '../../nodes/CaasLogsTrigger/connection.ts';
import type { Settings } from '../../nodes/CaasLogsTrigger/settings.ts';
import { LOG_CREDENTIALS } from '../../nodes/marketplace/log/credentials.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import { Framing } from '../../nodes/shared/stream/framing.ts';
import { elapsed } from '../../nodes/shared/time.ts';
import { Body, functionsOf, LOG, settingsOf, type Answered } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

const EVENTS = { 'content-type': 'text/event-stream' };

async function open(
	answer: Answered,
	changes: Partial<Settings> = {},
	framing = new Framing(),
	signal = new AbortController().signal,
) {
	const functions = functionsOf(() => answer);
	const context = { functions, account: await openAccount(functions, LOG_CREDENTIALS), signal };
	const at = elapsed();
	const lines: Array<[data: string, receivedAt: number]> = [];
	const sizes: number[] = [];
	const opened = await Connection.open(
		context,
		LOG,
		settingsOf(changes),
		framing,
		BEGINNING,
		30_000,
		signal,
		({ data, bytes }, receivedAt) => {
			lines.push([data, receivedAt - at]);
			sizes.push(bytes);
		},
	);
	return { opened, lines, sizes, at };
}

/** No test needs so many: reads that never waited would leave no time for anything else. */
const MOST_READS = 1_000;

/** A connection that is open, to which a test writes, and which is read all the time. */
async function reading(changes: Partial<Settings> = {}, framing = new Framing(), headers = {}) {
	const body = new Body();
	const controller = new AbortController();
	const { opened, lines, sizes, at } = await open(
		{ body, headers },
		changes,
		framing,
		controller.signal,
	);
	if (!(opened instanceof Connection)) throw new Error('There is no connection');
	const ends: string[] = [];
	void (async () => {
		while (ends.length < MOST_READS && !['end', 'broken', 'closed'].includes(ends.at(-1) ?? ''))
			ends.push(await opened.read(Infinity, () => undefined));
	})();
	const write = async (afterMs: number, ...data: Array<string | Error | undefined>) => {
		await pass(afterMs);
		body.write(...data);
		await pass();
	};
	const texts = () => lines.map(([data]) => data);
	return { connection: opened, body, lines, sizes, texts, write, at, ends, framing, controller };
}

describe('a blank line of bare lines', () => {
	it('is an entry where it comes with others, or before five seconds of silence', async () => {
		const { texts, write, connection } = await reading();
		await write(0, 'a\n\nb\n');
		await write(4_999, '\n');
		expect(texts()).toEqual(['a', '', 'b', '']);
		expect(connection.entries).toBe(4);
		const first = await reading();
		await first.write(0, '\n');
		expect(first.texts()).toEqual(['']);
	});

	it('that comes alone in silence waits for what comes after it', async () => {
		const { lines, texts, write, connection } = await reading();
		await write(0, 'a\n');
		await write(5_000, '\n');
		expect(texts()).toEqual(['a']);
		await write(1_000, 'b\n');
		expect(lines).toEqual([
			['a', 0],
			['', 5_000],
			['b', 6_000],
		]);
		expect(connection.entries).toBe(3);
	});

	it.each([
		['the same chunk', 0, '\nb\n', ['a', '', 'b']],
		['another chunk', 1, 'b\n', ['a', 'b']],
	])(
		'that came twice in silence keeps the connection alive: a line in %s',
		async (_, ms, last, all) => {
			const { texts, write, framing, connection } = await reading();
			await write(0, 'a\n');
			await write(10_000, '\n');
			await write(10_000, '\n');
			expect(framing.keepAliveMs).toBe(10_000);
			await write(ms === 0 ? 10_000 : ms, last);
			expect(texts()).toEqual(all);
			expect(connection.entries).toBe(all.length);
		},
	);

	it.each([
		[8_999, true],
		[9_000, false],
		[10_000, false],
		[11_000, false],
		[11_001, true],
	])('that is due after ten seconds comes after %d ms: an entry? %s', async (ms, isEntry) => {
		const { texts, write } = await reading();
		await write(10_000, '\n');
		await write(10_000, '\n');
		await write(6_500, 'a\n');
		await write(ms - 6_500, '\n');
		expect(texts()).toEqual(isEntry ? ['a', ''] : ['a']);
	});

	it('is none where it is held at the end, and keeps nothing alive by itself', async () => {
		const { texts, write, ends, framing, connection, at } = await reading();
		await write(0, 'a\n');
		await write(6_000, '\n');
		await write(0, undefined);
		connection.end(() => true, false);
		expect(texts()).toEqual(['a']);
		expect(ends.at(-1)).toBe('end');
		expect(framing.keepAliveMs).toBeUndefined();
		expect(connection.lastEntryAt).toBe(at);
	});

	it.each([
		['auto', ['data: b']],
		['sse', ['b']],
	] as const)(
		'that keeps a log alive shows that its lines are bare, with the format %s',
		async (format, all) => {
			const framing = Object.assign(new Framing(), { keepAliveMs: 10_000 });
			const { texts, write } = await reading({ format }, framing, EVENTS);
			await write(0, 'data: b\n\n');
			expect(texts().slice(0, 1)).toEqual(all);
		},
	);
});

describe('an event whose blank line does not come', () => {
	it('is shown after two seconds, and lines after it at once', async () => {
		const { lines, write, connection, at } = await reading({}, new Framing(), EVENTS);
		await write(1_000, 'data: a\n');
		await write(1_999, ': comment\n');
		expect(lines).toEqual([]);
		await pass(1);
		expect(lines).toEqual([['a', 1_000]]);
		expect(connection.lastEntryAt).toBe(at + 3_000);
		await write(1_000, 'data: b\n');
		expect(lines).toEqual([
			['a', 1_000],
			['b', 4_000],
		]);
	});

	it('waits two seconds from the last event on', async () => {
		const { texts, write } = await reading({}, new Framing(), EVENTS);
		await write(0, 'data: a\n');
		await write(1_500, '\ndata: b\n');
		await write(1_999);
		expect(texts()).toEqual(['a']);
		await pass(1);
		expect(texts()).toEqual(['a', 'b']);
	});

	it('is shown at the end, or when a reader asks for it', async () => {
		const ended = await reading({}, new Framing(), EVENTS);
		await ended.write(0, 'data: a\n', undefined);
		expect(ended.texts()).toEqual(['a']);
		const asked = await reading({}, new Framing(), EVENTS);
		await asked.write(0, 'data: a\n');
		asked.connection.showPending();
		expect(asked.texts()).toEqual(['a']);
	});

	it('waits on where events of several lines have shown that it comes', async () => {
		const { texts, write, connection, ends } = await reading({}, new Framing(), EVENTS);
		await write(0, 'data: a\ndata: b\n\ndata: c\n');
		connection.showPending();
		await pass(9_999);
		expect(texts()).toEqual(['a\nb']);
		await write(0, undefined);
		expect([texts(), ends.at(-1)]).toEqual([['a\nb'], 'end']);
		connection.end(() => false, false);
		expect(texts()).toEqual(['a\nb']);
	});

	it('is no less patient for what the reader itself waits for', async () => {
		const { texts, write, connection, at } = await reading({}, new Framing(), EVENTS);
		await write(0, 'data: a\n');
		const done = connection.pauseFor(pass(1_500).then(() => 'done'));
		expect(await done).toBe('done');
		expect(connection.lastEntryAt).toBe(at + 1_500);
		await write(1_000, ': comment\n');
		expect(texts()).toEqual([]);
		await write(1_000, ': comment\n');
		expect(texts()).toEqual(['a']);
	});
});

describe('the end of a connection', () => {
	it.each([
		['end', undefined],
		['broken', new Error('reset')],
	])('is "%s"', async (kind, last) => {
		const { write, ends } = await reading();
		await write(0, last);
		expect(ends.at(-1)).toBe(kind);
	});

	it('is "closed" where reading stops', async () => {
		const { controller, ends } = await reading();
		controller.abort();
		await pass();
		expect(ends).toEqual(['closed']);
	});

	it.each([
		[true, ['a', 'b']],
		[false, ['a']],
	])('a last line without an end is one: %s', async (isEntry, all) => {
		const { write, connection, texts } = await reading();
		await write(0, 'a\nb', undefined);
		connection.end(() => false, isEntry);
		expect(texts()).toEqual(all);
	});

	it('closes the body, and is noted once', async () => {
		const { body, connection, framing, write } = await reading({}, new Framing(), EVENTS);
		let noted = 0;
		framing.connectionEnded = () => void noted++;
		await write(0, 'retry: 7000\ndata: a\n\n');
		expect(connection.retryMs).toBe(7_000);
		connection.end(() => true, false);
		connection.close();
		expect([body.isDestroyed, noted]).toEqual([true, 1]);
	});
});

it('entries have their bytes where the service counts in them', async () => {
	const { sizes, write } = await reading({ offsetUnit: 'bytes' });
	await write(0, 'a\r\n', 'é\n');
	expect(sizes).toEqual([3, 3]);
});

describe('a refusal', () => {
	it.each([
		[400, true, true, true],
		[401, true, false, false],
		[404, true, true, false],
		[408, false, false, false],
		[416, true, true, true],
		[422, true, true, true],
		[425, false, false, false],
		[429, false, false, false],
		[499, true, false, false],
		[500, false, false, false],
		[503, false, false, false],
	])(
		'%d: a person must act %s, about the offset %s, its value %s',
		async (status, isError, isOffset, isOffsetValue) => {
			const { opened } = await open({ status, headers: { 'retry-after': '7' } });
			expect(opened).toMatchObject({ isOffset, isOffsetValue, retryAfterMs: 7_000 });
			expect(opened).toHaveProperty('error', isError ? expect.any(Error) : undefined);
			expect(opened).toHaveProperty('reason', expect.stringContaining(String(status)));
		},
	);

	it('is a web page, by its type or its content', async () => {
		const headers = { 'content-type': 'text/html' };
		const { opened } = await open({ body: new Body(), headers });
		expect(opened).toMatchObject({ reason: expect.stringContaining('web page'), error: undefined });
		const { connection, write } = await reading({}, new Framing(), { 'content-type': '' });
		expect(connection.refusal).toBeUndefined();
		await write(0, '<!doctype html><html><body>');
		expect(connection.refusal).toContain('web page');
	});
});
