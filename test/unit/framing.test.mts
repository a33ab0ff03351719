import { describe, expect, it } from 'vitest';
import { Framing } from '../../nodes/shared/stream/framing.ts';
import { open } from './decoder-log-fixture.mts';

/** How often each event of a log has ended with a blank line, and how often a connection was lost within one. */
function framing({ events = 0, dataLines = 1 } = {}) {
	const framing = new Framing();
	for (let event = 0; event < events; event++) framing.eventEnded(dataLines);
	const lost = (...lines: Array<string | undefined>) => {
		for (const line of lines) framing.connectionEnded(line);
		return framing.isLineFramed;
	};
	return { framing, lost };
}

describe('connections that are over before the blank line', () => {
	it('are three, and each data line is an entry', () => {
		const { framing: log, lost } = framing();
		expect(lost('a', 'b')).toBe(false);
		expect(lost('c')).toBe(true);
		expect(log.mayEndWithinEvent).toBe(false);
	});

	it('are six with the same line, where blank lines have ended events', () => {
		const { lost } = framing({ events: 3 });
		lost(undefined);
		expect(lost('a', 'a', 'a', 'a', 'a')).toBe(false);
		expect(lost('a')).toBe(true);
	});

	it('say nothing with other lines each time, where blank lines have ended events', () => {
		const { lost } = framing({ events: 3 });
		expect(lost('a', 'b', 'a', 'b', 'a', 'b', 'a', 'b')).toBe(false);
	});

	it('are counted anew after a connection whose events have ended', () => {
		const { framing: log, lost } = framing();
		lost('a', 'a');
		log.eventEnded(1);
		expect(lost(undefined, 'a', 'a')).toBe(false);
		expect(lost('a')).toBe(true);
	});

	it('are not counted anew after one that showed nothing', () => {
		const { lost } = framing();
		expect(lost('a', undefined, 'a', undefined, 'a')).toBe(true);
	});

	it('count alike where the connection has ended another event', () => {
		const { framing: log, lost } = framing();
		lost('a');
		log.eventEnded(1);
		lost('b');
		log.eventEnded(1);
		expect(lost('b')).toBe(false);
		expect(lost('b')).toBe(true);
	});

	it('are a guess that a blank line of the next event takes back only with several lines', () => {
		const { framing: log, lost } = framing();
		lost('a', 'a', 'a');
		log.eventEnded(1);
		expect(log.isLineFramed).toBe(true);
		log.eventEnded(2);
		expect(log.isLineFramed).toBe(false);
	});
});

describe('a guess within an event', () => {
	it('is taken back by the blank line of this event, also of one line', () => {
		const { framing: log } = framing();
		log.assumeLines();
		log.eventEnded(1);
		expect(log.isLineFramed).toBe(false);
	});

	it('stays on a connection that is over without one', () => {
		const { framing: log } = framing();
		log.assumeLines();
		log.connectionEnded();
		log.eventEnded(1);
		expect(log.isLineFramed).toBe(true);
	});

	it.each([
		[99, false],
		[100, true],
	])('stays behind %d lines: %j', (dataLines, isLineFramed) => {
		const { framing: log } = framing();
		log.assumeLines();
		log.eventEnded(dataLines);
		expect(log.isLineFramed).toBe(isLineFramed);
	});

	it('is taken back behind 100 lines where the log has shown events of several', () => {
		const { framing: log } = framing({ events: 1, dataLines: 2 });
		log.assumeLines();
		expect(log.mayEndWithinEvent).toBe(false);
		log.eventEnded(100);
		expect([log.isLineFramed, log.mayEndWithinEvent]).toEqual([false, true]);
	});
});

describe('how long lines wait for their blank line', () => {
	it.each([
		[0, 1, 2_000],
		[2, 1, 2_000],
		[3, 1, 10_000],
		[1, 2, 10_000],
	])('after %d events of %d lines: %d ms', (events, dataLines, ms) => {
		expect(framing({ events, dataLines }).framing.patienceMs).toBe(ms);
	});

	it('is short again where each line is an entry, and events of one connection count alone', () => {
		const { framing: log } = framing({ events: 3 });
		log.assumeLines();
		expect([log.isBlankLineFramed, log.patienceMs]).toEqual([false, 2_000]);
		const other = framing({ events: 2 }).framing;
		other.connectionEnded();
		other.eventEnded(1);
		expect(other.isBlankLineFramed).toBe(false);
	});
});

describe('the line that waits for its blank line', () => {
	it('is the first of the event, whatever stands before it', () => {
		const { decoder, push } = open();
		expect(decoder.pendingLine).toBeUndefined();
		push(': ping\nid: 7\nevent: log\n');
		expect(decoder.pendingLine).toBeUndefined();
		push('data: one\ndata: two\n');
		expect(decoder.pendingLine).toContain('one');
		push('\n');
		expect(decoder.pendingLine).toBeUndefined();
		push('data: three\ndata: four\n');
		expect(decoder.pendingLine).toBe('three');
	});
});
