import type { INodeParameters, ITriggerFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../nodes/CaasLogsTrigger/settings.ts';
import { NODE, settingsOf } from './log-parts.mts';

const REQUIRED = {
	deploymentId: 'd',
	containerIds: ['c'],
	streams: ['stdout'],
	startFrom: 'beginning',
	batch: {},
	options: {},
};

const read = (changes: INodeParameters = {}) => {
	const parameters: INodeParameters = { ...REQUIRED, ...changes };
	return readSettings({
		getNode: () => NODE,
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
	} as unknown as ITriggerFunctions);
};

describe('the settings of the logs trigger', () => {
	it('are the defaults that the form shows where nothing is set', () => {
		expect(read()).toEqual(settingsOf());
	});

	it.each([
		['maxEntries', 1, 10_000],
		['maxBytes', 1_024, 104_857_600],
		['maxWaitMs', 1, 3_600_000],
	])('%s of a batch is %d to %d', (name, min, max) => {
		for (const value of [min, max])
			expect(read({ batch: { [name]: value } })).toHaveProperty(name, value);
		for (const value of [min - 1, max + 1])
			expect(() => read({ batch: { [name]: value } })).toThrow(String(value));
	});

	it.each([
		['maxRunsInFlight', 1, 100, 'maxRunsInFlight', 1],
		['giveUpAfter', 1, 1_000, 'giveUpAfter', 1],
		['maxExecutionsPerMinute', 1, 6_000, 'maxExecutionsPerMinute', 1],
		['contextLines', 0, 100, 'contextLines', 1],
		['idleTimeout', 0, 86_400, 'idleTimeoutMs', 1_000],
		['largestLine', 1_024, 16_777_216, 'largestLine', 1],
	])('the option %s is %d to %d', (name, min, max, setting, factor) => {
		for (const value of [min, max])
			expect(read({ options: { [name]: value } })).toHaveProperty(setting, value * factor);
		for (const value of [min - 1, max + 1])
			expect(() => read({ options: { [name]: value } })).toThrow(String(value));
	});

	it.each([
		'joinLines',
		'removeColors',
		'extractTimestamp',
		'groupEqual',
		'jsonOnly',
		'connectionEvents',
	])('the option %s is off and on', (name) => {
		expect(read({ options: { [name]: true } })).toEqual(settingsOf({ [name]: true }));
		expect(read({ options: { [name]: false } })).toEqual(settingsOf());
	});

	it.each([
		['delivery', ['completed', 'succeeded', 'immediately']],
		['offsetUnit', ['entries', 'bytes', 'eventId', 'none']],
		['format', ['auto', 'sse', 'lines']],
		['output', ['entries', 'batch']],
		['level', ['error', 'warn']],
	])('the option %s is one of %j', (name, values) => {
		for (const value of values)
			expect(read({ options: { [name]: value } })).toHaveProperty(name, value);
		expect(() => read({ options: { [name]: 'other' } })).toThrow('other');
	});

	it.each(['include', 'exclude', 'stopOn', 'firstLine'] as const)(
		'the option %s is a pattern',
		(name) => {
			expect(read({ options: { [name]: '^a+$' } })[name]?.test('aaa')).toBe(true);
			expect(() => read({ options: { [name]: '(' } })).toThrow();
		},
	);

	it.each([
		['offset', 'entries', 7, '7'],
		['offset', 'bytes', '70', '70'],
		['offset', 'eventId', 'abc', 'abc'],
		['beginning', 'entries', 7, '0'],
	])('starting from "%s" in %s, the offset %j is "%s"', (startFrom, offsetUnit, offset, result) => {
		expect(read({ startFrom, offset, options: { offsetUnit } }).offset).toBe(result);
	});

	it.each([
		['entries', -1],
		['entries', 'abc'],
		['eventId', ''],
	])('an offset in %s is not %j', (offsetUnit, offset) => {
		expect(() => read({ startFrom: 'offset', offset, options: { offsetUnit } })).toThrow();
	});

	it.each([
		['newest', 1, 1],
		['newest', 10_000, 10_000],
		['now', 7, 0],
	])('starting from "%s", %d newest lines are %d', (startFrom, newestLines, result) => {
		expect(read({ startFrom, newestLines })).toMatchObject({ startFrom, newestLines: result });
		if (startFrom === 'newest')
			for (const wrong of [0, 10_001])
				expect(() => read({ startFrom, newestLines: wrong })).toThrow(String(wrong));
	});

	it('have each container and stream once', () => {
		expect(
			read({ containerIds: ['a', 'b', 'a'], streams: ['stderr', 'stdout', 'stderr'] }),
		).toMatchObject({
			containerIds: ['a', 'b'],
			streams: ['stderr', 'stdout'],
		});
	});

	it.each<[INodeParameters, RegExp]>([
		[{ containerIds: [] }, /at least one container/],
		[{ containerIds: ['a', '..'] }, /Containers?/i],
		[{ streams: [] }, /at least one stream/],
		[{ streams: ['stdin'] }, /stdout, stderr, got "stdin"/],
		[{ startFrom: 'tomorrow' }, /tomorrow/],
		[{ deploymentId: '' }, /required/i],
	])('%j is wrong', (changes, message) => {
		expect(() => read(changes)).toThrow(message);
	});
});
