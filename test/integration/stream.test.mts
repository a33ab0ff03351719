import { describe, expect, it } from 'vitest';
import {
	eventsOf,
	openStream,
	readStream,
	type StreamRequest,
} from '../../nodes/shared/stream/stream.ts';
import type { LogDecoderOptions } from '../../nodes/shared/stream/logDecoder.ts';
import { API_KEY, beginning, hangUp, json, silence, text, useApi } from '../engine/api.mts';
import { until } from '../engine/time.mts';

const service = useApi();
const LOG: StreamRequest = { method: 'GET', path: '/{service}/log' };
const lines = { format: 'lines' } as const;

describe('a stream', () => {
	it('is requested once, as an event stream', async () => {
		service.answers = [beginning('one\n')];
		const opened = await openStream(await service.api(), {
			...LOG,
			headers: { 'Last-Event-ID': '7' },
		});
		expect(opened).toMatchObject({
			kind: 'open',
			account: { credentialType: 'computeMarketplaceApi' },
		});
		expect(service.received).toMatchObject([
			{ url: '/svc/log', headers: { accept: 'text/event-stream', 'last-event-id': '7' } },
		]);
		if (opened.kind === 'open') opened.body.destroy();
		await service.noConnection();
	});

	it('can be requested in another format', async () => {
		service.answers = [beginning('one\n')];
		const opened = await openStream(await service.api(), {
			...LOG,
			headers: { Accept: 'text/plain' },
		});
		expect(service.received[0]?.headers.accept).toBe('text/plain');
		if (opened.kind === 'open') opened.body.destroy();
	});

	it('that is refused is not requested again', async () => {
		service.answers = [json({ detail: 'busy' }, 503, { 'retry-after': '0' })];
		expect(await openStream(await service.api(), LOG)).toMatchObject({
			kind: 'answer',
			status: 503,
			text: '{"detail":"busy"}',
			retryAfter: '0',
		});
		expect(service.received).toHaveLength(1);
		service.answers = [hangUp];
		expect(await openStream(await service.api(), LOG)).toMatchObject({ kind: 'lost' });
	});

	it('of a cancelled execution is not opened, or closed', async () => {
		expect(await openStream(await service.api(AbortSignal.abort()), LOG)).toEqual({
			kind: 'cancelled',
		});
		expect(service.received).toHaveLength(0);
		service.answers = [silence];
		const stop = new AbortController();
		const opening = openStream(await service.api(stop.signal), LOG);
		await until(() => service.received.length === 1);
		stop.abort();
		expect(await opening).toEqual({ kind: 'cancelled' });
		await service.noConnection();
	});
});

describe('the format of a stream', () => {
	const formOf = async (contentType: string | undefined) => {
		service.answers = [
			text('x', 200, contentType === undefined ? {} : { 'content-type': contentType }),
		];
		const opened = await openStream(await service.api(), LOG);
		if (opened.kind === 'open') opened.body.destroy();
		return opened.kind === 'open' ? opened.format : opened;
	};

	it.each([
		'text/plain',
		' Text/Plain ; charset=utf-8',
		'application/json',
		'application/x-ndjson',
		'application/jsonl',
	])('%s: lines', async (contentType) => {
		expect(await formOf(contentType)).toBe('lines');
	});

	it.each([
		'text/event-stream',
		'text/plainly',
		'application/octet-stream',
		'x-text/plain',
		undefined,
	])('%s: detected from the content', async (contentType) => {
		expect(await formOf(contentType)).toBe('auto');
	});

	it.each(['text/html', 'TEXT/HTML; charset=utf-8'])('%s is not a stream', async (contentType) => {
		expect(await formOf(contentType)).toEqual({
			kind: 'lost',
			reason: 'The service returned a web page instead of a stream',
			status: 200,
		});
		await service.noConnection();
	});

	it('text/htmlish may be a stream', async () => {
		expect(await formOf('text/htmlish')).toBe('auto');
		expect(await formOf('x-text/html')).toBe('auto');
	});

	it.each<[LogDecoderOptions, string, string[]]>([
		[{}, 'text/plain', ['data: one', '', 'data: two']],
		[{ format: 'auto' }, 'text/plain', ['data: one', '', 'data: two']],
		[{ format: 'sse' }, 'text/plain', ['one', 'two']],
		[{}, 'text/event-stream', ['one', 'two']],
		[{ format: 'lines' }, 'text/event-stream', ['data: one', '', 'data: two']],
	])('%j and %s', async (options, contentType, expected) => {
		service.answers = [text('data: one\n\ndata: two', 200, { 'content-type': contentType })];
		const taken: string[] = [];
		await readStream(
			await service.api(),
			LOG,
			{ longestMs: 60_000, quietMs: 60_000 },
			({ data }) => taken.push(data) > 0,
			options,
		);
		expect(taken).toEqual(expected);
	});

	it('data: lines without a blank line are entries when it is quiet', async () => {
		service.answers = [
			(response) =>
				void response
					.writeHead(200, { 'content-type': 'text/event-stream' })
					.write('data: one\ndata: two\n'),
		];
		const taken: string[] = [];
		await readStream(
			await service.api(),
			LOG,
			{ longestMs: 60_000, quietMs: 40 },
			({ data }) => taken.push(data) > 0,
			{},
		);
		expect(taken).toEqual(['one', 'two']);
		await service.noConnection();
	});

	it('a secret in it is redacted', async () => {
		service.answers = [text(`${API_KEY}\n`)];
		const taken: string[] = [];
		await readStream(
			await service.api(),
			LOG,
			{ longestMs: 60_000, quietMs: 60_000 },
			({ data }) => taken.push(data) > 0,
			lines,
		);
		expect(taken).toEqual(['***']);
	});
});

describe('the events of a body', () => {
	it('come when they are complete, whatever the chunks', async () => {
		const pieces = ['data: o', 'ne\n\nevent: x\ndata: tw', 'o\n\ndata: not complete\n'].map(
			(piece) => Buffer.from(piece),
		);
		const events: unknown[] = [];
		for await (const event of eventsOf(pieces)) events.push(event);
		expect(events).toEqual([
			{ type: 'message', data: 'one', lastEventId: '' },
			{ type: 'x', data: 'two', lastEventId: '' },
		]);
	});

	it('may be as large as a response', async () => {
		const events: string[] = [];
		for await (const { data } of eventsOf([
			Buffer.from(`data: ${'x'.repeat(2 * 1024 * 1024)}\n\n`),
		]))
			events.push(data);
		expect(events.map(({ length }) => length)).toEqual([2 * 1024 * 1024]);
	});
});
