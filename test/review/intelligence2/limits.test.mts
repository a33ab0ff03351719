import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ask, COMPLETIONS, useStage } from './play.mts';
import { chunk, events, type Answer } from './service.mts';

const stage = useStage();
const begin = events([chunk({ content: 'The answer is' })]).join('');
const head = { 'content-type': 'text/event-stream' };

describe('no wait is without a bound, and what came before it is in the error', () => {
	const silent: Answer = () => undefined;
	const silentAfter: Answer = (response) => {
		response.writeHead(200, head);
		response.write(begin);
	};
	const endless =
		(words: string): Answer =>
		async (response) => {
			response.writeHead(200, head);
			response.write(begin);
			while (!response.destroyed) {
				response.write(words);
				await pause(50);
			}
		};

	it.each<[string, object, Answer, RegExp, boolean]>([
		['silence before the head', { stream: true, idleTimeout: 1 }, silent, /1 second/, false],
		['silence before the head, without a stream', { timeout: 1 }, silent, /1 second/, false],
		['silence in the middle', { stream: true, idleTimeout: 1 }, silentAfter, /Idle Timeout/, true],
		[
			'keep-alives without end',
			{ stream: true, timeout: 1 },
			endless(': ping\n\n'),
			/Timeout/,
			true,
		],
		['a comment without end', { stream: true, timeout: 1 }, endless('x'), /Timeout/, true],
		['blanks without end', { timeout: 1 }, endless(' '), /Timeout/, true],
	])('%s', async (_, options, answer, words, hasPartial) => {
		stage.service.when(COMPLETIONS, answer);
		const { error, details } = await stage.run(ask({ ...options }));
		expect(error?.message).toMatch(words);
		expect(JSON.stringify(details).includes('The answer is')).toBe(hasPartial);
		expect(stage.service.asked(COMPLETIONS)).toHaveLength(1);
	});

	it('more than 64 MiB', async () => {
		stage.service.when(COMPLETIONS, async (response) => {
			response.writeHead(200, head);
			response.write(begin);
			const part = events([chunk({ content: '' }, null, { pad: 'x'.repeat(2_000_000) })]).join('');
			for (let n = 0; n < 40 && !response.destroyed; n++) {
				if (!response.write(part)) await pause(5);
			}
			response.end();
		});
		const { error, details } = await stage.run(ask({ stream: true }));
		expect(error?.message).toMatch(/larger than 64 MiB/);
		expect(JSON.stringify(details.partial)).toContain('The answer is');
	});
});
