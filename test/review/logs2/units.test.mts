import { expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { ActiveTrigger } from '../../engine/trigger.mts';
import { logsTrigger } from '../../engine/logs.mts';
import { endWorlds, fateOf, openWorld, WELL, type World } from './service.mts';

endWorlds();

const named = (count: number, name: string) => numbered(count).map((line) => `${name} ${line} é`);

/** A log that counts in a unit; it stays open and follows. */
async function unitWorld(unit: string, log: { lines: string[] }, end = '\n') {
	return await openWorld(async (call) => {
		call.head(unit === 'bytes' ? 'text/plain' : 'text/event-stream');
		const mine = log.lines;
		const all = () => Buffer.from(mine.map((line) => line + end).join(''));
		let at = 0;
		const asked = call.query.get('offset');
		if (unit === 'eventId') at = asked === null ? 0 : Number(asked);
		let byte = unit === 'bytes' ? Number(asked) : 0;
		for (; !call.response.destroyed; await call.wait(300)) {
			if (mine !== log.lines) return void call.response.end();
			if (unit === 'bytes') {
				const rest = all().subarray(byte);
				if (rest.length > 0) call.response.write(rest);
				byte += rest.length;
			} else
				for (; at < mine.length; at++)
					call.response.write(
						unit === 'eventId' ? `id: ${at + 1}\ndata: ${mine[at]}\n\n` : `data: ${mine[at]}\n\n`,
					);
		}
	});
}

async function live(
	world: World,
	log: { lines: string[] },
	unit: string,
	isKilled: boolean,
	rotates: string,
) {
	const trigger = world.trigger({ options: { offsetUnit: unit } });
	const all = [...log.lines];
	await world.activate(trigger);
	await world.time.pass(20_000);
	const more = named(5, 'more');
	log.lines.push(...more);
	all.push(...more);
	await world.time.pass(20_000);
	if (isKilled) await world.time.during(trigger.kill(), 60_000);
	else await world.deactivate(trigger);
	const away =
		rotates === 'shorter'
			? named(10, 'new')
			: rotates === 'longer'
				? named(300, 'new')
				: named(10, 'away');
	if (rotates === 'no') log.lines.push(...away);
	else log.lines = [...away];
	all.push(...away);
	await world.activate(trigger, 'init');
	await world.time.pass(60_000);
	world.cut();
	const last = named(3, 'last');
	log.lines.push(...last);
	all.push(...last);
	await world.time.pass(60_000);
	return fateOf(all, trigger.lines);
}

for (const unit of ['entries0', 'bytes', 'eventId', 'none'])
	for (const isKilled of [false, true])
		for (const rotates of ['no', 'shorter', 'longer'])
			for (const end of unit === 'bytes' ? ['\n', '\r\n'] : ['\n'])
				it(`unit ${unit}, ${isKilled ? 'killed' : 'stopped'}, new log: ${rotates}, ${JSON.stringify(end)}`, async () => {
					const log = { lines: named(120, 'old') };
					const world = await unitWorld(unit, log, end);
					expect(
						await live(world, log, unit === 'entries0' ? 'entries' : unit, isKilled, rotates),
					).toEqual(WELL);
				});

it('two triggers of a workflow follow one container', async () => {
	const log = { lines: named(120, 'old') };
	const world = await unitWorld('none', log);
	const one = world.trigger();
	const other = new ActiveTrigger(
		world.engine,
		{ ...logsTrigger(), name: 'Other' },
		undefined,
		one,
	);
	await world.activate(one);
	await world.activate(other);
	await world.time.pass(20_000);
	await world.deactivate(one);
	log.lines.push(...named(5, 'more'));
	await world.time.pass(20_000);
	await world.deactivate(other);
	await world.activate(one, 'init');
	await world.activate(other, 'init');
	await world.time.pass(60_000);
	expect(fateOf(log.lines, one.lines)).toEqual(WELL);
	expect(fateOf(log.lines, other.lines)).toEqual(WELL);
});

it('a log is gone for ten minutes and comes back', async () => {
	const log = named(120, 'old');
	let isGone = false;
	const world = await openWorld((call) => {
		if (isGone) return void call.response.writeHead(410).end('gone');
		call.head();
		call.send(...log.slice(call.offset ?? 0));
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(10_000);
	isGone = true;
	world.cut();
	await world.time.pass(600_000);
	isGone = false;
	log.push('back');
	await world.time.pass(60_000);
	expect(fateOf(log, trigger.lines)).toEqual(WELL);
	expect(world.calls.length).toBeLessThan(60);
});
