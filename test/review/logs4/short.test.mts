import { expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { endWorlds, openWorld } from '../logs2/service.mts';

/** Answers of a few lines each, and bursts of lines at a service that keeps none. */
endWorlds();

for (const over of ['ended', 'lost'] as const)
	for (const page of [3, 5, 7, 8])
		it.each([3, 6, 7, 12])(`pages of ${page}, ${over}: a block of %i lines`, async (size) => {
			const line = (_: unknown, index: number) => `at frame ${index % size}`;
			const blocks = Array.from({ length: size * 4 }, line);
			const log = [...numbered(20), ...blocks, ...numbered(20, 50)];
			const world = await openWorld(async ({ head, offset = 0, response, send, wait }) => {
				head();
				send(...log.slice(offset, offset + page));
				if (over === 'ended') return void response.end();
				await wait(50);
				response.destroy();
			});
			const trigger = world.trigger();
			await world.activate(trigger);
			await world.time.pass(1_500_000);
			expect(trigger.lines).toEqual(log);
		});

it('after one burst that looks like the past, late ones are new', async () => {
	const burst = Array.from({ length: 40 }, (_, index) => `frame ${index % 5}`);
	let written = 0;
	const world = await openWorld(async ({ head, index, response, send, wait }) => {
		head();
		if (index > 20) return;
		await wait(index === 1 ? 100 : 1_500 + 200 * (index % 5));
		for (let left = 10; left > 0 && !response.destroyed; left--) {
			send(...burst);
			written += burst.length;
			await wait(4_000);
		}
		response.end();
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(1_500_000);
	expect(written).toBeGreaterThan(1_000);
	expect(written - trigger.lines.length).toBeLessThanOrEqual(burst.length);
});
