import { expect, it } from 'vitest';
import {
	bare,
	endWorlds,
	event,
	isMarked,
	linesOf,
	numbered,
	pagesOf,
	sizedPagesOf,
	worldOf,
	type Exchange,
	type Frame,
	type Service,
} from './service.mts';

endWorlds();

/** What came is the log, or its beginning and the last item says that lines may be missing. */
function expectAllOrMarked(log: readonly string[], items: Parameters<typeof linesOf>[0]): void {
	const lines = linesOf(items);
	expect(lines).toEqual(log.slice(0, lines.length));
	expect({ missing: log.length - lines.length, isMarked: isMarked(items) }).toEqual({
		missing: log.length - lines.length,
		isMarked: lines.length < log.length,
	});
}

const END = numbered(20, 0, 'end');
const RECURRING: Array<[string, (size: number) => string[]]> = [
	['the first page is two equal lines and more of them', () => ['tick', 'tick', 'tick', ...END]],
	['two lines take turns', () => ['ping', 'pong', 'ping', 'pong', 'ping', 'pong', ...END]],
	['a page comes twice', (size) => [...numbered(size), ...numbered(size), ...END]],
	[
		'a banner comes again',
		(size) => [...numbered(4), ...numbered(size, 9), ...numbered(4), ...END],
	],
	['blank lines', () => ['', '', 'a', '', '', 'b', '', '', ...END]],
];

for (const [what, logOf] of RECURRING)
	for (const size of [1, 2, 3, 4, 7, 12, 20])
		it(`pages of ${size}, ${what}: all lines, or the last item is marked`, async () => {
			const log = logOf(size);
			const { getMany } = await worldOf(pagesOf(log, size));
			expectAllOrMarked(log, await getMany({ maxWaitSeconds: 60 }));
		});

for (const length of [300, 350, 380, 400, 500])
	it(`answers of 4,096 characters, lines of ${length} behind short ones: all lines, or the last item is marked`, async () => {
		const log = [...numbered(40), ...numbered(60, 40).map((line) => line.padEnd(length, '.'))];
		const { getMany } = await worldOf(sizedPagesOf(log, 4_096));
		expectAllOrMarked(log, await getMany({ maxWaitSeconds: 60 }));
	});

const reply =
	(status: number, body: string, contentType = 'text/plain'): ((exchange: Exchange) => void) =>
	({ response }) =>
		void response.writeHead(status, { 'content-type': contentType }).end(body);

/** What a gateway says in place of the service for a moment. */
const MOMENTS: Array<[string, (exchange: Exchange) => void]> = [
	['404', reply(404, 'Not found')],
	['400', reply(400, '{"detail":"bad gateway route"}', 'application/json')],
	['403', reply(403, '{"detail":"forbidden"}', 'application/json')],
	['500', reply(500, '')],
	['an empty stream', reply(200, '', 'text/event-stream')],
	['a comment alone', reply(200, ': ok\n\n', 'text/event-stream')],
	['204', ({ response }) => void response.writeHead(204).end()],
	['a web page', reply(200, '<!doctype html><p>Maintenance</p>', 'text/html')],
	['an error in JSON', reply(200, '{"detail":"try later"}', 'application/json')],
	['a reset', ({ response }) => void response.destroy()],
];

for (const [what, moment] of MOMENTS)
	it(`a gateway answers the second of four pages with ${what}: all lines, or the last item is marked`, async () => {
		const log = numbered(80);
		const pages = pagesOf(log, 20);
		const { getMany } = await worldOf((exchange) =>
			exchange.nth === 1 ? moment(exchange) : pages(exchange),
		);
		expectAllOrMarked(log, await getMany({ maxWaitSeconds: 30 }));
	});

for (const pageMs of [300, 1_200, 1_900, 2_400, 4_500])
	it(`Last Lines, each page takes ${pageMs} ms: they are the last ones, or marked`, async () => {
		const log = numbered(200);
		const pages = pagesOf(log, 20);
		const { getMany } = await worldOf(async (exchange) => {
			await exchange.wait(pageMs);
			await pages(exchange);
		});
		const items = await getMany({ maxWaitSeconds: 5, limit: 3, options: { tail: true } });
		expect(items).toHaveLength(3);
		expect(isMarked(items) || linesOf(items).join() === log.slice(-3).join()).toBe(true);
	});

it('Last Lines of a quiet log whose events end with one line feed: a second of silence is enough', async () => {
	const log = numbered(10);
	const { clock, getMany } = await worldOf(({ begin, write }) => {
		begin();
		write(log.map((line) => `data: ${line}\n`).join(''));
	});
	const startedAt = clock.at;
	const items = await getMany({ maxWaitSeconds: 60, limit: 3, options: { tail: true } });
	expect(linesOf(items)).toEqual(log.slice(-3));
	expect({ isMarked: isMarked(items), isSoon: clock.at - startedAt < 30_000 }).toEqual({
		isMarked: false,
		isSoon: true,
	});
});

/** A service that begins with the log whatever the offset is. */
const ignoring =
	(log: readonly string[], frame: Frame): Service =>
	({ begin, end }) => {
		begin();
		end(log.map(frame).join(''));
	};

const ALTERNATING = Array.from({ length: 30 }, (_, index) => (index % 2 ? 'pong' : 'ping'));
const RESTARTED = [...numbered(6), ...numbered(14, 0, 'work'), ...numbered(6), ...numbered(9, 50)];

for (const [what, log, offset] of [
	['two lines take turns', ALTERNATING, 6],
	['the banner of the start comes again there', RESTARTED, 20],
	['all lines differ', numbered(30), 6],
] as const)
	for (const limit of [2, 3, 50])
		it(`the offset of each line is true or null, ${what}, limit ${limit}`, async () => {
			const { getMany } = await worldOf(pagesOf(log, 100));
			const items = await getMany({ limit, options: { offset } });
			expect(linesOf(items)).toEqual(log.slice(offset, offset + limit));
			items.forEach((item, index) => expect([offset + index, null]).toContain(item.offset));
		});

/** Event IDs of each connection's own. */
function ownIds(): Frame {
	const connection = Math.random().toString(36).slice(2);
	return (line, index) => `id: ${connection}-${index}\ndata: ${line}\n\n`;
}

it('event IDs that are new on each connection, the offset is ignored: the offsets are true or null', async () => {
	const log = numbered(30);
	const { getMany } = await worldOf((exchange) => ignoring(log, ownIds())(exchange));
	const items = await getMany({ limit: 10, options: { offset: 12 } });
	expect(linesOf(items)).toEqual(log.slice(0, 10));
	items.forEach((item, index) => expect([index, null]).toContain(item.offset));
});

it('event IDs that are new on each connection, the offset is ignored: a whole log is not marked', async () => {
	const log = numbered(30);
	const { getMany } = await worldOf((exchange) => ignoring(log, ownIds())(exchange));
	const items = await getMany({ maxWaitSeconds: 20 });
	expect([linesOf(items), isMarked(items)]).toEqual([log, false]);
});

for (const size of [5, 12, 40])
	it(`event IDs that are new on each connection, pages of ${size}: all lines, or the last item is marked`, async () => {
		const log = numbered(100);
		const { getMany } = await worldOf((exchange) => pagesOf(log, size, ownIds())(exchange));
		expectAllOrMarked(log, await getMany({ maxWaitSeconds: 60 }));
	});

const PAGE = ['<!DOCTYPE html>', '<html><body>', '<h1>Index of /</h1>', '</body></html>'];

for (const [what, log] of [
	['a page alone', PAGE],
	['a page and lines behind it', [...PAGE, ...numbered(5)]],
] as const)
	for (const [how, isOpen] of [
		['ends', false],
		['goes on', true],
	] as const)
		it(`a container that prints ${what}, in events of a stream that ${how}: its lines come`, async () => {
			const { getMany } = await worldOf(({ begin, end, write }) => {
				begin();
				const text = log.map(event).join('');
				if (isOpen) write(text);
				else end(text);
			});
			expect(linesOf(await getMany())).toEqual(log);
		});

for (const rotated of [1, 2, 5, 11, 30])
	it(`a ring buffer that drops ${rotated} lines before each page: nothing twice, and no hole that is not marked`, async () => {
		const log = numbered(400);
		let first = 0;
		const { getMany } = await worldOf((exchange) => {
			const ring = log.slice(first, first + 100);
			first += rotated;
			return pagesOf(ring, 20)(exchange);
		});
		const lines = linesOf(await getMany({ maxWaitSeconds: 60 }));
		expect(lines).toEqual(log.slice(0, lines.length));
	});

const ODD = [
	'\u001B[31mERROR\u001B[0m é 🙂 日本 \u0000 NUL',
	' leading blank, trailing tab\t',
	'',
	'{"level":"error","text":"a\\nb"}',
	'10%\r50%\r100%',
	'\uFEFFmark',
	'data: not a field of the stream',
	': no comment',
	'😀'.repeat(5_000),
	'last',
];

for (const [form, frame] of [
	['bare lines', bare],
	['events', event],
] as const)
	for (const size of [1, 2, 3, 4_093])
		it(`${form} in chunks of ${size} bytes: each line as it is`, async () => {
			const isLong = size > 3;
			const log = ODD.filter((line) => isLong || line.length < 1_000);
			// What stands first decides the format
			const all = ['first line', ...log];
			const bytes = Buffer.from(all.map(frame).join(''));
			const { getMany } = await worldOf(async ({ begin, end, wait, write }) => {
				begin();
				for (let at = 0; at < bytes.length; at += size) {
					write(bytes.subarray(at, at + size));
					await wait(1);
				}
				end();
			});
			const items = await getMany({ maxWaitSeconds: 60 });
			expect(linesOf(items)).toEqual(all);
			expect(isMarked(items)).toBe(false);
		});
