import { expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { logsTrigger, numbered, openLog } from '../engine/logs.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { eventually } from '../engine/wait.mts';

const fixture = useFixture({ time: 'real' });

/** n8n saves the whole static data of a workflow, and a trigger that is published later has a copy of its own */
it.each(['stopped', 'killed'] as const)(
	'%s beside a trigger of the same workflow that was published later: nothing is lost or repeated',
	async (how) => {
		const part = (name: string, sibling?: ActiveTrigger) => {
			const parameters = { startFrom: 'now', containerIds: [name], batch: { maxEntries: 10 } };
			const node = { ...logsTrigger(parameters), name };
			return {
				log: openLog(fixture.sandbox, 'sse', name),
				trigger: new ActiveTrigger(fixture.engine, node, undefined, sibling),
			};
		};
		const first = part('first');
		const second = part('second', first.trigger);
		const both = [first, second];
		await first.trigger.activate();
		await second.trigger.activate('update');
		const write = async (from: number, parts: typeof both) => {
			for (const { log, trigger } of parts) {
				const { dropped } = trigger;
				log.append('stdout', ...numbered(10, from));
				await eventually('it is saved', () => trigger.dropped > dropped);
			}
		};
		await write(0, [second, first]);
		await write(10, [first, second]);
		if (how === 'stopped') for (const { trigger } of both) await trigger.deactivate();
		for (const { trigger } of both) await trigger.kill();
		for (const { log } of both) log.append('stdout', ...numbered(10, 20));
		for (const { trigger } of both) await trigger.activate('init');
		await eventually('all lines', () => both.every(({ trigger }) => trigger.lines.length >= 30));
		for (const { trigger } of both) {
			await trigger.deactivate();
			expect(trigger.lines).toEqual(numbered(30));
		}
	},
);
