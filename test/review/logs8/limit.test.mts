import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { endWorlds } from '../logs2/service.mts';
import { random } from '../../engine/random.mts';
import type { ActiveTrigger } from '../../engine/trigger.mts';
import { openPages, sized } from './pages.mts';

/** Max Executions per Minute: each line is delivered or counted, in one of the two and once. */
endWorlds();

function counted({ items }: ActiveTrigger, output: string): { lines: number; held: number } {
	const sizeOf = (item: IDataObject) => {
		if (output === 'entries') return 'line' in item ? 1 : 0;
		return Array.isArray(item.lines) ? item.lines.length : Number(item.count ?? 0);
	};
	return {
		lines: items.reduce((sum, item) => sum + sizeOf(item), 0),
		held: items.reduce((sum, item) => sum + Number(item.held_back ?? 0), 0),
	};
}

describe('the sum of delivered and held back lines', () => {
	for (const maxExecutionsPerMinute of [1, 3])
		for (const delivery of ['completed', 'succeeded', 'immediately'])
			for (const ends of ['nothing', 'stops', 'failures', 'all'])
				it(`${maxExecutionsPerMinute} a minute, ${delivery}, ${ends}`, async () => {
					const roll = random(maxExecutionsPerMinute * 7 + delivery.length + ends.length);
					const { world, log } = await openPages({ unit: 'entries', lines: 7, end: 'poll30' });
					const fails = ends === 'failures' || ends === 'all';
					let runs = 0;
					const trigger = world.trigger(
						{
							options: { maxExecutionsPerMinute, delivery },
							batch: { maxEntries: 5, maxWaitMs: 500 },
						},
						() => {
							if (fails && runs++ % 3 === 1) throw new Error('The consumer fails');
						},
					);
					await world.activate(trigger);
					for (let turn = 0; turn < 6; turn++) {
						log.write(...sized(1 + roll(30), turn * 100));
						await world.time.pass(5_000 + roll(90_000));
						if (ends === 'stops' || ends === 'all') {
							log.write(...sized(1 + roll(9), turn * 100 + 50));
							await world.time.pass(roll(3_000));
							await world.deactivate(trigger);
							log.write(...sized(1 + roll(9), turn * 100 + 70));
							await world.activate(trigger, 'init');
						}
					}
					await world.time.pass(1_800_000);
					// Lines that tell of what is held back still
					for (let turn = 0; turn < 3; turn++) {
						log.write(`last ${turn}`);
						await world.time.pass(180_000);
					}
					const { lines, held } = counted(trigger, 'entries');
					const unique = new Set(trigger.lines).size;
					// A failed batch of When Execution Succeeds comes again, with its number
					const isAgain = delivery === 'succeeded' && fails;
					if (isAgain) {
						const good = trigger.executions.filter(({ run }) => run?.status === 'success');
						const items = good.flatMap((one) => one.items.map(({ json }) => json));
						const sum =
							items.length + items.reduce((all, { held_back = 0 }) => all + Number(held_back), 0);
						expect({ sum, unique: new Set(items.map(({ line }) => line)).size }).toEqual({
							sum: log.lines.length,
							unique: items.length,
						});
						return;
					}
					expect({ sum: lines + held, unique }).toEqual({ sum: log.lines.length, unique: lines });
				});
});
