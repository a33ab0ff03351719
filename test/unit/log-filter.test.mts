import { describe, expect, it } from 'vitest';
import { LineFilter } from '../../nodes/CaasLogsTrigger/filter.ts';
import type { Settings } from '../../nodes/CaasLogsTrigger/settings.ts';
import { pattern } from './log-batcher-parts.mts';
import { entry, LOG, settingsOf } from './log-parts.mts';

const filterOf = (changes: Partial<Settings> = {}) => new LineFilter(settingsOf(changes));
const RED = '\u001b[31mred\u001b[0m';

describe('a line', () => {
	it.each<[string, Partial<Settings>, string, boolean]>([
		['with the text', { include: pattern('a') }, 'abc', true],
		['without it', { include: pattern('a') }, 'bc', false],
		['with what is not wanted', { exclude: pattern('a') }, 'abc', false],
		['without that', { exclude: pattern('a') }, 'bc', true],
		['with both', { include: pattern('a'), exclude: pattern('b') }, 'ab', false],
		['that is JSON', { jsonOnly: true }, '{"a":1}', true],
		['that is a list', { jsonOnly: true }, '[1]', false],
		['that is text', { jsonOnly: true }, 'a', false],
		['of the level', { level: 'warn' }, 'WARN a', true],
		['of a higher one', { level: 'warn' }, 'ERROR a', true],
		['of a lower one', { level: 'warn' }, 'INFO a', false],
		['without a level', { level: 'warn' }, 'a', false],
		['of the lowest level', { level: 'debug' }, 'DEBUG a', true],
		['with the text, of a lower level', { include: pattern('a'), level: 'warn' }, 'INFO a', false],
	])('%s passes: %j', (_, settings, line, passes) => {
		const filter = filterOf(settings);
		expect(filter.isFiltering).toBe(true);
		expect(filter.matches(line)).toBe(passes);
	});

	it('is not looked at without filters, and loses its colours for the patterns alone', () => {
		expect(filterOf()).toMatchObject({ isFiltering: false });
		expect(filterOf().textOf(RED)).toBe(RED);
		expect(filterOf({ jsonOnly: true }).textOf(RED)).toBe('red');
		const stopping = filterOf({ stopOn: pattern('x') });
		expect([stopping.isFiltering, stopping.textOf(RED)]).toEqual([false, 'red']);
	});
});

describe('the output of a line', () => {
	const json = (changes: Partial<Settings>, data: string) =>
		filterOf(changes).jsonOf(LOG, 7, entry(data), 'now');

	it('is as it came', () => {
		expect(json({}, RED)).toEqual({
			line: RED,
			stream: 'stdout',
			deployment_id: 'd',
			container_id: 'c',
			offset: 7,
			received_at: 'now',
		});
		expect(json({ include: pattern('x') }, `${RED}é`)).toMatchObject({ line: `${RED}é` });
	});

	it('has no colours where they are to go, nor has the object in it', () => {
		expect(json({ removeColors: true }, RED)).toMatchObject({ line: 'red' });
		const coloured = json({ removeColors: true }, '\u001b[31m{"a":1}\u001b[0m');
		expect(coloured).toMatchObject({ line: '{"a":1}', data: { a: 1 } });
	});

	it('has a timestamp where it is asked for, or null', () => {
		const stamped = '\u001b[31m2026-01-02T03:04:05Z\u001b[0m a';
		expect(json({ extractTimestamp: true }, stamped).timestamp).toContain('2026-01-02T03:04:05');
		expect(json({ extractTimestamp: true }, 'a').timestamp).toBeNull();
		expect(json({}, stamped)).not.toHaveProperty('timestamp');
	});
});

describe('the items of a batch', () => {
	const lines = (...all: Array<[string, boolean?]>) =>
		all.map(([line, matched], offset) => ({
			json: { line, offset, ...(matched !== undefined && { matched }) },
		}));

	it('are its lines', () => {
		const items = lines(['a'], ['b']);
		expect(filterOf().outputOf(LOG, items)).toEqual(items);
	});

	it('are one for those that are equal but for numbers and colours, apart from context', () => {
		const items = lines(
			['job 1'],
			['other'],
			['job 22'],
			['\u001b[31mjob 3\u001b[0m'],
			['job 4', false],
		);
		const output = filterOf({ groupEqual: true }).outputOf(LOG, items);
		expect(output.map(({ json }) => json)).toEqual([
			{ line: 'job 1', offset: 0, count: 3, last_offset: 3 },
			{ line: 'other', offset: 1, count: 1, last_offset: 1 },
			{ line: 'job 4', offset: 4, matched: false, count: 1, last_offset: 4 },
		]);
	});

	it('are one item with all of them where that is wanted', () => {
		const items = lines(['job 1'], ['job 2']);
		const name = { deployment_id: 'd', container_id: 'c', stream: 'stdout' };
		expect(filterOf({ output: 'batch', groupEqual: true }).outputOf(LOG, items)).toEqual([
			{
				json: {
					...name,
					count: 1,
					first_offset: 0,
					last_offset: 1,
					entries: [{ line: 'job 1', offset: 0, count: 2, last_offset: 1 }],
				},
			},
		]);
		expect(filterOf({ output: 'batch' }).outputOf(LOG, [])).toMatchObject([
			{ json: { count: 0, first_offset: null, last_offset: null, entries: [] } },
		]);
	});
});
