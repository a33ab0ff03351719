import { beforeEach, describe, expect, it, vi } from 'vitest';
import { pattern } from './log-batcher-parts.mts';
import { followed, LINES } from './log-reader-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));

describe('a log whose lines have IDs', () => {
	/** A service that gives the first line this ID. */
	function identified(firstId: number) {
		const one = followed([], { maxWaitMs: 1 });
		one.service.type = 'text/event-stream';
		one.service.text = (rows) =>
			rows.map((row) => `id: ${one.log.indexOf(row) + firstId}\ndata: ${row}\n\n`).join('');
		one.log.push(...LINES);
		return one;
	}

	it('of which the first is 1 may have lines before: it is requested without an offset, once', async () => {
		const { asked, connections, delivered, ends, log, service } = identified(1);
		await pass(5_000);
		expect(asked).toEqual([0, undefined]);
		expect([delivered, ends()]).toEqual([LINES, []]);
		// The connection that came first goes on
		log.push('seven');
		connections[0]?.body.write(service.text(['seven']));
		await pass(5_000);
		expect(delivered).toEqual([...LINES, 'seven']);
	});

	it('and whose service sends those behind the ID that is requested loses none, the first neither', async () => {
		const { asked, delivered, ends, service } = identified(0);
		service.first = (offset) => (offset === undefined ? 0 : offset + 1);
		await pass(5_000);
		expect(delivered).toEqual(LINES);
		expect(ends()).toEqual(['The log begins before the offset 0']);
		expect(asked).toEqual([0, undefined, undefined]);
	});
});

describe('a lost connection', () => {
	it('before the newest lines are known: those of the next one count, and only those', async () => {
		const { delivered, lose, ends } = followed(LINES, { maxWaitMs: 1 }, { newest: 100 });
		await pass(500);
		await lose();
		await pass(5_000);
		expect(ends()).toEqual(['The connection was lost']);
		expect(delivered).toEqual(LINES);
	});

	it.each([9, 11])('after %d seconds says that it was lost', async (seconds) => {
		const { lose, ends, reports } = followed(LINES);
		await pass(seconds * 1_000);
		await lose();
		expect([ends(), reports]).toEqual([['The connection was lost'], []]);
	});
});

it('lines of another log are no context of a match before them', async () => {
	const changes = { maxWaitMs: 1, include: pattern('six'), contextLines: 2 };
	const { delivered, log, lose, write } = followed(LINES, changes);
	await pass(1_000);
	log.splice(0, Infinity, 'a', 'b', 'c', 'd', 'e');
	await lose();
	await pass(30_000);
	expect(delivered).toEqual(['four', 'five', 'six']);
	await write('sixteen');
	await pass(1_000);
	expect(delivered).toEqual(['four', 'five', 'six', 'd', 'e', 'sixteen']);
});

describe('what the reader holds', () => {
	it('comes at the end of the log: an entry that more lines could have continued', async () => {
		const changes = { joinLines: true, maxWaitMs: 3_600_000 };
		const { delivered, last, lose, ends, service } = followed(LINES, changes, { status: 'failed' });
		await pass(1_000);
		service.status = 404;
		await lose();
		expect(delivered).toEqual(LINES.slice(0, -1));
		await pass(120_000);
		expect(ends()).toEqual(['The connection was lost', 'finished']);
		expect([delivered, last]).toEqual([LINES, []]);
	});

	it('comes when the trigger is closed, if it may be of another log, and is not committed', async () => {
		const { delivered, last, log, lose, follower, progress } = followed(LINES, { maxWaitMs: 1 });
		await pass(1_000);
		log.splice(0, Infinity, 'a', 'b');
		await lose();
		// Another connection is open, and its log not silent yet
		await pass(1_100);
		expect(delivered).toEqual(LINES);
		const closed = follower.close();
		await pass();
		await closed;
		expect([delivered, last]).toEqual([LINES, ['a', 'b']]);
		expect(progress.committed.offset.entries).toBe(LINES.length);
	});
});
