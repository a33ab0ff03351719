import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { requireUsable } from '../../nodes/intelligence/completion.ts';
import { bodyOf, completed, errorOf, events, serviceOf, streamed } from './chat-service.mts';

const delta = (content: string, more: object = {}) => ({
	choices: [{ index: 0, delta: { content }, ...more }],
});
const WHOLE = events(delta('Hello', { finish_reason: 'stop' }), '[DONE]');
const refused = (status: number, detail: string) => ({ status, json: { detail } });

describe('the usage of a stream', () => {
	const usage = { stream_options: { include_usage: true } };

	it('is asked for', async () => {
		const service = await serviceOf(bodyOf(WHOLE));
		await streamed(service, { model: 'm' });
		expect(service.asked).toEqual([{ model: 'm', stream: true, ...usage }]);
	});

	it.each([
		[400, 'Unknown parameter: stream_options'],
		[422, 'streamOptions is not allowed'],
		[400, 'include_usage is not supported'],
		[422, 'no field includeUsage'],
	])('is done without where the service refuses it: %i %s', async (status, detail) => {
		const service = await serviceOf(refused(status, detail), bodyOf(WHOLE), bodyOf(WHOLE));
		const completion = await streamed(service, { model: 'm' });
		expect(completion.choices).toMatchObject([{ message: { content: 'Hello' } }]);
		await streamed(service, { model: 'm' });
		const plain = { model: 'm', stream: true };
		expect(service.asked).toEqual([{ ...plain, ...usage }, plain, plain]);
	});

	it.each([
		[500, 'stream_options broke the server'],
		[400, 'Unknown model'],
	])('is not given up for another error: %i %s', async (status, detail) => {
		const service = await serviceOf(refused(status, detail), bodyOf(WHOLE));
		expect((await errorOf(streamed(service)))?.message).toContain(detail);
		expect(service.asked).toHaveLength(1);
	});

	it('is left to a request that has options of its own', async () => {
		const service = await serviceOf(refused(400, 'No stream_options'), bodyOf(WHOLE));
		const own = { stream_options: { include_usage: false } };
		expect((await errorOf(streamed(service, own)))?.message).toContain('No stream_options');
		expect(service.asked).toEqual([{ stream: true, ...own }]);
	});
});

describe('a response without choices', () => {
	it.each<[IDataObject, string]>([
		[{ id: 'x' }, 'The response contains no choices'],
		[{ choices: [], message: 'Warming up' }, 'The response contains no choices: Warming up'],
	])('%j is an error that carries it', async (sent, message) => {
		const error = await errorOf(completed(JSON.stringify(sent)));
		expect(error?.message).toBe(message);
		expect(error?.context.itemIndex).toBe(2);
		expect(error?.context.known).toEqual({
			partial: { choices: [], ...sent, object: 'chat.completion' },
		});
	});
});

describe('the error of an incomplete response', () => {
	const ADVICE =
		'The error details contain what arrived, under partial. Run the item again for a complete response. This one may be billed.';
	const broken = async (text: string, body: IDataObject = {}) =>
		await errorOf(streamed(await serviceOf(bodyOf(text, new Error('reset'))), body));
	const beginning = (start: string) => `${ADVICE}\nThe response starts with: ${start}`;

	it('shows the texts of its choices, and carries all', async () => {
		const choices = ['One', '', 'Two'].map((content, index) => ({ index, delta: { content } }));
		const error = await broken(events({ choices }), { n: 3 });
		expect(error?.message).toBe('The response ended early: the connection was lost');
		expect(error?.description).toBe(beginning('One\nTwo'));
		expect(error?.context.known).toMatchObject({
			partial: { choices: ['One', '', 'Two'].map((content) => ({ message: { content } })) },
		});
	});

	it('shows no more than the beginning of a long text', async () => {
		const text = 'word '.repeat(500);
		const error = await broken(events(delta(text)));
		expect(error?.description).toBe(beginning(text.slice(0, 2_000)));
		expect(error?.context.known).toMatchObject({
			partial: { choices: [{ message: { content: text } }] },
		});
	});

	it('shows what came where that is no completion', async () => {
		const error = await errorOf(streamed(await serviceOf(bodyOf('data: Out of memory\n\n'))));
		expect(error?.message).toBe(
			'The response ended early: the service sent a chunk that is not a JSON object',
		);
		expect(error?.description).toBe(beginning('data: Out of memory\n\n'));
		expect(error?.context.known).toEqual({ partial: 'data: Out of memory\n\n' });
	});

	it('shows nothing of the text where there is none', async () => {
		expect((await broken(events(delta(''))))?.description).toBe(ADVICE);
	});

	it('does not show the key', async () => {
		const error = await broken(events(delta('Yours is key-of-'), delta('models.')));
		expect(error?.description).toBe(beginning('Yours is ***.'));
		expect(JSON.stringify(error?.context)).not.toContain('key-of-models');
	});

	it('is that of the first choice of no use', async () => {
		const { context } = await serviceOf();
		const fine = { message: { content: 'Fine' }, finish_reason: 'stop' };
		const half = { message: { content: 'Half' }, finish_reason: 'content_filter' };
		const use = (...sent: object[]) => requireUsable(context, { choices: sent } as never, {});
		expect(use(fine, fine)).toEqual({ choices: [fine, fine] });
		expect(() => use(fine, half)).toThrow('The response was stopped by a content filter');
	});
});
