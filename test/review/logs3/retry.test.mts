import { expect, it } from 'vitest';
import { endWorlds, openWorld, type LogCall } from '../logs2/service.mts';

endWorlds();

/** The longest pause between two of the first calls of a service, in milliseconds. */
async function longestPause(answer: (call: LogCall) => void) {
	const at: number[] = [];
	const world = await openWorld((call) => {
		at.push(world.now());
		answer(call);
	});
	const trigger = world.trigger({ streams: ['stdout'] });
	await world.activate(trigger);
	await world.time.pass(200_000);
	const pauses = at.slice(1, 6).map((one, index) => one - (at[index] ?? 0));
	return { longest: Math.max(...pauses), lines: trigger.lines };
}

for (const [name, isEnd] of [
	['lost', false],
	['over', true],
] as const) {
	for (const rest of ['', 'Starting\n', ': note\nStarting\n'])
		it(`a bare log that begins with retry asks for no pause, ${JSON.stringify(rest)}, connections are ${name}`, async () => {
			const { longest, lines } = await longestPause(({ head, response, wait }) => {
				head();
				response.write(`retry: 600000\n${rest}`);
				void wait(50).then(() => (isEnd ? response.end() : response.destroy()));
			});
			expect(longest).toBeLessThan(60_000);
			// A line without a line behind it may be incomplete
			if (rest !== '') expect(lines).toContain('retry: 600000');
		});

	it(`an event stream asks for a pause, connections are ${name}`, async () => {
		const { longest } = await longestPause(({ head, response, wait }) => {
			head();
			response.write('retry: 70000\n\ndata: one\n\n');
			void wait(50).then(() => (isEnd ? response.end() : response.destroy()));
		});
		expect(longest).toBeGreaterThanOrEqual(70_000);
	});
}
