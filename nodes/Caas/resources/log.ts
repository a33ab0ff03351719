import type { IDataObject } from 'n8n-workflow';
import { collectionField, limitField } from '../../shared/fields';
import type { OperationContext } from '../../shared/operation/context';
import type { Operation, Resource } from '../../shared/operation/operation';
import { readPattern } from '../../marketplace/log/pattern';
import type { Pattern } from '../../shared/regex/filter';
import type { Reply } from '../../shared/http/reply';
import { replyError } from '../../shared/http/request';
import type { StreamEvent } from '../../shared/stream/event';
import { readStream, type StreamRequest } from '../../shared/stream/stream';
import { delay, elapsed, now } from '../../shared/time';
import { removeColours } from '../../marketplace/log/colours';
import { entryJson } from '../../marketplace/log/entry';
import {
	areFirst,
	FIRST_ENTRIES,
	firstEntries,
	hasEntriesBefore,
	laterId,
} from '../../marketplace/log/firstEntries';
import { Pages } from '../../marketplace/log/pages';
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
/** Time that the first answer has in any case: a slow service is not a silent one. */
const FIRST_HEAD_MS = 3_000;
/** Pause between pages: the service allows 15 requests a second (beyond-the-spec.md section 3). */
const PAGE_PAUSE_MS = 100;
const MAX_PAGES = 1_000;
/** With which services refuse an offset at the end of the log. */
const NO_PAGE_STATUSES: ReadonlySet<number> = new Set([...OFFSET_VALUE_STATUSES, 404]);
/** Where lines may follow those that were read. */
const NOT_JOINED: Reply = {
	kind: 'lost',
	status: 200,
	permanent: true,
	reason: 'The service sends this log in pages that could not all be joined',
	advice: 'Lines that follow were not read. Use Offset to read from there.',
};

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
		const { lines, first } = await read(context, input, input.offsetSettings);
		const headMs = input.maxWaitSeconds * 1000;
		if (input.offset > 0) {
			const firstFrom = (offset: number) =>
				firstEntries(context, input, input.offsetSettings, {}, headMs, offset);
			const begin = await firstFrom(0);
			let isIgnored = areFirst(first, begin);
			if (isIgnored) isIgnored = areFirst(await firstFrom(input.offset + 1), begin);
			return labelled(lines, input.offset, isIgnored);
		}
		const firstId = first[0] && laterId(first[0]);
		const settings = withoutOffset(input);
		const isLater =
			firstId !== undefined &&
			(await hasEntriesBefore(firstId, context, input, settings, {}, headMs));
		return isLater ? (await read(context, input, settings)).lines : lines;
	},
};

function withoutOffset({ offsetSettings }: Input): OffsetSettings {
	return { ...offsetSettings, offsetUnit: 'none' };
}

/** The lines with the offset of each: where the service has ignored the one that was requested, and begun with the log, from there. */
function labelled(
	lines: IDataObject[],
	requested: number,
	isIgnored: boolean | undefined,
): IDataObject[] {
	for (const line of lines) {
		if (isIgnored === undefined) line.offset = null;
		else if (!isIgnored) line.offset = requested + Number(line.offset);
	}
	return lines;
}

/**
 * Reads the log once, in as many pages as the service makes of it.
 * @param settings how the first of them is requested
 * @returns the lines that are wanted, each with its number from 0 on as the offset; and the first entries
 */
async function read(
	context: OperationContext,
	input: Input,
	settings: OffsetSettings,
): Promise<{ lines: IDataObject[]; first: StreamEvent[] }> {
	const { limit, include, exclude, isTail, maxWaitSeconds } = input;
	const lines: IDataObject[] = [];
	const first: StreamEvent[] = [];
	let lastAt = -Infinity;
	const endsAt = elapsed() + maxWaitSeconds * 1000;
	const bounds = { longestMs: Infinity, quietMs: Infinity, endsAt };
	const begins = () => {
		if (isTail) bounds.quietMs = CAUGHT_UP_MS;
	};
	const pages = new Pages((event) => {
		begins();
		lastAt = elapsed();
		if (first.length < FIRST_ENTRIES) first.push({ ...event });
		const text = removeColours(event.data);
		const isKept = (include?.test(text) ?? true) && !exclude?.test(text);
		const number = pages.count - 1;
		if (isKept) lines.push(entryJson(input, number, event, new Date(now()).toISOString()));
		if (isTail && lines.length > limit) lines.shift();
		return isTail || lines.length < limit;
	});
	const open = async (offset: number, offsetSettings: OffsetSettings) => {
		const { count } = pages;
		let hasEnded = false;
		const request: StreamRequest = {
			...logRequest(input, offsetSettings, { ...BEGINNING, entries: offset }),
			retry: 'idempotent',
			retryLimits: { endsAt },
			headMs: Math.max(count > 0 ? CAUGHT_UP_MS : FIRST_HEAD_MS, endsAt - elapsed()),
		};
		const problem = await readStream(context, request, bounds, (event) => pages.add(event), {
			onEnd: () => (hasEnded = true),
			onPending: begins,
			isKnown: (event) => pages.isLast(event),
		});
		const hasNone = problem?.kind === 'answer' && NO_PAGE_STATUSES.has(problem.status);
		return { problem, hasNone, isPage: pages.end(hasEnded || hasNone) };
	};
	let { problem, hasNone, isPage } = await open(input.offset, settings);
	let isCut = false;
	const refusal = problem;
	// A service that counts from one may refuse 0
	if (refusal && isOfOffset(refusal) && input.offset === 0 && settings.offsetUnit !== 'none')
		return await read(context, input, withoutOffset(input)).catch(() =>
			Promise.reject(replyError(context, refusal)),
		);
	if (problem && pages.count === 0) throw replyError(context, withWait(problem, input, endsAt));
	for (let count = 1; isPage && count < MAX_PAGES && elapsed() < endsAt; count++) {
		await delay(PAGE_PAUSE_MS, context.signal);
		({ problem, hasNone, isPage } = await open(input.offset + pages.next(), input.offsetSettings));
		isCut = problem?.kind === 'lost' && elapsed() >= endsAt;
		// Nothing is missing where there is no line at that offset yet, or where the service is silent until there is one
		if (hasNone || isCut) problem = undefined;
	}
	const hasPages = isPage && elapsed() < endsAt;
	if (pages.isPartial || hasPages) problem ??= NOT_JOINED;
	const last = lines.at(-1);
	if (problem && (problem.kind === 'cancelled' || !last)) throw replyError(context, problem);
	// Where lines still come, or a page that has some did not come in time, these are not the last ones
	const isGoingOn = isPage || (isCut && pages.isWithin) || lastAt > endsAt - CAUGHT_UP_MS;
	const isMidway = isTail && elapsed() >= endsAt && isGoingOn;
	// A container that ends may close the connection: its lines are worth more than an error
	if (last && (problem !== undefined || isMidway)) last.broken_off = true;
	return { lines, first };
}

function isOfOffset(reply: Reply): boolean {
	return reply.kind === 'answer' && OFFSET_VALUE_STATUSES.has(reply.status);
}

/** The reply in words that say it, where the time was over before there was an answer. */
function withWait(reply: Reply, { maxWaitSeconds }: Input, endsAt: number): Reply {
	if (reply.kind !== 'lost' || reply.status !== undefined || elapsed() < endsAt) return reply;
	const seconds = Math.max(maxWaitSeconds, FIRST_HEAD_MS / 1000);
	return {
		...reply,
		reason: `The service did not answer within ${seconds} seconds (Max Wait)`,
		advice:
			'Nothing was seen of the log. Some services answer only when a line is written: then there was none in this time. Otherwise increase Max Wait.',
	};
}

export const log: Resource = { value: 'log', name: 'Log', operations: [getAll] };
