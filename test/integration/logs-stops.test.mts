import { describe, expect, it } from 'vitest';
import { endServices, followService } from '../engine/logService.mts';
import { numbered } from '../engine/logs.mts';

/** Stops of a trigger at a service that has nothing of the past: what it has sent comes then, or never. */
endServices();

const BATCH = { maxEntries: 10, maxWaitMs: 60_000 };

describe('stopped, at a service that shows new lines only', () => {
	it.each([
		['while the known lines are searched', 1, 2_500],
		['while they are searched from the beginning', 1, 14_500],
		['between two of these connections', 1, 10_500],
		['when it is known that they do not come', 1, 45_000],
		['after further connections', 4, 2_500],
	])('%s: what it has sent is delivered', async (_when, cuts, ms) => {
		const { trigger, time, cut, tell } = await followService(() => undefined, { batch: BATCH });
		let number = 0;
		const sent: string[] = [];
		const write = async (forMs: number) => {
			for (let passed = 0; passed < forMs; passed += 500) {
				const line = `line ${number++}`;
				if (tell(line) > 0) sent.push(line);
				await time.pass(500);
			}
		};
		await time.pass(5_000);
		await write(20_000);
		for (let left = cuts; left > 0; left--) {
			cut();
			await time.pass(100);
			if (left > 1) await write(60_000);
		}
		await write(ms);
		await time.during(trigger.deactivate(), 60_000);
		expect(trigger.lines).toEqual(sent);
		await time.during(trigger.activate(), 60_000);
		const { length } = sent;
		await time.pass(5_000);
		await write(45_000);
		await time.during(trigger.deactivate(), 60_000);
		expect(trigger.lines.slice(length)).toEqual(sent.slice(length));
	});

	it('stopped during its first connection: what waits for its batch is lost', async () => {
		const { trigger, time, tell } = await followService(() => undefined, { batch: BATCH });
		await time.pass(5_000);
		tell('one');
		await time.pass(1_000);
		await time.during(trigger.deactivate(), 60_000);
		await time.during(trigger.activate(), 60_000);
		await time.pass(120_000);
		expect(trigger.lines).toEqual([]);
	});

	it('killed: what waits for its batch is lost', async () => {
		const { trigger, time, tell } = await followService(() => undefined, { batch: BATCH });
		await time.pass(5_000);
		tell('one');
		await time.pass(1_000);
		await time.during(trigger.kill(), 60_000);
		await time.during(trigger.activate('init'), 60_000);
		tell('two');
		await time.pass(120_000);
		expect(trigger.lines).toEqual(['two']);
	});

	it('with an execution that hangs: it waits no longer than 10 s', async () => {
		let isStuck = true;
		const hang = async () => {
			while (isStuck) await new Promise(setImmediate);
		};
		const { trigger, time, tell } = await followService(
			() => undefined,
			{ batch: { maxEntries: 1 } },
			undefined,
			hang,
		);
		await time.pass(5_000);
		tell('one');
		await time.pass(1_000);
		tell('two');
		await time.pass(1_000);
		await time.during(trigger.deactivate(), 11_000);
		expect(trigger.lines).toEqual(['one']);
		isStuck = false;
	});
});

describe('stopped, at a service that keeps its log', () => {
	it('what waits for its batch comes at the next start, once', async () => {
		const log = numbered(3);
		const { trigger, time, tell } = await followService(
			({ offset = 0, send }) => send(...log.slice(offset)),
			{ batch: BATCH },
		);
		await time.pass(5_000);
		log.push('line 3');
		tell('line 3');
		await time.pass(1_000);
		await time.during(trigger.deactivate(), 60_000);
		expect(trigger.lines).toEqual([]);
		await time.during(trigger.activate(), 60_000);
		await time.pass(120_000);
		expect(trigger.lines).toEqual(numbered(4));
	});

	it('that was empty at first: it comes twice at worst', async () => {
		const log: string[] = [];
		const { trigger, time, tell } = await followService(
			({ offset = 0, send }) => send(...log.slice(offset)),
			{ batch: BATCH },
		);
		for (const line of numbered(3)) {
			await time.pass(5_000);
			log.push(line);
			tell(line);
			await time.pass(1_000);
			await time.during(trigger.deactivate(), 60_000);
			await time.during(trigger.activate(), 60_000);
		}
		await time.pass(120_000);
		expect(new Set(trigger.lines)).toEqual(new Set(log));
		expect(trigger.lines.length).toBeLessThanOrEqual(2 * log.length);
	});

	it('while a new log is searched: the one before it, which is gone, is delivered', async () => {
		let log = numbered(60);
		const { trigger, time, requested, cut, tell } = await followService(({ offset = 0, send }) =>
			send(...log.slice(offset)),
		);
		await time.pass(10_000);
		cut();
		await time.pass(10_000);
		log.push('line 60');
		tell('line 60');
		await time.pass(10_000);
		// Of this life, one connection has brought what comes after the offset that was requested
		log = numbered(45, 100);
		cut();
		await time.pass(1_000);
		log = numbered(45, 200);
		// The pause before the next connection is a random one
		const connections = requested.length;
		expect(await time.until(() => requested.length > connections, 10_000, 50)).toBe(true);
		await time.during(trigger.deactivate(), 60_000);
		await time.during(trigger.activate(), 60_000);
		await time.pass(120_000);
		const expected = [...numbered(61), ...numbered(20, 125), ...numbered(45, 200)];
		expect(trigger.lines).toEqual(expected);
	});
});
