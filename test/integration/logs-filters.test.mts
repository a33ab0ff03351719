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

const linesOf = async (options: IDataObject) => (await filtered(options)).map(({ line }) => line);

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

describe('output', () => {
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
