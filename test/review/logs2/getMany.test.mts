import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { endWorlds, openWorld, type LogCall, type World } from './service.mts';

endWorlds();

const linesOf = ({ items }: { items: IDataObject[] }) => items.map(({ line }) => line);
const offsetsOf = ({ items }: { items: IDataObject[] }) => items.map(({ offset }) => offset);

/** Ends each answer after so many lines; the log may count from one, or ignore the offset. */
function pages(
	log: string[],
	size: number,
	placeOf: (offset: number) => number = (offset) => offset,
) {
	return async (call: LogCall) => {
		call.head();
		const from = placeOf(call.offset ?? 0);
		call.send(...log.slice(from, from + size));
		await call.wait(20);
		call.response.end();
	};
}

it('a service that answers only with a line: Max Wait bounds the wait, and the error says so', async () => {
	const world = await openWorld(async (call) => await call.wait(1_000_000));
	const at = world.now();
	await expect(world.getMany()).rejects.toThrow(
		'The service did not answer within 5 seconds (Max Wait)',
	);
	expect(world.now() - at).toBeLessThan(6_000);
	expect(world.calls.length).toBe(1);
});

it('a service that answers only with a line, which comes after 40 s of a minute', async () => {
	const world = await openWorld(async (call) => {
		await call.wait(40_000);
		call.head();
		call.send('late');
	});
	const read = await world.getMany({ maxWaitSeconds: 60 });
	expect(linesOf(read)).toEqual(['late']);
	expect(read.tookMs).toBeLessThan(61_000);
	expect(world.calls.length).toBe(1);
});

for (const [name, text] of [
	['comments', ': keep-alive\n\n'],
	['events of their own', 'event: ping\ndata: 1\n\n'],
])
	it(`Last Lines of a silent log whose service sends ${name}`, async () => {
		const world = await openWorld(async (call) => {
			call.head();
			call.send(...numbered(100));
			for (; !call.response.destroyed; await call.wait(300)) call.response.write(text);
		});
		const read = await world.getMany({ limit: 3, maxWaitSeconds: 60, options: { tail: true } });
		expect(linesOf(read)).toEqual(numbered(3, 97));
		expect(read.tookMs).toBeLessThan(3_000);
	});

it.each([
	['are marked', 300, true],
	['are not marked', 2_000, undefined],
] as const)('Last Lines %s where a line comes every %i ms', async (_, everyMs, mark) => {
	const world = await openWorld(async (call) => {
		call.head();
		for (let n = 0; !call.response.destroyed; n++) {
			call.send(`line ${n}`);
			await call.wait(everyMs);
		}
	});
	const { items } = await world.getMany({ limit: 3, options: { tail: true } });
	expect(items.at(-1)?.broken_off).toBe(mark);
	expect(items.slice(0, -1).map(({ broken_off: one }) => one)).not.toContain(true);
});

for (const [name, placeOf] of [
	['counts from nought', undefined],
	['counts from one', (offset: number) => Math.max(0, offset - 1)],
	['begins after the offset', (offset: number) => (offset === 0 ? 0 : offset + 1)],
] as const)
	it(`joins pages of 100 lines, whose service ${name}`, async () => {
		const log = numbered(330);
		const world = await openWorld(pages(log, 100, placeOf));
		const read = await world.getMany({ limit: 250 });
		expect(linesOf(read)).toEqual(log.slice(0, 250));
		expect(offsetsOf(read)).toEqual(log.slice(0, 250).map((_, index) => index));
		const all = await world.getMany({ limit: 1_000 });
		expect(linesOf(all)).toEqual(log);
		expect(linesOf(await world.getMany({ limit: 5, options: { tail: true } }))).toEqual(
			log.slice(-5),
		);
		expect(world.calls.length).toBeLessThan(20);
	});

it('joins pages to which lines are added, and filters all of them', async () => {
	const log = numbered(150);
	const world = await openWorld(async (call) => {
		const from = call.offset ?? 0;
		log.push(...numbered(20, log.length));
		await pages(log, 40, () => from)(call);
	});
	const read = await world.getMany({ limit: 20, options: { include: '0$' } });
	expect(linesOf(read)).toEqual(numbered(20).map((_, index) => `line ${index * 10}`));
	expect(offsetsOf(read)).toEqual(numbered(20).map((_, index) => index * 10));
});

for (const [name, log] of [
	['', numbered(330)],
	[', of equal lines', numbered(330).map(() => 'tick')],
	[', of lines that take turns', numbered(330).map((_, index) => `tick ${index % 2}`)],
] as const)
	it(`repeats no page of a service that ignores the offset${name}`, async () => {
		const world = await openWorld(pages([...log], 100, () => 0));
		const read = await world.getMany({ limit: 250 });
		expect(linesOf(read)).toEqual(log.slice(0, 100));
		expect(world.calls.length).toBeLessThan(4);
	});

it('repeats no lines of a service that sends the last ones of a log that grows', async () => {
	const log = numbered(100);
	const world = await openWorld(async (call) => {
		log.push(...numbered(200, log.length));
		await pages(log, 100, () => log.length - 100)(call);
	});
	const read = await world.getMany({ limit: 250 });
	expect(linesOf(read)).toEqual(numbered(100, 200));
});

for (const status of [404, 416, 422, 503])
	it(`a page that is refused with ${status}`, async () => {
		const log = numbered(100);
		const world = await openWorld(async (call) => {
			if (call.index > 0) return void call.response.writeHead(status).end('no');
			await pages(log, 100)(call);
		});
		const { items } = await world.getMany({ limit: 250 });
		expect(linesOf({ items })).toEqual(log);
		expect(items.at(-1)?.broken_off).toBe(status === 503 ? true : undefined);
	});

it('a service that never ends its pages is not asked without end', async () => {
	let written = 0;
	const world = await openWorld((call) => {
		const from = call.offset ?? 0;
		call.head();
		call.send(...numbered(30, from));
		written = Math.max(written, from + 30);
		call.response.end();
	});
	const read = await world.getMany({ limit: 1_000_000 });
	expect(linesOf(read)).toEqual(numbered(written));
	expect(read.tookMs).toBeLessThan(7_000);
	expect(world.calls.length).toBeLessThan(101);
});

const labels = async (world: World, offset: number) => {
	const read = await world.getMany({ limit: 3, options: { offset } });
	return read.items.map((item) => [item.line, item.offset]);
};

it('the offset of a line is what was seen', async () => {
	const log = numbered(90);
	const honoured = await openWorld(pages(log, 90));
	expect(await labels(honoured, 50)).toEqual(numbered(3, 50).map((line, at) => [line, 50 + at]));
	const ignored = await openWorld(pages(log, 90, () => 0));
	expect(await labels(ignored, 50)).toEqual(numbered(3).map((line, at) => [line, at]));
	const equal = await openWorld(pages(Array<string>(90).fill('tick'), 90, () => 0));
	expect(await labels(equal, 50)).toEqual(numbered(3).map(() => ['tick', null]));
});

it('data: lines with single line feeds whose connection is reset', async () => {
	const world = await openWorld(async (call) => {
		call.head();
		call.response.write('data: one\ndata: two\ndata: thr');
		await call.wait(500);
		call.response.destroy();
	});
	const { items } = await world.getMany();
	expect(items.map(({ line, broken_off: broken }) => [line, broken])).toEqual([
		['one', undefined],
		['two', true],
	]);
});

it('an event of several lines that Max Wait ends is one', async () => {
	const world = await openWorld((call) => {
		call.head();
		call.response.write('data: a\ndata: b\n\ndata: c\ndata: d\n');
	});
	expect(linesOf(await world.getMany())).toEqual(['a\nb', 'c\nd']);
});
