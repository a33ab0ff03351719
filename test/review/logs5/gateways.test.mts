import { expect, it } from 'vitest';
import { compare, endWorlds, Log, NOTHING, startWorld, unique } from './service.mts';

endWorlds();

const ENVELOPES = [
	['application/json', '{"detail":"upstream request timeout"}'],
	['application/json', '{"status":"error","message":"Service temporarily unavailable"}'],
	[
		'application/json; charset=utf-8',
		'{"error":{"message":"overloaded","type":"server_error","code":503}}',
	],
	['application/json', '{"detail":"upstream request timeout"}\n'],
	['application/problem+json', '{"title":"Gateway Timeout","status":504}\n'],
	['text/event-stream', '{"detail":"upstream request timeout"}'],
	['text/event-stream', 'event: error\ndata: {"detail":"upstream request timeout"}\n\n'],
	['text/plain', '<html>\n<body>504 Gateway Time-out</body>\n</html>\n'],
] as const;

for (const count of [20, 200])
	for (const [type, body] of ENVELOPES)
		it(`200 with an error envelope for a minute, ${type} ${JSON.stringify(body)}, ${count} lines`, async () => {
			const log = new Log(...unique(count));
			let isDown = false;
			const world = await startWorld(async (call) => {
				if (isDown) return void (call.open(type), call.response.end(body));
				call.open();
				await call.follow(log, call.offset ?? 0);
			});
			const trigger = world.trigger();
			await world.activate(trigger);
			await world.clock.pass(30_000);
			isDown = true;
			world.cut();
			await world.clock.pass(60_000);
			log.write(...unique(5, count));
			isDown = false;
			await world.clock.pass(120_000);
			expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
			expect(trigger.failures.map(({ message }) => message)).not.toEqual([]);
		});

it('activation: the first answer is a 200 with an error envelope', async () => {
	const log = new Log(...unique(10));
	let isDown = true;
	const world = await startWorld(async (call) => {
		if (isDown)
			return void (
				call.open('application/json'),
				call.response.end('{"detail":"Not authenticated"}')
			);
		call.open();
		await call.follow(log, call.offset ?? 0);
	});
	const trigger = world.trigger();
	await world.activate(trigger).catch(() => undefined);
	await world.clock.pass(20_000);
	isDown = false;
	await world.clock.pass(60_000);
	expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
});

for (const end of ['', '\n'])
	it(`a 200 that says "Not authenticated" for ever${end && ', with a line end'}: it is said, and no line`, async () => {
		const world = await startWorld((call) => {
			call.open('application/json');
			call.response.end(`{"detail":"Not authenticated"}${end}`);
		});
		const trigger = world.trigger();
		const error = await world.activate(trigger).catch(({ message }: Error) => message);
		await world.clock.pass(600_000);
		expect(trigger.lines).toEqual([]);
		const said = JSON.stringify([error, trigger.failures.map(({ message }) => message)]);
		expect(said).toContain('Not authenticated');
	});

it('Get Many: a 200 with an error envelope is no line of the log', async () => {
	const world = await startWorld((call) => {
		call.open('application/json');
		call.response.end('{"detail":"Not authenticated"}');
	});
	const run = await world.runGetMany();
	expect(run.status, JSON.stringify(run.data.resultData.runData).slice(0, 600)).toBe('error');
});

it('bare lines without a content type, one of which looks like the start of a page', async () => {
	const log = new Log(...unique(8));
	const world = await startWorld(async (call) => {
		call.open('');
		await call.follow(log, call.offset ?? 0, (line) => `${line}\n`);
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.clock.pass(5_000);
	for (let round = 0; round < 30; round++) {
		log.write(...unique(2, 100 + 4 * round), '<body>', `<p>${round}</p>`);
		await world.clock.pass(3_000);
		world.cut();
		await world.clock.pass(10_000);
	}
	await world.clock.pass(100_000);
	expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
});

it('a gateway answers 504 with a page that repeats the request, key and token too', async () => {
	const log = new Log(...unique(50));
	let isDown = false;
	const world = await startWorld(async (call) => {
		if (isDown) {
			call.open('text/html', 504);
			const { headers } = call.response.req;
			return void call.response.end(
				`<html><h1>504</h1><pre>${JSON.stringify(headers)}</pre></html>`,
			);
		}
		call.open();
		await call.follow(log, call.offset ?? 0);
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.clock.pass(10_000);
	isDown = true;
	world.cut();
	await world.clock.pass(60_000);
	isDown = false;
	log.write('after');
	await world.clock.pass(60_000);
	expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
	expect(trigger.failures.map(({ message }) => message)).toHaveLength(1);
});
