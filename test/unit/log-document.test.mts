import { describe, expect, it } from 'vitest';
import { DocumentDetector } from '../../nodes/shared/stream/document.ts';
import { entryOf } from '../../nodes/shared/stream/event.ts';

const ERROR = '{"detail":"Not authenticated"}';

/** What comes through, live and at the end, where the last lines have no end of their own. */
function read(contentType: string, lines: string[], { type = '', last = [] as string[] } = {}) {
	const came: string[] = [];
	const document = new DocumentDetector(contentType, ({ data }) => came.push(data));
	const take = (line: string) => document.take({ ...entryOf(line, 1), type });
	lines.forEach(take);
	const live = [...came];
	document.end(
		() => last.forEach(take),
		({ data }) => data === 'known' || data === '{"known":1}',
		({ data }) => data === 'known',
	);
	return { live, came, refusal: document.refusal, rest: document.rest };
}

describe('an answer that is one document', () => {
	it.each([
		['application/json', [ERROR], 'Not authenticated'],
		['application/json; charset=utf-8', [ERROR, ''], 'Not authenticated'],
		['application/problem+json', ['{"title":"Gateway Timeout"}'], '{"title":"Gateway Timeout"}'],
		['application/json', ['{', '  "detail": "Not', '}', '{"detail":"x"}'], undefined],
		['application/json', ['{', '  "message": "in lines"', '}'], 'in lines'],
		['application/json', ['[]'], '[]'],
		['application/json', ['"in words"'], 'in words'],
		['text/plain', ['<!DOCTYPE html>', '<title>502</title>'], 'web page'],
		['text/event-stream', [' <html lang="en">'], 'web page'],
	])('%s %j is refused with %j', (contentType, lines, words) => {
		const { came, refusal } = read(contentType, lines);
		if (words === undefined) expect([came, refusal]).toEqual([lines, undefined]);
		else expect([came, refusal]).toEqual([[], expect.stringContaining(words)]);
	});

	it('is refused as an event of the type error, and without a line end', () => {
		const words = expect.stringContaining('Not authenticated');
		expect(read('text/event-stream', [ERROR], { type: 'error' }).refusal).toEqual(words);
		expect(read('application/json', [], { last: [ERROR] }).refusal).toEqual(words);
	});
});

describe('a log', () => {
	it.each([
		['text/plain', [ERROR]],
		['text/event-stream', [ERROR]],
		['', ['<head>', 'of the queue']],
		['application/x-ndjson', [ERROR]],
		['application/json', ['a line', ERROR]],
		['application/json', ['[INFO] one', '[INFO] two']],
	])('%s %j comes at once', (contentType, lines) => {
		expect(read(contentType, lines)).toMatchObject({
			live: lines,
			came: lines,
			refusal: undefined,
		});
	});

	it('that begins with a page in its events comes at once: a container has printed it', () => {
		const lines = ['<!DOCTYPE html>', '<h1>Index of /</h1>'];
		for (const type of ['message', 'stdout'])
			expect(read('text/event-stream', lines, { type })).toMatchObject({
				live: lines,
				came: lines,
				refusal: undefined,
			});
		expect(read('text/event-stream', lines, { type: 'error' }).refusal).toContain('web page');
	});

	it('of JSON lines comes with the second one', () => {
		const lines = [ERROR, ERROR, ERROR];
		expect(read('application/json', lines)).toMatchObject({ live: lines, refusal: undefined });
	});

	it('that is not JSON, though it begins so, comes at the end', () => {
		const lines = ['{', '[INFO] two'];
		expect(read('application/json', lines)).toMatchObject({ live: [], came: lines });
	});

	it('is no document where a line is known', () => {
		expect(read('application/json', ['{"known":1}']).came).toEqual(['{"known":1}']);
		expect(read('text/plain', ['<html>', 'known']).came).toEqual(['<html>', 'known']);
	});

	it('is held no longer than a document may be', () => {
		const lines = ['<html>', 'x'.repeat(70_000)];
		expect(read('text/plain', lines)).toMatchObject({ live: lines, refusal: undefined });
	});

	it('may end within a line, which is told', () => {
		expect(read('text/plain', ['one'], { last: [ERROR, 'known'] })).toEqual({
			live: ['one'],
			came: ['one', 'known'],
			refusal: undefined,
			rest: 'Not authenticated',
		});
	});

	it('is one when it is said so', () => {
		const came: string[] = [];
		const document = new DocumentDetector('application/json', ({ data }) => came.push(data));
		expect(document.isOpen).toBe(false);
		document.take(entryOf(ERROR, 1));
		expect([document.isOpen, came]).toEqual([true, []]);
		document.release();
		document.take(entryOf('next', 1));
		expect([document.isOpen, came]).toEqual([false, [ERROR, 'next']]);
	});
});
