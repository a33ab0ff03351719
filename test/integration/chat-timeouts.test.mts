import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';

const fixture = useFixture({ time: 'real' });
const complete = (options: IDataObject) =>
	chat('chat', 'complete', {
		model: locator('meta-llama/Llama-3.3-70B-Instruct'),
		input: 'prompt',
		prompt: 'Why?',
		options,
	});

it('a silent stream ends after Idle Timeout, with what came', async () => {
	const chunk = { choices: [{ index: 0, delta: { content: 'Half' } }] };
	const rawBody = `data: ${JSON.stringify(chunk)}\n\n: silence`;
	fixture.sandbox.faults.add({
		status: 200,
		rawBody,
		contentType: 'text/event-stream',
		slowBytes: { chunk: rawBody.length - 5, everyMs: 60_000 },
	});
	const run = await fixture.run(complete({ stream: true, idleTimeout: 1 }));
	expect(errorOf(run).message).toBe(
		'The response ended early: nothing arrived for 1 second (Idle Timeout)',
	);
	expect(errorOf(run).description).toContain('Half');
});

it('a response that does not come ends after Timeout', async () => {
	fixture.sandbox.faults.add({ hang: true, times: 2 });
	for (const stream of [false, true])
		expect(errorOf(await fixture.run(complete({ stream, timeout: 1 }))).message).toMatch(
			// n8n's own timer may be the first
			/^No response within 1 seconds|was lost before a response arrived \(ECONNABORTED\)$/,
		);
});

it('a stream that does not begin ends after Idle Timeout', async () => {
	fixture.sandbox.faults.add({ hang: true });
	const run = await fixture.run(complete({ stream: true, idleTimeout: 1, timeout: 20 }));
	expect(errorOf(run).message).toBe('No response within 1 seconds');
	expect(fixture.sandbox.requests).toHaveLength(1);
});

it('a response without a stream may be silent for longer than Idle Timeout', async () => {
	fixture.sandbox.faults.add({ slowBytes: { chunk: 400, everyMs: 1_200 } });
	expect(onlyJson(await fixture.run(complete({ idleTimeout: 1 }))).content).toContain('Why?');
});
