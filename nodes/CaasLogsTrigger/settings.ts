import type { ITriggerFunctions } from 'n8n-workflow';
import { LEVELS, type Level } from '../marketplace/log/level';
import {
	OFFSET_UNITS,
	STREAMS,
	type LogName,
	type OffsetSettings,
} from '../marketplace/log/request';
import { readPattern } from '../marketplace/log/pattern';
import type { Pattern } from '../shared/regex/filter';
import { STREAM_FORMATS, type StreamFormat } from '../shared/stream/format';
import { segmentProblem } from '../shared/guards';
import { Parameters } from '../shared/operation/parameters';
import { triggerFields } from './fields';
import { SHORTEST_LINE_LIMIT } from './optionFields';

/** The parameters of the node, checked. */
export interface Settings extends OffsetSettings {
	deploymentId: string;
	containerIds: string[];
	streams: Array<LogName['stream']>;
	startFrom: 'lastStop' | 'beginning' | 'now' | 'offset' | 'newest';
	/** Used with `startFrom: 'newest'` only. */
	newestLines: number;
	/** Used with `startFrom: 'offset'` only. */
	offset: string;
	maxEntries: number;
	maxBytes: number;
	maxWaitMs: number;
	delivery: 'completed' | 'succeeded' | 'immediately';
	maxRunsInFlight: number;
	/** Infinity where a batch is repeated until it succeeds. */
	giveUpAfter: number;
	/** Infinity where there is no limit. */
	maxExecutionsPerMinute: number;
	joinLines: boolean;
	firstLine?: Pattern;
	removeColors: boolean;
	extractTimestamp: boolean;
	groupEqual: boolean;
	include?: Pattern;
	exclude?: Pattern;
	stopOn?: Pattern;
	level?: Level;
	jsonOnly: boolean;
	contextLines: number;
	idleTimeoutMs: number;
	format: StreamFormat;
	largestLine: number;
	output: 'entries' | 'batch';
	connectionEvents: boolean;
}

/**
 * Reads the parameters once, at the start of the trigger.
 * @throws for the first one that is wrong, naming the field, the value and the limit
 */
export function readSettings(functions: ITriggerFunctions): Settings {
	const parameters = new Parameters(functions.getNode(), 0, triggerFields, (name) =>
		functions.getNodeParameter(name, ''),
	);
	const batch = parameters.group('batch');
	const options = parameters.group('options');
	const choice = <T extends string>(name: string, allowed: readonly T[], defaultValue: T) =>
		options.has(name) ? options.choice(name, allowed) : defaultValue;
	const startFrom = parameters.choice('startFrom', [
		'lastStop',
		'beginning',
		'now',
		'offset',
		'newest',
	] as const);
	const offsetUnit = choice('offsetUnit', OFFSET_UNITS, 'entries');
	return {
		deploymentId: parameters.pathId('deploymentId'),
		containerIds: readContainerIds(parameters),
		streams: readStreams(parameters),
		startFrom,
		offset: startFrom === 'offset' ? readOffset(parameters, offsetUnit) : '0',
		newestLines:
			startFrom === 'newest' ? parameters.integer('newestLines', { min: 1, max: 10_000 }) : 0,
		maxEntries: batch.integer('maxEntries', { optional: true, min: 1, max: 10_000 }) ?? 100,
		maxBytes:
			batch.integer('maxBytes', { optional: true, min: 1_024, max: 104_857_600 }) ?? 1_048_576,
		maxWaitMs: batch.integer('maxWaitMs', { optional: true, min: 1, max: 3_600_000 }) ?? 1_000,
		delivery: choice('delivery', ['completed', 'succeeded', 'immediately'] as const, 'completed'),
		maxRunsInFlight: options.integer('maxRunsInFlight', { optional: true, min: 1, max: 100 }) ?? 1,
		giveUpAfter: options.integer('giveUpAfter', { optional: true, min: 1, max: 1_000 }) ?? Infinity,
		maxExecutionsPerMinute:
			options.integer('maxExecutionsPerMinute', { optional: true, min: 1, max: 6_000 }) ?? Infinity,
		joinLines: options.flag('joinLines'),
		firstLine: readPattern(options, 'firstLine'),
		removeColors: options.flag('removeColors'),
		extractTimestamp: options.flag('extractTimestamp'),
		groupEqual: options.flag('groupEqual'),
		include: readPattern(options, 'include'),
		exclude: readPattern(options, 'exclude'),
		stopOn: readPattern(options, 'stopOn'),
		level: options.has('level') ? options.choice('level', LEVELS) : undefined,
		jsonOnly: options.flag('jsonOnly'),
		contextLines: options.integer('contextLines', { optional: true, min: 0, max: 100 }) ?? 0,
		offsetParameter: options.text('offsetParameter', { optional: true }) ?? 'offset',
		offsetUnit,
		idleTimeoutMs:
			(options.integer('idleTimeout', { optional: true, min: 0, max: 86_400 }) ?? 300) * 1_000,
		format: choice('format', STREAM_FORMATS, 'auto'),
		largestLine:
			options.integer('largestLine', {
				optional: true,
				min: SHORTEST_LINE_LIMIT,
				max: 16_777_216,
			}) ?? 1_048_576,
		output: choice('output', ['entries', 'batch'] as const, 'entries'),
		connectionEvents: options.flag('connectionEvents'),
	};
}

function readContainerIds(parameters: Parameters): string[] {
	const ids = [...new Set(parameters.texts('containerIds'))];
	if (ids.length === 0)
		parameters.fail('containerIds', 'is required: choose at least one container');
	const problem = ids.map(segmentProblem).find((one) => one !== undefined);
	if (problem !== undefined) parameters.fail('containerIds', problem);
	return ids;
}

function readStreams(parameters: Parameters): Settings['streams'] {
	const names = [...new Set(parameters.texts('streams'))];
	if (names.length === 0) parameters.fail('streams', 'is required: choose at least one stream');
	return names.map(
		(name) =>
			STREAMS.find((stream) => stream === name) ??
			parameters.fail('streams', `must be one of ${STREAMS.join(', ')}, got "${name}"`),
	);
}

function readOffset(parameters: Parameters, unit: OffsetSettings['offsetUnit']): string {
	return unit === 'eventId'
		? parameters.text('offset')
		: String(parameters.integer('offset', { min: 0 }));
}
