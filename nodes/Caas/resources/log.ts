import type { IDataObject } from 'n8n-workflow';
import { collectionField, limitField } from '../../shared/fields';
import type { OperationContext } from '../../shared/operation/context';
import type { Operation, Resource } from '../../shared/operation/operation';
import { readPattern } from '../../marketplace/log/pattern';
import type { Pattern } from '../../shared/regex/filter';
import { replyError } from '../../shared/http/request';
import { readStream, type StreamRequest } from '../../shared/stream/stream';
import { now } from '../../shared/time';
import { removeColours } from '../../marketplace/log/colours';
import { entryJson } from '../../marketplace/log/entry';
import { hasEntriesBefore, laterId } from '../../marketplace/log/firstEntries';
import {
	containerDeploymentIdField,
	containerIdField,
	lineFilterFields,
} from '../../marketplace/log/fields';
import {
	BEGINNING,
	logRequest,
	OFFSET_VALUE_STATUSES,
	STREAMS,
	type LogName,
	type OffsetSettings,
} from '../../marketplace/log/request';

interface Input extends LogName {
	limit: number;
	maxWaitSeconds: number;
	include?: Pattern;
	exclude?: Pattern;
	isTail: boolean;
	offset: number;
	offsetSettings: OffsetSettings;
}

/** Silence after which all lines that were there have been sent. */
const CAUGHT_UP_MS = 1_000;

const getAll: Operation<Input> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many log lines',
	description: 'Read the log of a container, up to a number of lines or seconds',
	effect: 'read',
	fields: [
		containerDeploymentIdField,
		containerIdField,
		{
			displayName: 'Stream',
			name: 'stream',
			type: 'options',
			options: [
				{ name: 'Standard Error', value: 'stderr' },
				{ name: 'Standard Output', value: 'stdout' },
			],
			default: 'stdout',
			description: 'Output stream of the container',
		},
		limitField,
		{
			displayName: 'Max Wait (Seconds)',
			name: 'maxWaitSeconds',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 3600, numberPrecision: 0 },
			default: 5,
			description: 'Maximum time to read. A container that still runs may write more lines later.',
		},
		collectionField('options', 'Options', 'Add Option', [
			...lineFilterFields,
			{
				displayName: 'Last Lines',
				name: 'tail',
				type: 'boolean',
				default: false,
				description: 'Whether to return the last lines instead of the first',
			},
			{
				displayName: 'Offset',
				name: 'offset',
				type: 'number',
				typeOptions: { minValue: 0, numberPrecision: 0 },
				default: 0,
				description: 'How many lines to skip at the start of the log, if the service supports it',
			},
			{
				displayName: 'Offset Parameter',
				name: 'offsetParameter',
				type: 'string',
				default: 'offset',
				placeholder: 'e.g. offset',
				description: 'Name of the query parameter that tells the service where to start',
			},
		]),
	],
	input(parameters) {
		const options = parameters.group('options');
		return {
			deploymentId: parameters.pathId('deploymentId'),
			containerId: parameters.pathId('containerId'),
			stream: parameters.choice('stream', STREAMS),
			limit: parameters.integer('limit', { min: 1 }),
			maxWaitSeconds: parameters.integer('maxWaitSeconds', { min: 1, max: 3_600 }),
			include: readPattern(options, 'include'),
			exclude: readPattern(options, 'exclude'),
			isTail: options.flag('tail'),
			offset: options.integer('offset', { optional: true, min: 0 }) ?? 0,
			offsetSettings: {
				offsetParameter: options.text('offsetParameter', { optional: true }) ?? 'offset',
				offsetUnit: 'entries',
			},
		};
	},
	async run(context, input) {
		const { lines, firstId } = await read(context, input);
		if (firstId === undefined || input.offset > 0) return lines;
		if (!(await hasEntriesBefore(firstId, context, input, input.offsetSettings, {}))) return lines;
		return (await read(context, { ...input, offsetSettings: withoutOffset(input) })).lines;
	},
};

function withoutOffset({ offsetSettings }: Input): OffsetSettings {
	return { ...offsetSettings, offsetUnit: 'none' };
}

/** Reads the log once. Returns the lines that are wanted, and the ID of the first entry if others may be before it. */
async function read(
	context: OperationContext,
	input: Input,
): Promise<{ lines: IDataObject[]; firstId?: number }> {
	const { limit, include, exclude, isTail } = input;
	const lines: IDataObject[] = [];
	const from = { ...BEGINNING, entries: input.offset };
	let { offset } = input;
	let firstId: number | undefined;
	const bounds = { longestMs: input.maxWaitSeconds * 1000, quietMs: Infinity };
	const request: StreamRequest = {
		...logRequest(input, input.offsetSettings, from),
		retry: 'idempotent',
	};
	const problem = await readStream(
		context,
		request,
		bounds,
		(event) => {
			if (isTail) bounds.quietMs = CAUGHT_UP_MS;
			if (offset === input.offset) firstId = laterId(event);
			const text = removeColours(event.data);
			const isKept = (include?.test(text) ?? true) && !exclude?.test(text);
			if (isKept) lines.push(entryJson(input, offset, event, new Date(now()).toISOString()));
			offset++;
			if (isTail && lines.length > limit) lines.shift();
			return isTail || lines.length < limit;
		},
		{},
	);
	const isOfOffset = problem?.kind === 'answer' && OFFSET_VALUE_STATUSES.has(problem.status);
	// A service that counts from one may refuse 0
	if (isOfOffset && input.offset === 0 && input.offsetSettings.offsetUnit !== 'none')
		return await read(context, { ...input, offsetSettings: withoutOffset(input) }).catch(() =>
			Promise.reject(replyError(context, problem)),
		);
	const last = lines.at(-1);
	if (problem && (problem.kind !== 'lost' || !last)) throw replyError(context, problem);
	// A container that ends may close the connection: its lines are worth more than an error
	if (problem && last) last.broken_off = true;
	return { lines, firstId };
}

export const log: Resource = { value: 'log', name: 'Log', operations: [getAll] };
