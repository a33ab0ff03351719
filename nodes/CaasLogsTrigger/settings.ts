import type { ITriggerFunctions } from 'n8n-workflow';
import { LEVELS, type Level } from '../Caas/level';
import { OFFSET_UNITS, STREAMS, type LogName, type OffsetForm } from '../Caas/logStream';
import { readPattern, type Pattern } from '../shared/regex/filter';
import { STREAM_FORMATS, type StreamFormat } from '../shared/streamFormat';
import { Form } from '../shared/validate';
import { triggerFields } from './form';

/** The node's form, read once and checked. */
export interface Settings extends OffsetForm {
	deploymentId: string;
	containerIds: string[];
	streams: Array<LogName['stream']>;
	startFrom: 'lastStop' | 'beginning' | 'now' | 'offset';
	offset: string;
	maxEntries: number;
	maxWaitMs: number;
	delivery: 'completed' | 'succeeded' | 'immediately';
	maxRunsInFlight: number;
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

export function readSettings(ctx: ITriggerFunctions): Settings {
	const form = new Form(ctx.getNode(), 0, triggerFields, (name) => ctx.getNodeParameter(name, ''));
	const batch = form.group('batch');
	const options = form.group('options');
	const choice = <T extends string>(name: string, allowed: readonly T[], standard: T) =>
		options.has(name) ? options.choice(name, allowed) : standard;
	const startFrom = form.choice('startFrom', ['lastStop', 'beginning', 'now', 'offset'] as const);
	const offsetUnit = choice('offsetUnit', OFFSET_UNITS, 'entries');
	return {
		deploymentId: form.pathId('deploymentId'),
		containerIds: readContainerIds(form),
		streams: readStreams(form),
		startFrom,
		offset: startFrom === 'offset' ? readOffset(form, offsetUnit) : '0',
		maxEntries: batch.optionalInteger('maxEntries', { min: 1, max: 10_000 }) ?? 100,
		maxWaitMs: batch.optionalInteger('maxWaitMs', { min: 1, max: 3_600_000 }) ?? 1_000,
		delivery: choice('delivery', ['completed', 'succeeded', 'immediately'] as const, 'completed'),
		maxRunsInFlight: options.optionalInteger('maxRunsInFlight', { min: 1, max: 100 }) ?? 1,
		include: readPattern(options, 'include'),
		exclude: readPattern(options, 'exclude'),
		stopOn: readPattern(options, 'stopOn'),
		level: options.has('level') ? options.choice('level', LEVELS) : undefined,
		jsonOnly: options.flag('jsonOnly'),
		contextLines: options.optionalInteger('contextLines', { min: 0, max: 100 }) ?? 0,
		offsetParameter: options.optionalText('offsetParameter') ?? 'offset',
		offsetUnit,
		idleTimeoutMs: (options.optionalInteger('idleTimeout', { min: 0, max: 86_400 }) ?? 300) * 1_000,
		format: choice('format', STREAM_FORMATS, 'auto'),
		largestLine:
			options.optionalInteger('largestLine', { min: 1_024, max: 16_777_216 }) ?? 1_048_576,
		output: choice('output', ['entries', 'batch'] as const, 'entries'),
		connectionEvents: options.flag('connectionEvents'),
	};
}

function readContainerIds(form: Form): string[] {
	const ids = [...new Set(form.texts('containerIds'))];
	if (ids.length === 0) form.fail('containerIds', 'is required: choose at least one container');
	return ids.map((id) => form.checkedPathId('containerIds', id));
}

function readStreams(form: Form): Settings['streams'] {
	const names = [...new Set(form.texts('streams'))];
	if (names.length === 0) form.fail('streams', 'is required: choose at least one stream');
	return names.map(
		(name) =>
			STREAMS.find((stream) => stream === name) ??
			form.fail('streams', `must be of ${STREAMS.join(', ')}, got "${name}"`),
	);
}

function readOffset(form: Form, unit: OffsetForm['offsetUnit']): string {
	return unit === 'eventId' ? form.text('offset') : String(form.integer('offset', { min: 0 }));
}
