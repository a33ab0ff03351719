import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';

/** Responses without a stream that were billed, and come in another form than the documented one, or not whole. */
const fixture = useFixture();
const complete = (options: IDataObject = {}, settings: IDataObject = {}) =>
	chat(
		'chat',
		'complete',
		{ model: locator('m'), input: 'prompt', prompt: 'Why?', options },
		settings,
	);

const TEXT = 'Half an answer, and the other half';
const completion = {
	id: 'c1',
	choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
	usage: { prompt_tokens: 1, completion_tokens: 7, total_tokens: 8 },
};
const events = [
	{ id: 'c1', choices: [{ index: 0, delta: { content: 'Half an answer' } }] },
	{ choices: [{ index: 0, delta: { content: ', and the other half' }, finish_reason: 'stop' }] },
	{ choices: [], usage: completion.usage },
]
	.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
	.join('');
const answer = (rawBody: string, more: object = {}) =>
	fixture.sandbox.faults.add({ status: 200, rawBody, contentType: 'application/json', ...more });
const body = JSON.stringify(completion);
const half = body.indexOf(', and the other');

describe('what came whole is the response', () => {
	it.each([
		['events that nobody asked for', `${events}data: [DONE]\n\n`, 'text/event-stream'],
		['events without a type', events, 'application/json'],
		['lines that nobody asked for', events.replaceAll('data: ', ''), 'application/x-ndjson'],
		['JSON with blanks before it, as a keep-alive', `${'\n '.repeat(900)}${body}`, undefined],
		['JSON with comments before it', `${': PROCESSING\n\n'.repeat(3)}${body}`, undefined],
		['JSON in several lines', JSON.stringify(completion, null, 2), undefined],
	])('%s', async (_, rawBody, contentType) => {
		answer(rawBody, contentType === undefined ? {} : { contentType });
		expect(onlyJson(await fixture.run(complete()))).toMatchObject({
			content: TEXT,
			finish_reason: 'stop',
			usage: completion.usage,
		});
	});

	it('all of the JSON before a reset', async () => {
		answer(`${body}  `, { cutBodyAt: body.length });
		expect(onlyJson(await fixture.run({ ...complete(), ...RETRY }))).toMatchObject({
			content: TEXT,
		});
		expect(fixture.sandbox.requests).toHaveLength(1);
	});
});

describe('what came of a response that is not whole is in the error', () => {
	const cuts: Array<[string, () => void, string]> = [
		[
			'JSON that ends in the middle',
			() => answer(body.slice(0, half)),
			'The response ended early: its JSON is cut off',
		],
		[
			'JSON in several lines that ends in the middle',
			() => answer(JSON.stringify(completion, null, 2).replace(/, and the other.*/s, '')),
			'The response ended early: its JSON is cut off',
		],
		[
			'JSON that a reset ends',
			() => answer(body, { cutBodyAt: half }),
			'The response ended early: the connection was lost',
		],
		[
			'events that a reset ends',
			() =>
				answer(events, {
					contentType: 'text/event-stream',
					cutBodyAt: events.indexOf(', and the other'),
				}),
			'The response ended early: the connection was lost',
		],
		[
			'events without an end',
			() => answer(events.slice(0, events.indexOf('\n\n')), { contentType: 'text/event-stream' }),
			'The response ended early: the stream ended without a finish reason',
		],
	];
	it.each(cuts)('%s', async (_, arrange, message) => {
		arrange();
		const error = errorOf(await fixture.run(complete()));
		expect(error.message).toBe(message);
		expect(error.description).toContain('The response starts with: Half an answer');
		expect(error.context.known).toMatchObject({
			partial: { choices: [{ message: { content: 'Half an answer' } }] },
		});
	});

	it('a choice with an error', async () => {
		const [choice] = completion.choices;
		const error = { code: 502, message: 'Upstream died' };
		answer(JSON.stringify({ choices: [{ ...choice, error }] }));
		const failed = errorOf(await fixture.run(complete()));
		expect(failed.message).toBe('The service stopped the response: Upstream died');
		expect(failed.description).toContain(TEXT);
	});

	it('but for a key of the credential that came in pieces', async () => {
		const key = fixture.sandbox.keys.intelligenceKey;
		const pieces = ['Half an answer with ', key.slice(0, 9), key.slice(9)].map(
			(content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
		);
		answer(pieces.join(''), { contentType: 'text/event-stream' });
		const error = errorOf(await fixture.run(complete({ stream: true })));
		expect(error.description).toContain('Half an answer with ***');
		expect(JSON.stringify([error, error.context])).not.toContain(key);
	});

	it('a body that is no completion', async () => {
		answer('It is blue.', { contentType: 'text/plain' });
		const error = errorOf(await fixture.run(complete()));
		expect(error.message).toBe('The response is not a JSON object: It is blue.');
		expect(error.context.known).toEqual({ partial: 'It is blue.' });
	});
});

it('the result of an agent that is cut off is an error with what came', async () => {
	answer('{"text": "Half a res');
	const run = chat('agent', 'run', { agentName: locator('summary_agent'), objective: 'a' });
	const error = errorOf(await fixture.run(run));
	expect(error.message).toBe('The result of the agent ended early: its JSON is cut off');
	expect(error.context.known).toEqual({ partial: '{"text": "Half a res' });
});

describe('Retry On Fail', () => {
	it('the error of the last try has what the others were billed for', async () => {
		for (const words of ['One', 'Two', 'Three']) answer(body.slice(0, half).replace('Half', words));
		const error = errorOf(await fixture.run({ ...complete(), ...RETRY }));
		expect(fixture.sandbox.requests).toHaveLength(3);
		expect(error.description).toContain('2 earlier responses to this item may be billed too');
		const texts = (partial: unknown) =>
			(partial as typeof completion).choices.map(({ message }) => message.content);
		const { partial, earlier } = error.context.known as IDataObject;
		expect(texts(partial)).toEqual(['Three an answer']);
		expect((earlier as unknown[]).map(texts)).toEqual([['One an answer'], ['Two an answer']]);
	});

	it('an item that was answered is not asked again with one that broke off', async () => {
		answer(body);
		answer(body.slice(0, half));
		answer(body);
		const run = await fixture.run({ ...complete({ requestsAtOnce: 1 }), ...RETRY }, [{}, {}]);
		expect(jsonOf(run)).toHaveLength(2);
		expect(fixture.sandbox.requests).toHaveLength(3);
	});
});
