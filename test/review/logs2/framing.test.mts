import { expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { endWorlds, fateOf, openWorld, WELL, type LogCall } from './service.mts';

endWorlds();

/** Entries of two lines each. */
const pairs = (count: number, from = 0) =>
	numbered(count, from).map((line) => `${line}\n  at ${line}`);
const eventOf = (entry: string) => `data: ${entry.replace('\n', '\ndata: ')}\n\n`;
const lineOf = (line: string) => `data: ${line}\n`;

/** Writes a text as the log grows, from the offset on. */
async function follow(call: LogCall, log: string[], textOf: (entry: string) => string) {
	call.head();
	for (let at = call.offset ?? 0; !call.response.destroyed; await call.wait(200)) {
		const texts = log.slice(at).map(textOf);
		if (texts.length > 0) call.response.write(texts.join(''));
		at += texts.length;
	}
}

for (const [name, before, cutAt] of [
	['the first event', 0, 'data'],
	['an event', 5, 'data'],
	['an event that waits for its blank line', 5, 'end'],
] as const)
	it(`a stall of 3 s within ${name} does not change how later events end`, async () => {
		const log = pairs(before + 1);
		const world = await openWorld(async (call) => {
			call.head();
			call.response.write(log.slice(0, before).map(eventOf).join(''));
			const text = eventOf(log[before] ?? '');
			const cut = cutAt === 'end' ? text.length - 1 : text.indexOf('\n') + 1;
			call.response.write(text.slice(0, cut));
			await call.wait(3_000);
			call.response.write(text.slice(cut));
			for (let at = log.length; !call.response.destroyed; await call.wait(200))
				while (at < log.length) call.response.write(eventOf(log[at++] ?? ''));
		});
		const trigger = world.trigger();
		await world.activate(trigger);
		await world.time.pass(10_000);
		for (let count = 0; count < 5; count++) {
			log.push(...pairs(2, log.length));
			await world.time.pass(500);
		}
		await world.time.pass(20_000);
		const later = log.slice(before + 1);
		expect(fateOf(later, trigger.lines)).toMatchObject({ lost: 0, repeated: 0 });
		// Nothing tells how the first event ends, before its end
		const entries = before === 0 ? log[0]?.split('\n') : log.slice(0, before + 1);
		expect(trigger.lines).toEqual([...(entries ?? []), ...later]);
	});

it('an event whose blank line never comes is delivered', async () => {
	const log = pairs(6);
	const world = await openWorld((call) => {
		call.head();
		call.response.write(`${log.map(eventOf).join('')}data: last\n`);
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(20_000);
	expect(trigger.lines).toEqual([...log, 'last']);
});

for (const [name, greeting] of [
	['', ''],
	[' that greets', 'event: connected\ndata: ready\n\n'],
] as const)
	for (const isHonoured of [true, false])
		for (const livesMs of [0, 500, 1_500])
			it(`single line feeds${name}, each connection is reset after ${livesMs} ms, the offset is ${isHonoured ? 'honoured' : 'ignored'}`, async () => {
				const log = numbered(30);
				const world = await openWorld(async (call) => {
					call.head();
					const lines = log.slice(isHonoured ? (call.offset ?? 0) : 0);
					call.response.write(`${greeting}${lines.map(lineOf).join('')}data: incompl`);
					await call.wait(livesMs + 10);
					call.response.destroy();
				});
				const trigger = world.trigger({ streams: ['stdout'] });
				await world.activate(trigger);
				await world.time.pass(120_000);
				log.push(...numbered(5, log.length));
				await world.time.pass(240_000);
				const lines = trigger.lines.filter((line) => line !== 'ready');
				expect(fateOf(log, lines)).toEqual(WELL);
			});

it('single line feeds and keep-alive comments', async () => {
	const log = numbered(3);
	const world = await openWorld(async (call) => {
		call.head();
		let steps = 0;
		for (let at = call.offset ?? 0; !call.response.destroyed; await call.wait(200)) {
			const texts = log.slice(at).map(lineOf);
			at += texts.length;
			if (++steps % 40 === 0) texts.push(': keep-alive\n\n');
			call.response.write(texts.join(''));
		}
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(5_000);
	for (let count = 0; count < 40; count++) {
		log.push(...numbered(2, log.length));
		await world.time.pass(900);
	}
	expect(fateOf(log, trigger.lines)).toEqual(WELL);
});

it('single line feeds, a few lines on each connection, and resets', async () => {
	const log = numbered(30);
	const world = await openWorld(async (call) => {
		const from = call.offset ?? 0;
		call.head();
		call.response.write(
			`: hello\n\n${log
				.slice(from, from + 4)
				.map(lineOf)
				.join('')}`,
		);
		await call.wait(400);
		call.response.destroy();
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(300_000);
	expect(fateOf(log, trigger.lines)).toEqual(WELL);
});

for (const textOf of [eventOf, lineOf])
	it(`what a stream has shown is not asked again of the next one: ${textOf('x').length} characters`, async () => {
		const log = textOf === eventOf ? pairs(10) : numbered(10);
		const world = await openWorld(async (call) => await follow(call, log, textOf));
		const trigger = world.trigger();
		await world.activate(trigger);
		await world.time.pass(10_000);
		for (let count = 0; count < 5; count++) {
			world.cut();
			await world.time.pass(5_000);
			const more = textOf === eventOf ? pairs(3, log.length) : numbered(3, log.length);
			log.push(...more);
			await world.time.pass(1_000);
			expect(fateOf(log, trigger.lines)).toEqual(WELL);
		}
	});

it('events of two lines, cut anywhere, again and again', async () => {
	const log = pairs(40);
	const world = await openWorld(async (call) => {
		call.head();
		const text = log
			.slice(call.offset ?? 0)
			.map(eventOf)
			.join('');
		const cut = call.index > 40 ? text.length : 3 + ((call.index * 37) % 60);
		call.response.write(text.slice(0, cut));
		await call.wait(300);
		if (call.index <= 40) call.response.destroy();
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(3_000_000);
	expect(fateOf(log, trigger.lines)).toEqual(WELL);
});

it('events of two lines whose service ends each answer within one', async () => {
	const log = pairs(40);
	const world = await openWorld((call) => {
		call.head();
		const text = log
			.slice(call.offset ?? 0)
			.map(eventOf)
			.join('');
		call.response.end(text.slice(0, 300));
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(300_000);
	expect(fateOf(log, trigger.lines)).toEqual(WELL);
});

it('a service that is exchanged ends its events with a blank line', async () => {
	const log = numbered(10);
	let textOf = lineOf;
	const world = await openWorld(async (call) => await follow(call, log, textOf));
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(10_000);
	textOf = eventOf;
	world.cut();
	await world.time.pass(10_000);
	for (let count = 0; count < 4; count++) {
		log.push(...pairs(2, log.length));
		await world.time.pass(1_000);
	}
	expect(fateOf(log.slice(11), trigger.lines)).toMatchObject({ lost: 0, repeated: 0 });
});

for (const [name, first] of [
	['plain', ['starting', 'ready']],
	['that begin with one like a field', ['data: 50 rows', 'ready']],
	['that begin with some like fields', ['id: 7', 'data: 50 rows', 'data: 60 rows', 'ready']],
] as const)
	for (const contentType of ['text/event-stream', 'text/plain'])
		it(`bare lines ${name}, blank lines keep the connection alive, ${contentType}`, async () => {
			const log: string[] = [...first];
			const world = await openWorld(async (call) => {
				call.head(contentType);
				let quiet = 0;
				for (let at = call.offset ?? 0; !call.response.destroyed; await call.wait(500)) {
					if (at < log.length) call.response.write(log.slice(at).join('\n') + '\n');
					else if (++quiet % 20 === 0) call.response.write('\n');
					at = log.length;
				}
			});
			const trigger = world.trigger();
			await world.activate(trigger);
			await world.time.pass(60_000);
			for (let count = 0; count < 4; count++) {
				world.cut();
				await world.time.pass(30_000);
				log.push(`data: ${log.length} rows`, `line ${log.length}`);
				await world.time.pass(40_000);
				log.push(...numbered(1, log.length));
				await world.time.pass(30_000);
			}
			expect(fateOf(log, trigger.lines)).toMatchObject({ lost: 0, repeated: 0 });
			expect(trigger.lines.filter((line) => line !== '')).toEqual(log);
		});

it('blank lines of the log are lines, also those that come alone', async () => {
	const log = ['starting', '', 'ready'];
	const world = await openWorld(async (call) => {
		call.head('text/plain');
		for (let at = call.offset ?? 0; !call.response.destroyed; await call.wait(500)) {
			if (at < log.length) call.response.write(log.slice(at).join('\n') + '\n');
			at = log.length;
		}
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	for (let count = 0; count < 4; count++) {
		await world.time.pass(20_000);
		log.push('');
		await world.time.pass(count * 4_000);
		log.push(`line ${log.length}`, '');
		for (let blanks = 0; blanks < 3; blanks++) {
			await world.time.pass(1_000);
			log.push('');
		}
		await world.time.pass(1_000);
		log.push(`line ${log.length}`);
		await world.time.pass(1_000);
		world.cut();
	}
	await world.time.pass(20_000);
	expect(trigger.lines).toEqual(log);
});
