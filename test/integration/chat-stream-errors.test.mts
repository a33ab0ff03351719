import { setImmediate } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { ownMilliseconds } from '../engine/ownTime.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture({ streamNoise: true });
const COMPLETIONS = { path: /chat\/completions$/ };

const complete = (options: IDataObject = {}, parameters: IDataObject = {}, settings = {}) =>
	chat(
		'chat',
		'complete',
		{
			model: locator('meta-llama/Llama-3.3-70B-Instruct'),
			input: 'prompt',
			prompt: 'Which machine is cheap – and größer?',
			simplify: false,
			options,
			...parameters,
		},
		settings,
	);

const event = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const piece = (content: string, finish: string | null = null) =>
	event({
		id: 'x',
		model: 'm',
		choices: [{ index: 0, delta: { content }, finish_reason: finish }],
	});
const DONE = 'data: [DONE]\n\n';
const failing = (data: string) => `event: error\ndata: ${data}\n\n`;
const answerWith = (rawBody: string, contentType = 'text/event-stream') =>
	fixture.sandbox.faults.add({ match: COMPLETIONS, status: 200, rawBody, contentType });

describe('a stream that breaks off is an error with the partial answer', () => {
	const cuts: Array<[string, () => void, string]> = [
		[
			'ends without a finish_reason',
			() => answerWith(piece('Half an ') + piece('answer')),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'ends before the second choice',
			() => answerWith(piece('Half an answer', 'stop')),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'is done without a finish_reason',
			() => answerWith(piece('Half an ') + piece('answer') + DONE),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'is done with an empty finish_reason',
			() => answerWith(piece('Half an answer', '') + DONE),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'is cut inside a chunk',
			() => answerWith(piece('Half an answer') + piece('nothing').slice(0, 30)),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'is cut inside [DONE]',
			() => answerWith(piece('Half an answer') + DONE.slice(0, 9)),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'reports an error as its last words',
			() =>
				answerWith(piece('Half an answer') + event({ error: { message: 'out of memory' } }).trim()),
			'The response ended early: the service reports: out of memory',
		],
		[
			'reports an error that is cut',
			() => answerWith(piece('Half an answer') + failing('{"message": "out of').trim()),
			'The response ended early: the service reports: {"message": "out of',
		],
		[
			'reports an error',
			() => answerWith(piece('Half an answer') + event({ error: { message: 'out of memory' } })),
			'The response ended early: the service reports: out of memory',
		],
		[
			'sends an error event',
			() => answerWith(piece('Half an answer') + failing('{"message": "out of memory"}') + DONE),
			'The response ended early: the service reports: out of memory',
		],
		[
			'sends an error event in plain text',
			() => answerWith(piece('Half an answer') + failing('out of memory') + DONE),
			'The response ended early: the service reports: out of memory',
		],
		[
			'sends an error event that says nothing',
			() => answerWith(piece('Half an answer') + failing('{}') + DONE),
			'The response ended early: the service reports an error',
		],
		[
			'sends a detail in place of a chunk',
			() => answerWith(piece('Half an answer') + event({ detail: 'out of memory' }) + DONE),
			'The response ended early: the service reports: out of memory',
		],
		[
			'sends a message in place of a chunk',
			() =>
				answerWith(
					piece('Half an answer') + event({ object: 'error', message: 'out of memory' }) + DONE,
				),
			'The response ended early: the service reports: out of memory',
		],
		[
			'turns into something else',
			() => answerWith(`${piece('Half an answer')}data: oops\n\n`),
			'The response ended early: the service sent a chunk that is not a JSON object',
		],
		[
			'is reset',
			() =>
				fixture.sandbox.faults.add({
					match: COMPLETIONS,
					status: 200,
					rawBody: piece('Half an answer').repeat(2),
					contentType: 'text/event-stream',
					cutBodyAt: piece('Half an answer').length + 5,
				}),
			'The response ended early: the connection was lost',
		],
	];
	it.each(cuts)('%s', async (title, arrange, message) => {
		arrange();
		const options = { stream: true, ...(title.includes('second choice') && { n: 2 }) };
		const error = errorOf(await fixture.run(complete(options)));
		expect(error.message).toBe(message);
		expect(error.description).toContain('The response starts with: Half an answer');
		arrange();
		const item = onlyJson(
			await fixture.run(complete(options, {}, { onError: 'continueRegularOutput' })),
		);
		expect(item).toMatchObject({
			error: message,
			details: { partial: { choices: [{ index: 0, message: { content: 'Half an answer' } }] } },
		});
	});

	it('the key in an error of the service is redacted', async () => {
		const { intelligenceKey } = fixture.sandbox.keys;
		answerWith(
			piece('Half') + event({ error: { message: `no credit left for ${intelligenceKey}` } }),
		);
		const error = errorOf(await fixture.run(complete({ stream: true })));
		expect(error.message).toBe(
			'The response ended early: the service reports: no credit left for ***',
		);
		expect(JSON.stringify(error.context)).not.toContain(intelligenceKey);
	});

	it('a cancelled execution ends the stream at once', async () => {
		const cancel = new AbortController();
		fixture.sandbox.faults.add({ match: COMPLETIONS, slowBytes: { chunk: 10, everyMs: 50 } });
		const running = fixture.run(complete({ stream: true }), [{}], { cancel: cancel.signal });
		while (fixture.sandbox.requests[0]?.status === undefined) await setImmediate();
		const waited = ownMilliseconds();
		cancel.abort();
		await running;
		expect(waited()).toBeLessThan(100);
	});

	it('a web page is an error that points to the Base URL', async () => {
		fixture.sandbox.faults.add({ match: COMPLETIONS, ...errorForms.html(200, 'Log in') });
		const error = errorOf(await fixture.run(complete({ stream: true })));
		expect(error.message).toBe(
			'The response is not a JSON object: an HTML page titled "200 Log in" instead of JSON',
		);
		expect(error.description).toContain('Check the Base URL');
	});

	it('a refusal before the stream is an error as everywhere', async () => {
		fixture.sandbox.faults.add({
			match: COMPLETIONS,
			...errorForms.detailList(422, [{ loc: ['body', 'n'], msg: 'must be at most 20', type: 'x' }]),
		});
		expect(errorOf(await fixture.run(complete({ stream: true }))).message).toBe(
			'n: must be at most 20',
		);
		fixture.sandbox.faults.add({ match: COMPLETIONS, ...errorForms.tooManyRequests(3) });
		expect(onlyJson(await fixture.run(complete({ stream: true })))).toHaveProperty('choices');
		expect(fixture.time.waits).toEqual([3_000]);
	});
});
