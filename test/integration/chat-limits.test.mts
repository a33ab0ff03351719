import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();
const CHAT = { path: /chat\/completions$/ };
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const items = (count: number) => Array.from({ length: count }, (_, index) => ({ q: `Q${index}` }));
const complete = (options: IDataObject = {}) =>
	chat('chat', 'complete', {
		model: locator(MODEL),
		input: 'prompt',
		prompt: '={{ $json.q }}',
		options,
	});
const embed = (options: IDataObject = {}) =>
	chat('embedding', 'create', {
		model: locator('mixedbread-ai/mxbai-embed-large-v1'),
		input: '={{ $json.texts }}',
		options,
	});
const busy = (skip: number, times = 1) =>
	fixture.sandbox.faults.add({ skip, times, ...errorForms.errorObject(429, 'busy') });

describe('Retry On Fail', () => {
	it('10 of 20 items are answered: the others alone are asked again', async () => {
		busy(10, 20);
		const run = await fixture.run(
			{ ...complete({ maxRetries: 0 }), ...RETRY, maxTries: 5 },
			items(20),
		);
		expect(jsonOf(run).map(({ content }) => content)).toEqual(
			items(20).map(({ q }) => expect.stringContaining(`"${q}"`) as string),
		);
		expect(fixture.sandbox.answers).toHaveLength(20);
	});

	it('vectors of an item that are paid are not asked for again', async () => {
		const texts = Array.from({ length: 6 }, (_, index) => `text ${index}`);
		busy(2);
		const run = await fixture.run({ ...embed({ batchSize: 2, maxRetries: 0 }), ...RETRY }, [
			{ texts },
		]);
		expect(jsonOf(run).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
		expect(fixture.sandbox.answers.map(({ body }) => body.input)).toEqual([
			texts.slice(0, 2),
			texts.slice(2, 4),
			texts.slice(4),
		]);
	});

	it('an answer that is of no use is asked for again', async () => {
		const useless = { choices: [{ message: { content: null, refusal: 'no' } }] };
		fixture.sandbox.faults.add({ status: 200, body: useless });
		const run = await fixture.run({ ...complete(), ...RETRY }, items(1));
		expect(jsonOf(run)).toHaveLength(1);
	});

	it('a second execution asks again', async () => {
		for (const count of [1, 2]) {
			await fixture.run(complete(), items(1));
			expect(fixture.sandbox.answers).toHaveLength(count);
		}
	});

	it('the error has what the other items were answered', async () => {
		const useless = { choices: [{ message: { content: null, refusal: 'no' } }] };
		fixture.sandbox.faults.add({ status: 200, body: useless, times: 2 });
		const { context } = errorOf(await fixture.run(complete(), items(3)));
		expect(context).toMatchObject({
			known: { partial: useless },
			others: [{ item: 1, partial: useless }],
			done: [{ item: 2 }],
		});
	});
});

describe('Max Retries', () => {
	it('429 without a time is tried again after a pause, as often as Max Retries says', async () => {
		for (const [options, requests] of [
			[{}, 3],
			[{ maxRetries: 0 }, 1],
			[{ maxRetries: 4 }, 5],
		] as const) {
			fixture.sandbox.reset();
			fixture.sandbox.faults.add({
				match: CHAT,
				...errorForms.errorObject(429, 'credits used up'),
				times: 9,
			});
			const error = errorOf(await fixture.run(complete(options), items(1)));
			expect(error.message).toBe('Rate limit or quota exceeded (429): credits used up');
			expect(error.description).toMatch(/Wait until the hour or the day is over/);
			expect(fixture.sandbox.requests).toHaveLength(requests);
		}
	});

	it('502, 503 and 504 are tried again where the option says so', async () => {
		for (const status of [502, 503, 504]) {
			fixture.sandbox.faults.add({ match: CHAT, ...errorForms.html(status) });
			expect(
				onlyJson(await fixture.run(complete({ retryOnServerErrors: true }), items(1))),
			).toHaveProperty('content');
		}
		fixture.sandbox.faults.add({ match: CHAT, ...errorForms.html(502) });
		expect(errorOf(await fixture.run(complete(), items(1))).message).toContain(
			'Server error (502)',
		);
		expect(fixture.sandbox.requests).toHaveLength(7);
	});
});

describe('Requests at Once', () => {
	it.each([
		[{}, 5],
		[{ requestsAtOnce: 1 }, 1],
		[{ requestsAtOnce: 12 }, 12],
	])('%j: %i chats', async (options, wanted) => {
		fixture.sandbox.faults.add({ match: CHAT, times: Infinity, hang: true });
		const running = fixture.run(complete(options), items(24));
		await fixture.quiet();
		expect(fixture.sent('POST', CHAT.path)).toHaveLength(wanted);
		fixture.sandbox.reset();
		await running;
	});

	it('embeddings: one batch first, then several', async () => {
		const texts = Array.from({ length: 9 }, (_, index) => `text ${index}`);
		const path = /embeddings$/;
		fixture.sandbox.faults.add({ match: { path }, skip: 1, times: Infinity, hang: true });
		const node = embed({ batchSize: 1, requestsAtOnce: 4 });
		const running = fixture.run(node, [{ texts }]);
		await fixture.quiet();
		expect(fixture.sent('POST', path)).toHaveLength(5);
		fixture.sandbox.reset();
		await running;
	});

	it('the texts of an item are in its vectors where the option says so', async () => {
		const texts = Array.from({ length: 9 }, (_, index) => `text ${index}`);
		const run = await fixture.run(embed({ batchSize: 2, includeText: true }), [{ texts }]);
		expect(jsonOf(run).map(({ text }) => text)).toEqual(texts);
	});
});
