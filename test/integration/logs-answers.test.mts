import { describe, expect, it } from 'vitest';
import { endServices, followService, type LogRequest } from '../engine/logService.mts';
import { numbered } from '../engine/logs.mts';

/** Services that answer as the contract does not forbid, and the sandbox does not. */
endServices();

describe('an answer without a content type', () => {
	const PAGE = '\n<!DOCTYPE html>\n<html><body>Back soon</body></html>\n';

	it('that is a web page is an outage, and no line', async () => {
		let isOut = false;
		const { trigger, time, cut } = await followService(
			({ offset = 0, send, write, end }) => {
				if (!isOut) return send(...numbered(40).slice(offset));
				for (const part of [PAGE.slice(0, 5), PAGE.slice(5)]) write(part);
				return end();
			},
			{},
			'',
		);
		expect(await time.until(() => trigger.lines.length === 40, 30_000)).toBe(true);
		isOut = true;
		cut();
		await time.pass(120_000);
		isOut = false;
		await time.pass(60_000);
		expect(trigger.lines).toEqual(numbered(40));
		expect(trigger.failures.map(({ message }) => message)).toEqual([
			expect.stringContaining('a web page instead of a stream'),
		]);
	});

	it('that is a log is one, also where a page stands in it', async () => {
		const lines = ['GET /', '<html>', '</html>'];
		const { trigger, time } = await followService(
			({ write }) => write(lines.map((line) => `${line}\n`).join('')),
			{},
			'',
		);
		await time.pass(10_000);
		expect(trigger.lines).toEqual(lines);
	});
});

describe('a service that takes the offset for the ID of the last event', () => {
	const lines = numbered(60);
	/** @param first ID of the first line */
	const idService =
		(first: number, log: { lines: string[] }) =>
		({ offset, write }: LogRequest) =>
			log.lines.forEach((line, index) => {
				const id = index + first;
				if (offset === undefined || id > offset) write(`id: ${id}\ndata: ${line}\n\n`);
			});

	it.each([0, 1])('the first line is not lost, nor repeated: its ID is %d', async (first) => {
		const log = { lines: lines.slice(0, 3) };
		const { trigger, time, cut } = await followService(idService(first, log));
		for (const count of [3, 20, 60]) {
			log.lines = lines.slice(0, count);
			cut();
			expect(await time.until(() => trigger.lines.length >= count, 30_000)).toBe(true);
		}
		log.lines = numbered(5, 100);
		cut();
		await time.pass(120_000);
		expect(trigger.lines).toEqual([...lines, ...numbered(5, 100)]);
	});

	it('without an offset it begins now: the lines from the offset 0 on are taken', async () => {
		const log = { lines: lines.slice(0, 3) };
		const { trigger, time, requested } = await followService((request) => {
			if (request.offset !== undefined) idService(1, log)(request);
		});
		expect(await time.until(() => trigger.lines.length >= 3, 30_000)).toBe(true);
		await time.pass(30_000);
		expect(trigger.lines).toEqual(lines.slice(0, 3));
		expect(requested).toEqual([0, undefined]);
	});
});

describe('a service that begins each connection with a line of its own', () => {
	it.each<[number, boolean]>([
		[2, false],
		[10, false],
		[10, true],
		[60, false],
		[60, true],
	])('repeats no line of the log: %d of them, ends each answer: %s', async (count, ends) => {
		const log = numbered(count);
		const { trigger, time, cut, requested } = await followService(
			({ offset = 0, index, send, end }) => {
				send(`connected at ${index}`, ...log.slice(offset));
				if (ends) end();
			},
		);
		expect(await time.until(() => trigger.lines.length > count, 30_000)).toBe(true);
		const greetings = () => trigger.lines.filter((line) => line.startsWith('connected'));
		for (let turn = 0; turn < 8; turn++) {
			if (turn > 4) log.push(`line ${log.length}`);
			cut();
			await time.pass(60_000);
		}
		expect(trigger.lines.filter((line) => line.startsWith('line'))).toEqual(log);
		expect(requested.length).toBeGreaterThan(8);
		expect(greetings().length).toBeLessThan(3);
		expect(trigger.failures).toEqual([]);
	});

	it('a container that starts again and again is no greeting: its lines come each time', async () => {
		let life = 0;
		const { trigger, time, cut } = await followService(({ send }) => {
			send(`started ${Math.floor(life)}`, 'reading the settings', 'no connection');
		});
		for (life = 1; life < 4; life++) {
			cut();
			await time.pass(60_000);
		}
		const starts = trigger.lines.filter((line) => line.startsWith('started'));
		expect(starts).toEqual(['started 0', 'started 1', 'started 2', 'started 3']);
	});
});

describe('a service that sends short pages, with long pauses in them', () => {
	it.each([
		[5, 1, 2_500],
		[5, 1, 8_000],
		[5, 3, 15_000],
		[10, 0, 8_000],
		[10, 2, 40_000],
		[40, 2, 8_000],
	])(
		'repeats no line, and loses none: %d lines, and after %d of them %d ms',
		async (size, first, ms) => {
			const log = numbered(60);
			const { trigger, time } = await followService(async ({ offset = 0, send, wait, end }) => {
				const page = log.slice(offset, offset + size);
				send(...page.slice(0, first));
				await wait(ms);
				send(...page.slice(first));
				end();
			});
			for (let turn = 0; turn < 10; turn++) {
				await time.pass(200_000);
				log.push(`line ${log.length}`);
			}
			await time.pass(600_000);
			expect(trigger.lines.slice(0, log.length + 10)).toEqual(log);
		},
	);
});
