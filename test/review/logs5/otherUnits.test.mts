import { expect, it } from 'vitest';
import { compare, endWorlds, Log, NOTHING, startWorld, unique, type Call } from './service.mts';

/** A person chooses another Offset Unit for a log that is followed already. */
endWorlds();

const framed = (line: string, index: number) => `id: e${index + 1}\ndata: ${line}\n\n`;

const SERVICES: Record<string, (call: Call) => number> = {
	'that counts entries': ({ offset = 0 }) => offset || 0,
	'that resumes at IDs': ({ lastEventId = 'e0' }) => Number(lastEventId.slice(1)),
	'that ignores the offset': () => 0,
};

const CHANGES = [
	['entries', 'eventId'],
	['eventId', 'entries'],
	['none', 'eventId'],
	['eventId', 'none'],
	['entries', 'bytes'],
	['bytes', 'entries'],
	['entries', 'none'],
] as const;

for (const [service, from] of Object.entries(SERVICES))
	for (const [before, after] of CHANGES)
		it(`${before}, then ${after}, at a service ${service}: nothing comes again`, async () => {
			const log = new Log(...unique(60));
			const world = await startWorld(async (call) => {
				call.open();
				await call.follow(log, from(call), framed);
			});
			const first = world.trigger({ options: { offsetUnit: before } });
			await world.activate(first);
			await world.clock.pass(30_000);
			await world.deactivate(first);
			log.write(...unique(5, 60));
			const second = world.trigger({ options: { offsetUnit: after } });
			second.saved = first.saved;
			await world.activate(second);
			await world.clock.pass(200_000);
			log.write(...unique(5, 65));
			world.cut();
			await world.clock.pass(200_000);
			expect(compare(log.written, [...first.lines, ...second.lines])).toEqual(NOTHING);
		});
