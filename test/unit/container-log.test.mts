import { describe, expect, it } from 'vitest';
import {
	has,
	numbered,
	open,
	read,
	refuses,
	shownOf,
	whole,
	type Service,
} from './container-log-parts.mts';
import { Body, type Answered } from './log-parts.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

describe('the log of a container', () => {
	it('is its lines in their order, with where each is from', async () => {
		const { lines, offsets } = await read(has(numbered(2)));
		expect(lines).toEqual(
			[0, 1].map((offset) => ({
				line: `line ${offset}`,
				stream: 'stdout',
				deployment_id: 'd1',
				container_id: 'c1',
				offset,
				received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
			})),
		);
		expect(offsets).toEqual([0, 2, 2]);
	});

	it('is read over all pages that a service makes of it', async () => {
		const { shown, broken, offsets } = await read(has(numbered(25), 20));
		expect(shown).toEqual(shownOf(25));
		expect(broken).not.toContain(true);
		expect(offsets).toEqual([0, 10, 15, 22]);
	});

	it('is read on where one of its pages is refused for a moment', async () => {
		const service = has(numbered(25), 20);
		const { shown, broken } = await read((offset, index) =>
			index === 1 ? { status: 404 } : service(offset, index),
		);
		expect(shown).toEqual(shownOf(25));
		expect(broken).not.toContain(true);
	});

	it('is read no further than to the limit', async () => {
		const { shown, offsets } = await read(has(numbered(25), 20), { limit: 22 });
		expect(shown).toEqual(shownOf(22));
		expect(offsets).toEqual([0, 10]);
		const first = await read(has(numbered(3)), { limit: 2 });
		expect(first).toMatchObject({ shown: shownOf(2), offsets: [0] });
	});

	it('is read for the time that was given, where the service stays open', async () => {
		const { shown, seconds, offsets, broken } = await read(() => open(numbered(2)));
		expect(shown).toEqual(shownOf(2));
		expect(broken).toEqual([false, false]);
		expect([seconds, offsets]).toEqual([5, [0]]);
	});

	it('is whole up to then, also where more lines come', async () => {
		const { shown, broken } = await read(() => {
			const body = new Body().write('line 0\n');
			setTimeout(() => body.write('line 1\n'), 4_500);
			return { body };
		});
		expect(shown).toEqual(shownOf(2));
		expect(broken).toEqual([false, false]);
	});

	it('may be of one line', async () => {
		const { shown, broken, offsets } = await read(has(['only']));
		expect(shown).toEqual(['0 only']);
		expect([broken, offsets]).toEqual([[false], [0, 1, 1]]);
	});

	it('is marked where its pages are too short to be joined, and an error where nothing of them is wanted', async () => {
		const service = has(numbered(9), 2);
		const { shown, broken } = await read(service);
		expect([shown, broken]).toEqual([shownOf(2), [false, true]]);
		const { error } = await read(service, { options: { include: 'line 8' } });
		expect(error).toMatchObject({
			message: expect.stringContaining('not all be joined') as string,
		});
	});

	it('may be empty', async () => {
		expect(await read(has([]))).toMatchObject({ lines: [], offsets: [0] });
	});

	it('has the lines that are wanted, without a look at their colours', async () => {
		const lines = ['\u001b[31mError\u001b[0m one', 'ok', 'Error two', 'Error three'];
		const include = { options: { include: '^Error', exclude: 'two' } };
		const { shown } = await read(has(lines), include);
		expect(shown).toEqual([`0 ${lines[0]}`, '3 Error three']);
	});

	it('counts no line to the limit that is not wanted', async () => {
		const { shown } = await read(has(numbered(9)), { limit: 1, options: { exclude: '[0-6]' } });
		expect(shown).toEqual(['7 line 7']);
	});
});

describe('the last lines of a log', () => {
	const LAST = { limit: 3, options: { tail: true } };

	it('are those at its end', async () => {
		expect((await read(has(numbered(25), 20), LAST)).shown).toEqual(shownOf(25, 22));
	});

	it('are there once a service that stays open is silent for a second', async () => {
		const { shown, broken, seconds } = await read(() => open(numbered(5)), LAST);
		expect(shown).toEqual(shownOf(5, 2));
		expect(broken).toEqual([false, false, false]);
		expect(seconds).toBe(1);
	});

	it('are not the last ones where the next page does not come in time', async () => {
		const service = has(numbered(200), 20);
		const { broken } = await read(async (offset, index) => {
			await new Promise((resolve) => setTimeout(resolve, 1_900));
			return await service(offset, index);
		}, LAST);
		expect(broken).toEqual([false, false, true]);
	});

	it('are not the last ones while more of them come', async () => {
		const { shown, broken, seconds } = await read(() => {
			const body = new Body().write('line 0\n');
			let count = 1;
			const more = () => {
				body.write(`line ${count++}\n`);
				setTimeout(more, 500);
			};
			setTimeout(more, 500);
			return { body };
		}, LAST);
		expect(seconds).toBe(5);
		expect(shown).toHaveLength(3);
		expect(shown?.[0]).toMatch(/^[78] line/);
		expect(broken).toEqual([false, false, true]);
	});
});

describe('a log from an offset on', () => {
	const from = (offset: number) => ({ options: { offset } });

	it('has the lines from there', async () => {
		const { shown, offsets } = await read(has(numbered(25), 20), from(3));
		expect(shown).toEqual(shownOf(25, 3));
		expect(offsets).toEqual([3, 13, 15, 22, 0]);
	});

	it('has the lines from there, also where the service is slow', async () => {
		const { shown } = await read(async (offset = 0) => {
			if (offset === 0) await new Promise((resolve) => setTimeout(resolve, 2_000));
			return whole(numbered(4).slice(offset));
		}, from(2));
		expect(shown).toEqual(shownOf(4, 2));
	});

	it('has its lines from where it begins at a service that ignores the offset', async () => {
		const { shown } = await read(() => whole(numbered(4)), from(2));
		expect(shown).toEqual(shownOf(4));
	});

	it('has the lines from there, also where the log repeats its beginning', async () => {
		const { shown } = await read(has(['a', 'b', 'c', 'a', 'b']), from(3));
		expect(shown).toEqual(['3 a', '4 b']);
	});

	it('has lines of unknown offsets where they are all equal', async () => {
		const { shown } = await read(() => whole(['same', 'same']), from(2));
		expect(shown).toEqual(['null same', 'null same']);
	});

	it('is an error where the service refuses the offset', async () => {
		const { error, offsets } = await read(refuses(422, has(numbered(4))), from(2));
		expect(error?.httpCode).toBe('422');
		expect(offsets).toEqual([2]);
	});

	it.each([400, 416, 422])(
		'of 0, which a service refuses with %d, is the whole log',
		async (status) => {
			const { shown, offsets } = await read(refuses(status, has(numbered(1))));
			expect(shown).toEqual(shownOf(1));
			expect(offsets).toEqual([0, undefined, 1, 1]);
		},
	);

	it('of 0 is asked for without one only once', async () => {
		const { error, offsets } = await read(() => ({ status: 422 }));
		expect(error?.httpCode).toBe('422');
		expect(offsets).toEqual([0, undefined]);
	});

	it('of 0 is the error of the first request where the log cannot be read without it, either', async () => {
		const { error, offsets } = await read((offset) => ({ status: offset === 0 ? 422 : 403 }));
		expect(error?.httpCode).toBe('422');
		expect(offsets).toEqual([0, undefined]);
	});

	it('of 0 is read again without one where that leaves out the event with the ID 0', async () => {
		const events = (...ids: number[]): Answered => ({
			headers: { 'content-type': 'text/event-stream' },
			body: new Body().write(...ids.map((id) => `id: ${id}\ndata: event ${id}\n\n`), undefined),
		});
		const later: Service = (offset) =>
			offset === undefined ? events(0, 1, 2) : events(...[1, 2].slice(offset));
		const { shown, offsets } = await read(later);
		expect(shown).toEqual(['0 event 0', '1 event 1', '2 event 2']);
		expect(offsets.slice(-4)).toEqual([undefined, undefined, 2, 2]);
		const counted = await read((offset = 0) => events(...[1, 2].slice(offset)));
		expect(counted.shown).toEqual(['0 event 1', '1 event 2']);
	});
});
