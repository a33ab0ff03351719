import { describe, expect, it } from 'vitest';
import { LOG_CREDENTIALS } from '../../nodes/marketplace/log/credentials.ts';
import { itemOf, jsonObjectOf } from '../../nodes/marketplace/log/entry.ts';
import {
	areFirst,
	firstEntries,
	hasEntriesBefore,
	laterId,
} from '../../nodes/marketplace/log/firstEntries.ts';
import {
	BEGINNING,
	logKey,
	logRequest,
	offsetAfter,
	type OffsetSettings,
} from '../../nodes/marketplace/log/request.ts';
import { openApi } from '../../nodes/shared/listSearch.ts';
import { Body, entry, functionsOf, LOG, type Asked } from './log-parts.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

const settings = (offsetUnit: OffsetSettings['offsetUnit']): OffsetSettings => ({
	offsetParameter: 'from',
	offsetUnit,
});
const withId = (lastEventId: string, data = 'a') => entry(data, { hasOwnId: true, lastEventId });

describe('the request for a log', () => {
	const from = { entries: 3, bytes: 40, lastEventId: '7' };
	const REQUEST = {
		method: 'GET',
		path: expect.stringMatching(
			/\/caas\/deployment\/\{deployment_id\}\/log\/\{container_id\}$/,
		) as unknown,
		params: { deployment_id: 'd', container_id: 'c' },
		headers: undefined,
	};

	it.each([
		['entries', 3],
		['bytes', 40],
		['none', undefined],
	] as const)('counts in %s', (unit, offset) => {
		expect(logRequest(LOG, settings(unit), from)).toEqual({
			...REQUEST,
			query: { stream: 'stdout', from: offset },
		});
	});

	it('names the last event where the service counts by IDs, unless there was none', () => {
		expect(logRequest(LOG, settings('eventId'), from)).toEqual({
			...REQUEST,
			query: { stream: 'stdout', from: '7' },
			headers: { 'Last-Event-ID': '7' },
		});
		expect(logRequest(LOG, settings('eventId'), BEGINNING)).toEqual({
			...REQUEST,
			query: { stream: 'stdout', from: undefined },
		});
	});

	it('goes on behind an entry, whose ID counts if it has one', () => {
		expect(offsetAfter(from, entry('abc'))).toEqual({ entries: 4, bytes: 44, lastEventId: '7' });
		expect(offsetAfter(from, withId('8', 'abc'))).toEqual({
			entries: 4,
			bytes: 44,
			lastEventId: '8',
		});
	});

	it('is of one stream of one container', () => {
		expect(logKey({ ...LOG, stream: 'stderr' })).toBe('d/c/stderr');
	});
});

describe('the credentials of a log', () => {
	async function headersWith(authentication: string) {
		const asked: Asked[] = [];
		const types: string[] = [];
		const body = () => new Body().write('line\n', undefined);
		const functions = functionsOf((one) => {
			asked.push(one);
			return { body: body() };
		});
		Object.assign(functions, {
			getNodeParameter: () => authentication,
			getCredentials: async (type: string) => {
				types.push(type);
				const all = { baseUrl: 'https://service.test', service: 'svc' };
				return await Promise.resolve({ ...all, apiKey: 'the key', accessToken: 'the token' });
			},
		});
		const context = await openApi(functions as never, LOG_CREDENTIALS);
		await ended(firstEntries(context, LOG, settings('entries'), {}));
		const { authorization, ...others } = Object.fromEntries(
			Object.entries(asked[0]?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
		);
		return { types, sent: { key: others['x-api-key'], authorization } };
	}

	it.each([
		[
			'both, where the access token is chosen',
			'accessToken',
			['computeMarketplaceApi', 'computeMarketplaceTokenApi'],
			{ authorization: 'Bearer the token' },
		],
		[
			'both, where OAuth2 is chosen',
			'oAuth2',
			['computeMarketplaceOAuth2Api', 'computeMarketplaceApi'],
			{ key: 'the key' },
		],
		['the key alone, where it is chosen', 'apiKey', ['computeMarketplaceApi'], {}],
	])('are %s', async (_, authentication, types, sent) => {
		const used = await headersWith(authentication);
		expect(new Set(used.types)).toEqual(new Set(types));
		// n8n adds the header of the first one
		expect(used.sent).toEqual({ key: undefined, authorization: undefined, ...sent });
	});
});

describe('the first entries of a log', () => {
	async function read(body: Body, headMs?: number, offset?: number) {
		const queries: unknown[] = [];
		const functions = functionsOf(({ qs }) => {
			queries.push(qs);
			return { body };
		});
		const context = await openApi(functions as never, LOG_CREDENTIALS);
		const work = firstEntries(context, LOG, settings('entries'), {}, headMs, offset);
		const { value, seconds } = await ended(work);
		return { lines: value?.map(({ data }) => data), seconds, queries, isOpen: !body.isDestroyed };
	}

	it('are four at most, from the offset 0 on', async () => {
		const body = new Body().write('a\nb\nc\nd\ne\n');
		expect(await read(body)).toEqual({
			lines: ['a', 'b', 'c', 'd'],
			seconds: 0,
			queries: [{ stream: 'stdout', from: 0 }],
			isOpen: false,
		});
	});

	it('may be those from another offset on', async () => {
		const { queries } = await read(new Body().write('a\nb\nc\nd\n'), undefined, 7);
		expect(queries).toEqual([{ stream: 'stdout', from: 7 }]);
	});

	it('are those that come in three seconds', async () => {
		expect(await read(new Body().write('a\n'))).toMatchObject({
			lines: ['a'],
			seconds: 3,
			isOpen: false,
		});
	});

	it('tell what was requested from an offset: whether the service has ignored it', () => {
		const first = ['a', 'b'].map((data) => entry(data));
		const come = (...lines: string[]) => lines.map((data) => entry(data));
		expect(areFirst(come('a', 'b', 'c'), first)).toBe(true);
		expect(areFirst(come('a', 'c'), first)).toBe(false);
		expect(areFirst(come('b', 'a'), first)).toBe(false);
		expect(areFirst(come('a'), first)).toBeUndefined();
		expect(areFirst(come('a', 'a'), come('a', 'a'))).toBeUndefined();
		expect(areFirst(come('a', 'b'), [])).toBeUndefined();
		// The IDs may be of each connection's own
		expect(areFirst([withId('1'), withId('2', 'b')], first)).toBe(true);
		expect(areFirst([withId('1')], [withId('2')])).toBeUndefined();
	});

	it.each([
		[withId('1'), 1],
		[withId('42'), 42],
		[withId('0'), undefined],
		[withId('01'), undefined],
		[withId('1a'), undefined],
		[withId('x1'), undefined],
		[entry('a', { lastEventId: '1' }), undefined],
	])('may have others before them by the ID of the first one', (event, id) => {
		expect(laterId(event)).toBe(id);
	});

	it.each([
		['id: 0\ndata: a\n\n', true],
		['id: 1\ndata: a\n\n', false],
		['id: 2\ndata: a\n\nid: 0\ndata: b\n\n', true],
		['id: x\ndata: a\n\n', false],
		['id: 0x\ndata: a\n\n', false],
		['data: a\n\n', false],
	])('have others before the ID 1, asked for without an offset: %j', async (text, expected) => {
		const queries: unknown[] = [];
		const functions = functionsOf(({ qs }) => {
			queries.push(qs);
			const headers = { 'content-type': 'text/event-stream' };
			return { body: new Body().write(text, undefined), headers };
		});
		const context = await openApi(functions as never, LOG_CREDENTIALS);
		const work = hasEntriesBefore(1, context, LOG, settings('entries'), {});
		expect((await ended(work)).value).toBe(expected);
		expect(queries).toEqual([{ stream: 'stdout' }]);
	});
});

describe('the JSON of a line', () => {
	it.each([
		['{"a":1}', { a: 1 }],
		[' \t{"a":1} ', { a: 1 }],
		['x {"a":1}', undefined],
		['[{"a":1}]', undefined],
		[' [1]', undefined],
		['{"a":', undefined],
		['', undefined],
		[' ', undefined],
	])('is an object or none: %j', (line, json) => {
		expect(jsonObjectOf(line)).toEqual(json);
	});

	it('is what an item has', () => {
		const json = { line: 'a' };
		expect(itemOf(json)).toEqual({ json });
		expect(itemOf(json).json).toBe(json);
	});
});
