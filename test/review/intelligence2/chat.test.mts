import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { ask, COMPLETIONS, heardOf, KEY, QUESTION, useStage } from './play.mts';
import { completion, hangUp, json, pieces, stream, type Fields } from './service.mts';

const stage = useStage();
const asked = () => stage.service.asked(COMPLETIONS).length;
const HELLO = json(completion({ content: 'Hello' }));

describe('a 429 costs nothing and is waited for, as long as it says', () => {
	const limited = (headers: Record<string, string>, body: unknown = { detail: 'slow down' }) =>
		json(body, 429, headers);
	const date = (ms: number) => new Date(Date.now() + ms).toUTCString();
	it.each<[string, () => Record<string, string>, number, number]>([
		['seconds', () => ({ 'retry-after': '7' }), 7_000, 7_000],
		['a date', () => ({ 'retry-after': date(20_000) }), 5_000, 21_000],
		['a date that is over', () => ({ 'retry-after': date(-99_000) }), 250, 1_000],
		['a negative number', () => ({ 'retry-after': '-5' }), 250, 1_000],
		[
			'a negative number beside a reset',
			() => ({ 'retry-after': '-1', 'x-ratelimit-reset-requests': '9s' }),
			9_000,
			9_000,
		],
		[
			'an empty one beside a reset',
			() => ({ 'retry-after': '', 'x-ratelimit-reset-tokens': '9' }),
			9_000,
			9_000,
		],
		['words', () => ({ 'retry-after': 'soon' }), 250, 1_000],
		['a span of milliseconds', () => ({ 'retry-after-ms': '1500' }), 1_500, 1_500],
		[
			'the reset of what is used up',
			() => ({
				'x-ratelimit-reset-requests': '1s',
				'x-ratelimit-remaining-requests': '5',
				'x-ratelimit-reset-tokens': '12s',
				'x-ratelimit-remaining-tokens': '0',
			}),
			12_000,
			12_000,
		],
	])('%s', async (_, headers, least, most) => {
		stage.service.inTurn(COMPLETIONS, (...args) => limited(headers())(...args), HELLO);
		const { items, error } = await stage.run(ask());
		expect(error?.message).toBeUndefined();
		expect(items[0]).toMatchObject({ content: 'Hello' });
		expect(stage.waits).toHaveLength(1);
		expect(stage.waits[0]).toBeGreaterThanOrEqual(least);
		expect(stage.waits[0]).toBeLessThanOrEqual(most);
	});

	it.each([
		['an hour', '3600', /60 minutes/],
		['a number without end', '1e300', /Retry after/],
		['a year', '31536000', /8760 hours/],
	])('%s is not waited for', async (_, after, words) => {
		stage.service.when(COMPLETIONS, limited({ 'retry-after': after }));
		const ended = await stage.run(ask());
		expect(ended.words).toMatch(words);
		expect(ended.words).not.toMatch(/Infinity|NaN/);
		expect(asked()).toBe(1);
		expect(stage.waits).toEqual([]);
	});

	it('Max Retries bounds the requests, also of a stream into a chat', async () => {
		stage.service.when(COMPLETIONS, limited({ 'retry-after': '2' }));
		await stage.talk(ask({ maxRetries: 4 }));
		expect(asked()).toBe(5);
		expect(stage.waits.reduce((sum, ms) => sum + ms)).toBeLessThan(60_000);
	});
});

describe('what may have been billed is not asked again', () => {
	it.each<[string, Parameters<typeof stage.service.when>[1]]>([
		['500', json({ detail: 'x' }, 500)],
		[
			'502 page',
			json('<html><title>Bad gateway</title></html>', 502, { 'content-type': 'text/html' }),
		],
		['503 without a time', json('', 503)],
		['408', json({ detail: 'x' }, 408)],
		['a reset before the head', hangUp],
		[
			'a reset in the middle of JSON',
			pieces(['{"id":"c","choices":[{"index":0,"message":{"content":"The answer'], {
				cut: true,
				headers: { 'content-type': 'application/json' },
			}),
		],
		['a redirect to a login page', json('', 302, { location: 'https://login.example/?next=x' })],
		[
			'a login page',
			json('<!doctype html><title>Sign in</title>', 200, { 'content-type': 'text/html' }),
		],
		['nothing', json('')],
		['an empty object', json({})],
		['null', json('null')],
		['a list', json([])],
		['an error with 200', json({ error: { message: 'quota is over', type: 'x', code: 7 } })],
		['an error list with 200', json({ errors: [{ message: 'quota is over' }] })],
		['choices that are empty', json({ choices: [] })],
		['choices that are null', json({ choices: null, usage: { total_tokens: 5 } })],
		[
			'a message that is null',
			json({ choices: [{ index: 0, message: null, finish_reason: 'stop' }] }),
		],
		['blanks alone', json(completion({ content: ' \n' }))],
		['a refusal', json(completion({ content: null, refusal: 'No.' }))],
		['a content filter', json(completion({ content: 'Hal' }, 'content_filter'))],
	])('%s', async (_, answer) => {
		stage.service.when(COMPLETIONS, answer);
		const { error, words } = await stage.run(ask());
		expect(error).toBeDefined();
		expect(words.length).toBeGreaterThan(20);
		expect(words).not.toContain(KEY);
		expect(asked()).toBe(1);
	});

	it('what came of a lost JSON answer is in the error', async () => {
		stage.service.when(
			COMPLETIONS,
			pieces(['{"id":"c","choices":[{"index":0,"message":{"content":"The answer'], {
				cut: true,
				headers: { 'content-type': 'application/json' },
			}),
		);
		expect(JSON.stringify((await stage.run(ask())).details.partial)).toContain('The answer');
	});

	it('a service that repeats the key in its error does not bring it into the text', async () => {
		stage.service.when(COMPLETIONS, json({ detail: `Invalid key ${KEY} in Bearer ${KEY}` }, 401));
		const { words, error } = await stage.run(ask());
		expect(words).not.toContain(KEY);
		expect(JSON.stringify(error)).not.toContain(KEY);
	});

	it('nor into the partial answer, where the pieces of a stream make it up', async () => {
		stage.service.when(
			COMPLETIONS,
			stream([{ content: KEY.slice(0, 9) }, { content: KEY.slice(9) }], 'stop'),
		);
		const { items } = await stage.run(ask({ stream: true }));
		expect(JSON.stringify(items)).not.toContain(KEY);
	});
});

describe('a batch of 100 items', () => {
	const many = Array.from({ length: 100 }, (_, n) => ({ ask: `q${n}` }));
	const question = (body: Fields | undefined) => String((body?.messages as Fields[])[0]?.content);
	it('item 57 fails: Continue brings 99 answers in order, each paid once', async () => {
		stage.service.when(COMPLETIONS, (response, heard) =>
			question(heard.body) === 'q57'
				? json({ detail: 'bad' }, 400)(response, heard, 0)
				: json(completion({ content: question(heard.body) }))(response, heard, 0),
		);
		const { items } = await stage.run(ask({}, {}, CONTINUE), many);
		expect(items).toHaveLength(100);
		expect(
			items
				.map(({ content, error }, n) => (n === 57 ? Boolean(error) : content === `q${n}`))
				.every(Boolean),
		).toBe(true);
		expect(asked()).toBe(100);
	});

	it('with Retry On Fail nothing that was answered is paid for again', async () => {
		let isFirst = true;
		stage.service.when(COMPLETIONS, (response, heard) => {
			const fails = question(heard.body) === 'q57' && isFirst;
			if (fails) isFirst = false;
			return fails
				? json({ detail: 'x' }, 500)(response, heard, 0)
				: json(completion({ content: question(heard.body) }))(response, heard, 0);
		});
		const { items } = await stage.run(ask({}, {}, RETRY), many);
		expect(items.map(({ content }) => content)).toEqual(many.map(({ ask: text }) => text));
		const counts = new Map<string, number>();
		for (const { body } of stage.service.heard)
			counts.set(question(body), (counts.get(question(body)) ?? 0) + 1);
		expect([...counts].filter(([, count]) => count > 1)).toEqual([['q57', 2]]);
	});

	it('a key that is revoked in the middle', async () => {
		stage.service.when(COMPLETIONS, (response, heard, nth) =>
			(nth < 10 ? HELLO : json({ detail: 'revoked' }, 401))(response, heard, nth),
		);
		const { error } = await stage.run(ask({ requestsAtOnce: 1 }), many);
		expect(error?.message).toMatch(/Authentication failed \(401\)/);
		expect(asked()).toBe(11);
	});

	it('a cancelled execution asks nothing more', async () => {
		const stop = new AbortController();
		stage.service.when(COMPLETIONS, (response, heard, nth) => {
			if (nth === 7) stop.abort();
			else return HELLO(response, heard, nth);
		});
		await stage
			.run(ask({ requestsAtOnce: 2 }), many, { cancel: stop.signal })
			.catch(() => undefined);
		expect(asked()).toBeLessThanOrEqual(10);
	});
});

describe('forms of a whole answer', () => {
	it.each<[string, Fields, unknown]>([
		[
			'parts',
			{
				content: [
					{ type: 'text', text: 'Hel' },
					{ type: 'text', text: 'lo' },
				],
			},
			'Hello',
		],
		[
			'a thought before it',
			{ content: '<think>{"a":1}</think>Hello' },
			'<think>{"a":1}</think>Hello',
		],
		['unicode line ends', { content: 'a\u2028b\u0000c' }, 'a\u2028b\u0000c'],
	])('%s', async (_, message, content) => {
		stage.service.when(COMPLETIONS, json(completion(message)));
		expect((await stage.run(ask())).items[0]).toMatchObject({ content });
	});

	it('reasoning under either name', async () => {
		stage.service.when(COMPLETIONS, json(completion({ content: 'x', reasoning: 'because' })));
		expect((await stage.run(ask())).items[0]).toMatchObject({ reasoning_content: 'because' });
	});

	it('two equal calls with two IDs are two calls', async () => {
		const call = (id: string) => ({
			id,
			type: 'function',
			function: { name: 'roll', arguments: '{}' },
		});
		stage.service.when(
			COMPLETIONS,
			json(completion({ tool_calls: [call('a'), call('b')] }, 'tool_calls')),
		);
		const model = (await stage.model()).withTools([
			{ type: 'function', name: 'roll', inputSchema: { type: 'object' } },
		]);
		stage.service.when(
			COMPLETIONS,
			stream(
				[
					{ tool_calls: [{ index: 0, ...call('a') }] },
					{ tool_calls: [{ index: 1, ...call('b') }] },
				],
				'tool_calls',
			),
		);
		expect((await heardOf(model.stream(QUESTION))).calls).toHaveLength(2);
	});

	it('a truthy error beside a good answer is not an error of the item', async () => {
		stage.service.when(
			COMPLETIONS,
			json(completion({ content: 'Hello' }, 'stop', { error: 'warning' })),
		);
		const { items } = await stage.run(ask({}, { simplify: false }, RETRY));
		expect(items[0]).toMatchObject({ service_error: 'warning' });
		expect(asked()).toBe(1);
	});
});
