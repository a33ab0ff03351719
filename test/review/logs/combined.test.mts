import { describe, expect, test } from 'vitest';
import { caas, locator } from '../../engine/nodes.mts';
import { jsonOf } from '../../engine/results.mts';
import { EXACT, judge, named, world } from './worldD.mts';

describe('a gateway that ends its answers within a line, while the place is looked for', () => {
	for (const delayMs of [0, 400])
		for (const keeps of [Infinity, 60])
			test(`${delayMs} ms before the first line, last ${keeps} lines: no half line, each line once`, async () => {
				const { clock, log, follow } = await world({ delayMs, keeps, framing: 'bare', chunk: 3 });
				const lines = named('größer als 😀', 60);
				log.write(...lines.splice(0, 20));
				const trigger = await follow();
				for (const line of lines) {
					await clock.pass(delayMs + 150);
					for (const bytes of [5, 9]) {
						log.tear(bytes, line);
						await clock.settle();
						log.end();
						await clock.until(() => log.open.size > 0, 40_000);
					}
					log.write(line);
				}
				await clock.pass(60_000);
				expect(judge(log.written, trigger.lines)).toEqual(EXACT);
				expect(trigger.lines.filter((line) => !log.written.includes(line))).toEqual([]);
			});
});

for (const bytes of [5, 9])
	test(`a new log that is shown a moment late, and a gateway that ends within ${bytes} bytes of its last line: no half line`, async () => {
		const { clock, log, follow } = await world({ framing: 'bare', delayMs: 200, bufferMs: 300 });
		log.write(...named('old', 40));
		const trigger = await follow();
		await clock.pass(10_000);
		log.cut();
		log.restart(...named('größer', 3));
		for (const line of ['größer als 😀', 'größer noch 😀', 'größer']) {
			await clock.until(() => log.open.size > 0, 40_000);
			await clock.pass(100);
			log.tear(bytes, line);
			await clock.settle();
			log.end();
			log.write(line);
		}
		await clock.pass(120_000);
		expect(trigger.lines.filter((line) => !log.written.includes(line))).toEqual([]);
		expect(judge(log.written, trigger.lines)).toEqual(EXACT);
	});

describe('equal lines of a service that is slow to begin', () => {
	for (const offset of ['honoured', 'ignored'] as const)
		for (const delayMs of [0, 1_000, 1_500, 4_000])
			test(`offset ${offset}, ${delayMs} ms: each line once over five breaks`, async () => {
				const { clock, log, follow } = await world({ offset, delayMs });
				log.write(...Array<string>(200).fill('.'));
				const trigger = await follow();
				for (let round = 0; round < 5; round++) {
					await clock.pass(60_000);
					log.cut();
					log.write('.', '.', '.');
				}
				await clock.pass(120_000);
				expect(trigger.lines).toEqual(log.written);
			});
});

test('stack traces in two chunks around the end of a batch: none is split', async () => {
	const { clock, log, follow } = await world();
	const trigger = await follow({
		batch: { maxEntries: 100, maxWaitMs: 1_000 },
		options: { joinLines: true },
	});
	for (let round = 0; round < 8; round++) {
		log.write(`start ${round}`);
		await clock.pass(960 + 10 * round);
		log.write(`Error: trace ${round}`);
		await clock.pass(40);
		log.write(`    at frame ${round}`);
		await clock.pass(5_000);
	}
	expect(trigger.lines).toEqual(
		Array.from({ length: 8 }, (_, round) => [
			`start ${round}`,
			`Error: trace ${round}\n    at frame ${round}`,
		]).flat(),
	);
	// No line has waited longer than Max Wait, joined or not
	log.write('one', 'two');
	const { length } = trigger.lines;
	await clock.pass(1_050);
	expect(trigger.lines.length - length).toBe(2);
});

test('Get Many and Last Lines with pings of the service: no ping is a line', async () => {
	const { clock, log, engine } = await world({ pingMs: 700 });
	log.write(...named('a', 10));
	for (const tail of [false, true]) {
		const node = caas('log', 'getAll', {
			deploymentId: locator('d1'),
			containerId: locator('c1'),
			limit: 50,
			maxWaitSeconds: 5,
			options: { tail },
		});
		const run = await clock.during(engine.run(node));
		expect(jsonOf(run).map(({ line }) => line)).toEqual(log.written);
	}
});

test('an offset to start from, pings, and a service that ignores the offset: lines before it are left out', async () => {
	const { clock, log, follow } = await world({ offset: 'ignored', pingMs: 100, paceMs: 30 });
	log.write(...named('a', 50));
	const trigger = await follow({ startFrom: 'offset', offset: '40' });
	await clock.pass(20_000);
	log.cut();
	log.write(...named('b', 5));
	await clock.pass(60_000);
	expect(judge(log.written.slice(40), trigger.lines)).toEqual(EXACT);
	expect(trigger.lines.length).toBe(15);
});

test('gzip, small chunks within characters, breaks within a line and a restart: each line once', async () => {
	const { clock, log, follow, restart } = await world({ gzip: true, chunk: 40 });
	log.write(...named('größer 😀', 40));
	const trigger = await follow();
	await clock.pass(5_000);
	for (let round = 0; round < 4; round++) {
		const line = `Zeile 😀 ${round}`;
		log.tear(13, line);
		await clock.settle();
		if (round % 2 === 0) log.cut();
		else log.end();
		log.write(line, `nächste ${round}`);
		await clock.pass(20_000);
		if (round === 2) await restart(trigger);
	}
	await clock.pass(20_000);
	expect(judge(log.written, trigger.lines)).toEqual(EXACT);
});

test('greeting, IDs that each connection counts again, breaks: lines of the log come once', async () => {
	const { clock, log, follow } = await world({
		ids: 'connection',
		greeting: (count) => [`connected as ${count}`],
	});
	log.write(...named('a', 40));
	const trigger = await follow();
	for (let round = 0; round < 5; round++) {
		await clock.pass(15_000);
		log.cut();
		log.write(...named(`round ${round}`, 5));
	}
	await clock.pass(60_000);
	expect(judge(log.written, trigger.lines)).toEqual(EXACT);
});

test('three containers, one of which answers 429 with Retry-After: the others go on, and it is asked gently', async () => {
	const { clock, service, follow } = await world();
	const containers = ['c1', 'c2', 'c3'];
	for (const name of containers) service.log(name).write(...named(name, 20));
	const trigger = await follow({ containerIds: containers });
	await clock.pass(5_000);
	service.rules.refuses = (name) =>
		name === 'c2' ? { status: 429, headers: { 'retry-after': '120' } } : undefined;
	for (const name of containers) {
		service.log(name).cut();
		service.log(name).write(...named(`${name} later`, 20));
	}
	const from = service.requests.length;
	await clock.pass(300_000);
	const asked = service.requests.slice(from).filter(({ container }) => container === 'c2').length;
	expect(asked).toBeLessThanOrEqual(4);
	const others = ['c1', 'c3'].flatMap((name) => service.log(name).written);
	expect(judge(others, trigger.lines)).toEqual(EXACT);
	service.rules.refuses = undefined;
	await clock.pass(300_000);
	expect(judge(service.log('c2').written, trigger.lines)).toEqual(EXACT);
	expect(service.mostInASecond).toBeLessThanOrEqual(10);
});

test('comments that keep a dead connection alive, a proxy that buffers, and the idle timeout: later lines come once', async () => {
	const { clock, log, follow } = await world({ commentMs: 1_000, bufferMs: 2_000 });
	log.write(...named('a', 40));
	const trigger = await follow({ options: { idleTimeout: 30 } });
	for (let round = 0; round < 3; round++) {
		await clock.pass(10_000);
		log.forget();
		log.write(...named(`round ${round}`, 5));
		await clock.pass(60_000);
	}
	expect(judge(log.written, trigger.lines)).toEqual(EXACT);
});

test('a deployment that ends in an outage, with its last lines 20 seconds later: they come, and then nothing is asked', async () => {
	const { clock, log, service, follow } = await world();
	log.write(...named('a', 40));
	const trigger = await follow({ options: { connectionEvents: true } });
	await clock.pass(5_000);
	service.rules.refuses = () => ({ status: 503 });
	service.rules.page = 1_000;
	log.cut();
	service.status = 'completed';
	await clock.pass(5_000);
	service.rules.refuses = undefined;
	await clock.pass(20_000);
	log.write(...named('last', 10));
	await clock.pass(400_000);
	const lines = trigger.items
		.filter(({ line }) => line !== undefined)
		.map(({ line }) => String(line));
	expect(judge(log.written, lines)).toEqual(EXACT);
	expect(trigger.items.filter(({ event }) => event === 'finished').length).toBe(1);
	const { length } = service.requests;
	await clock.pass(600_000);
	expect(service.requests.length).toBe(length);
});

test('a log that shrinks, with breaks and new lines: what is known is found, and the rest comes once', async () => {
	const { clock, log, follow } = await world();
	log.write(...named('a', 500));
	const trigger = await follow();
	for (const count of [300, 150, 40]) {
		await clock.pass(10_000);
		log.cut();
		log.shrink(count);
		log.write(...named(`after ${count}`, 30));
	}
	await clock.pass(60_000);
	expect(judge(log.written, trigger.lines)).toEqual(EXACT);
});

test('filters, small batches, executions that fail, and a restart in between: each match is delivered, in order', async () => {
	const { clock, log, follow, restart } = await world();
	const received: string[] = [];
	let fails = 0;
	const trigger = await follow(
		{
			batch: { maxEntries: 3, maxWaitMs: 100 },
			options: { include: '[05]$', delivery: 'succeeded' },
		},
		(items) => {
			if (fails++ % 3 === 1) throw new Error('The receiver is away');
			received.push(...items.map(({ line }) => String(line)));
		},
	);
	for (let round = 0; round < 5; round++) {
		log.write(...named(`round ${round}`, 20));
		await clock.pass(1_500);
		log.cut();
		if (round === 2) await restart(trigger);
	}
	await clock.pass(120_000);
	const wanted = log.written.filter((line) => /[05]$/.test(line));
	expect([...new Set(received)]).toEqual(wanted);
	expect(judge(wanted, received)).toEqual(EXACT);
});

test('lines over the limit, progress bars that redraw themselves and CRLF: truncated once, and found again', async () => {
	const { clock, log, follow } = await world({ framing: 'crlf', chunk: 700 });
	const bar = named('10%', 20).join('\r');
	log.write(...named('a', 10), 'x'.repeat(5_000), bar, 'y'.repeat(1_500));
	const trigger = await follow({ options: { largestLine: 1_024 } });
	for (let round = 0; round < 3; round++) {
		await clock.pass(10_000);
		log.cut();
		log.write(`${round}`.repeat(3_000), `${bar} ${round}`);
	}
	await clock.pass(30_000);
	const wanted = log.written.map((line) => line.slice(0, 1_024));
	expect(trigger.lines).toEqual(wanted);
	expect(trigger.items.filter(({ truncated }) => truncated).length).toBe(5);
});
