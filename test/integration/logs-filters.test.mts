import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { CONTAINER, DEPLOYMENT, openLog } from '../engine/logs.mts';
import { useFixture } from '../engine/fixture.mts';
import { eventually } from '../engine/wait.mts';

const fixture = useFixture({ time: 'real' });

const LINES = [
	'INFO starting',
	'DEBUG cache is cold',
	'WARN slow disk',
	'{"level":"error","msg":"CUDA out of memory"}',
	'GET /health 200',
	'2026-11-21T07:00:00Z ERROR worker 3 died',
	'{"level":30,"msg":"recovered"}',
	'{"severity":"CRITICAL","msg":"power"}',
	'Traceback (most recent call last):',
	'end',
];

/** The items up to the line `end`, which no filter leaves out. */
async function filtered(options: IDataObject, lines = LINES): Promise<IDataObject[]> {
	openLog(fixture.sandbox, 'lines').append('stdout', ...lines);
	fixture.follow({
		options: { stopOn: '^end$', connectionEvents: true, ...options },
	});
	await fixture.trigger.activate();
	await eventually('the end', () => fixture.trigger.items.some(({ event }) => event === 'stopped'));
	return fixture.trigger.items.filter(({ event }) => event === undefined);
}

const linesOf = async (options: IDataObject, lines?: string[]) =>
	(await filtered(options, lines)).map(({ line }) => line);

describe('filters', () => {
	it.each<[string, IDataObject, number[]]>([
		['include', { include: 'disk|memory' }, [2, 3, 9]],
		['include without case', { include: '(?i)cuda' }, [3, 9]],
		['exclude', { exclude: '^GET |DEBUG|INFO|"' }, [2, 5, 8, 9]],
		['both', { include: 'o', exclude: 'out|/' }, [1, 2, 5, 6, 7, 8, 9]],
		['level error and above, of JSON and of text', { level: 'error' }, [3, 5, 7, 8, 9]],
		['level warn and above', { level: 'warn' }, [2, 3, 5, 7, 8, 9]],
		['level info and above, numbered levels too', { level: 'info' }, [0, 2, 3, 5, 6, 7, 8, 9]],
		['JSON only', { jsonOnly: true }, [3, 6, 7, 9]],
	])('%s', async (_, options, expected) => {
		expect(await linesOf(options)).toEqual(expected.map((index) => LINES[index]));
	});

	it('offsets are those of the log, whatever is filtered out', async () => {
		expect((await filtered({ include: 'disk' })).map(({ offset }) => offset)).toEqual([2, 9]);
	});

	it('context lines come before and after a match, once, and are marked', async () => {
		const lines = ['a', 'b', 'c', 'hit 1', 'd', 'hit 2', 'e', 'f', 'g', 'h', 'end'];
		const items = await filtered({ include: 'hit', contextLines: 2 }, lines);
		expect(items.map(({ line, matched }) => [line, matched])).toEqual([
			['b', false],
			['c', false],
			['hit 1', true],
			['d', false],
			['hit 2', true],
			['e', false],
			['f', false],
			['g', false],
			['h', false],
			['end', true],
		]);
	});
});

const TRACEBACK = [
	'Traceback (most recent call last):',
	'  File "/app/train.py", line 3, in <module>',
	'    step()',
	'ValueError: no such layer',
];

describe('entries of several lines', () => {
	it.each<[string, IDataObject]>([
		['a match in its last line', { include: 'ValueError' }],
		['its level', { level: 'error' }],
	])('%s brings all of a traceback, in one item', async (_, options) => {
		const lines = ['INFO ready', ...TRACEBACK, 'INFO next', 'end'];
		const items = await filtered({ joinLines: true, ...options }, lines);
		expect(items.map(({ line, offset }) => [line, offset])).toEqual([
			[TRACEBACK.join('\n'), 1],
			['end', 6],
		]);
	});

	it('an entry that no line follows is complete after Max Wait', async () => {
		openLog(fixture.sandbox).append('stdout', ...TRACEBACK);
		await fixture.follow({ options: { joinLines: true } }).activate();
		await fixture.delivered(1);
		expect(fixture.trigger.lines).toEqual([TRACEBACK.join('\n')]);
	});

	it('an entry has at most 500 lines', async () => {
		const lines = ['first', ...Array.from({ length: 600 }, (_, index) => `  ${index}`)];
		const entries = await linesOf({ joinLines: true }, [...lines, 'end']);
		expect(entries.map((entry) => String(entry).split('\n').length)).toEqual([500, 101, 1]);
		expect(entries.join('\n')).toBe([...lines, 'end'].join('\n'));
	});

	it('an entry has at most as many characters as Max Line Length', async () => {
		const lines = ['first', ` ${'x'.repeat(600)}`, ` ${'y'.repeat(600)}`, 'end'];
		expect(await linesOf({ joinLines: true, largestLine: 1_024 }, lines)).toEqual([
			`${lines[0]}\n${lines[1]}`,
			lines[2],
			'end',
		]);
	});

	it('an entry begins at a line that First Line of an Entry matches', async () => {
		const lines = ['10:01 a', 'b', 'c', '10:02 d', '10:03 end'];
		const options = { joinLines: true, firstLine: '^\\d\\d:', stopOn: 'end$' };
		expect(await linesOf(options, lines)).toEqual(['10:01 a\nb\nc', '10:02 d', '10:03 end']);
	});
});

describe('colors', () => {
	const lines = ['\u001b[31mERROR\u001b[0m it failed', '\u001b[32mINFO\u001b[0m it works', 'end'];

	it.each<[string, IDataObject]>([
		['levels', { level: 'error' }],
		['patterns', { include: '^ERROR it' }],
	])('are not seen by %s, and stay in the line', async (_, options) => {
		expect(await linesOf(options, lines)).toEqual([lines[0], 'end']);
	});

	it('are removed where Remove Colors says so', async () => {
		expect(await linesOf({ removeColors: true }, lines)).toEqual([
			'ERROR it failed',
			'INFO it works',
			'end',
		]);
	});
});

describe('output', () => {
	it('Extract Timestamp: the time of a line, in text or in JSON', async () => {
		const lines = [
			'2026-11-21T07:00:00+01:00 ERROR worker 3 died',
			'{"time":1763708400,"msg":"up"}',
			'no time',
			'end',
		];
		const items = await filtered({ extractTimestamp: true }, lines);
		expect(items.map(({ timestamp }) => timestamp)).toEqual([
			'2026-11-21T06:00:00.000Z',
			'2025-11-21T07:00:00.000Z',
			null,
			null,
		]);
	});

	it('Group Equal Lines: one item for lines that differ only in numbers', async () => {
		const lines = ['job 1 failed', 'job 2 failed', 'ready', 'job 3 failed', 'end'];
		const items = await filtered({ groupEqual: true }, lines);
		expect(
			items.map(({ line, offset, last_offset, count }) => [line, offset, last_offset, count]),
		).toEqual([
			['job 1 failed', 0, 3, 3],
			['ready', 2, 2, 1],
			['end', 4, 4, 1],
		]);
	});

	it('JSON lines are parsed under data, and only objects are', async () => {
		const items = await filtered({}, ['{"a":1}', '[1]', '{broken', '7', 'end']);
		expect(items.map(({ data }) => data)).toEqual([
			{ a: 1 },
			undefined,
			undefined,
			undefined,
			undefined,
		]);
	});

	it('Output = Batch: one item per batch', async () => {
		const [item, ...others] = await filtered({ output: 'batch' }, ['one', 'end']);
		expect(others).toEqual([]);
		expect(item).toEqual({
			deployment_id: DEPLOYMENT,
			container_id: CONTAINER,
			stream: 'stdout',
			count: 2,
			first_offset: 0,
			last_offset: 1,
			entries: [
				expect.objectContaining({ line: 'one', offset: 0 }),
				expect.objectContaining({ line: 'end', offset: 1 }),
			],
		});
	});

	it('a line above the limit is cut and marked', async () => {
		const [item] = await filtered({ largestLine: 1_024 }, ['x'.repeat(5_000), 'end']);
		expect(item).toMatchObject({ line: 'x'.repeat(1_024), truncated: true });
	});
});
