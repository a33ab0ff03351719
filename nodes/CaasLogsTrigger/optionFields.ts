import type { INodeProperties } from 'n8n-workflow';
import { lineFilterFields } from '../marketplace/log/fields';

/** The smallest Max Line Length. */
export const SHORTEST_LINE_LIMIT = 1_024;

/** The options of the trigger. */
export const optionFields: INodeProperties[] = [
	...lineFilterFields,
	{
		displayName: 'Connection Events',
		name: 'connectionEvents',
		type: 'boolean',
		default: false,
		description:
			'Whether to also start an execution when a connection opens or closes, and when a log ends',
	},
	{
		displayName: 'Context Lines',
		name: 'contextLines',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 100, numberPrecision: 0 },
		default: 3,
		description:
			'How many lines before and after each matching line to add, marked with matched: false',
	},
	{
		displayName: 'Delivery',
		name: 'delivery',
		type: 'options',
		options: [
			{
				name: 'When Execution Ends',
				value: 'completed',
				description:
					'At least once: a batch is committed when its execution has ended, even if it failed',
			},
			{
				name: 'When Execution Succeeds',
				value: 'succeeded',
				description:
					'At least once: a failed execution is repeated with the same lines until it succeeds',
			},
			{
				name: 'Immediately',
				value: 'immediately',
				description:
					'At most once: a batch is committed before its execution starts, so the lines of an interrupted execution are lost',
			},
		],
		default: 'completed',
		description:
			'When a batch of lines is committed. After a restart, the trigger resumes after the last committed line.',
	},
	{
		displayName: 'Extract Timestamp',
		name: 'extractTimestamp',
		type: 'boolean',
		default: false,
		description:
			'Whether to add the time that a line begins with, or has in its JSON, as timestamp in UTC',
	},
	{
		displayName: 'First Line of an Entry',
		name: 'firstLine',
		type: 'string',
		placeholder: 'e.g. ^\\d{4}-\\d\\d-\\d\\d',
		default: '',
		description:
			'Regular expression for Join Multi-Line Entries. Lines that do not match it continue the entry before them.',
	},
	{
		displayName: 'Format',
		name: 'format',
		type: 'options',
		options: [
			{ name: 'Detect', value: 'auto', description: 'Decide by the first lines of the log' },
			{ name: 'Plain Text Lines', value: 'lines' },
			{ name: 'Server-Sent Events', value: 'sse' },
		],
		default: 'auto',
		description: 'Format in which the service sends the log',
	},
	{
		displayName: 'Give Up After',
		name: 'giveUpAfter',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 1000, numberPrecision: 0 },
		default: 5,
		description:
			'How many times a batch may fail before it is skipped and reported, with Delivery set to When Execution Succeeds. Without this option, it is repeated until it succeeds.',
	},
	{
		displayName: 'Group Equal Lines',
		name: 'groupEqual',
		type: 'boolean',
		default: false,
		description:
			'Whether lines of a batch that differ only in numbers, IDs, times and quoted text become one item with a count',
	},
	{
		displayName: 'Idle Timeout (Seconds)',
		name: 'idleTimeout',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86400, numberPrecision: 0 },
		default: 300,
		description:
			'Reconnect after this many seconds without a line. Keep-alive comments do not count as lines. 0 disables the timeout.',
	},
	{
		displayName: 'Join Multi-Line Entries',
		name: 'joinLines',
		type: 'boolean',
		default: false,
		description:
			'Whether to join stack traces and indented lines with the line before them, as one entry',
	},
	{
		displayName: 'JSON Only',
		name: 'jsonOnly',
		type: 'boolean',
		default: false,
		description: 'Whether to keep only lines that are JSON objects',
	},
	{
		displayName: 'Level',
		name: 'level',
		type: 'options',
		options: [
			{ name: 'Debug and Above', value: 'debug' },
			{ name: 'Error and Above', value: 'error' },
			{ name: 'Fatal', value: 'fatal' },
			{ name: 'Info and Above', value: 'info' },
			{ name: 'Warning and Above', value: 'warn' },
		],
		default: 'error',
		description:
			'Minimum level of the lines to keep, detected in their JSON or text. Lines without a level are dropped.',
	},
	{
		displayName: 'Max Executions in Flight',
		name: 'maxRunsInFlight',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
		default: 1,
		description:
			'How many executions may run at the same time, for all containers together. Reading pauses at this number. With more than one, executions may end out of order.',
	},
	{
		displayName: 'Max Executions per Minute',
		name: 'maxExecutionsPerMinute',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 6000, numberPrecision: 0 },
		default: 10,
		description:
			'How many executions may start in a minute. The lines of further ones are dropped; the next item has their number in held_back.',
	},
	{
		displayName: 'Max Line Length (Characters)',
		name: 'largestLine',
		type: 'number',
		typeOptions: { minValue: SHORTEST_LINE_LIMIT, maxValue: 16777216, numberPrecision: 0 },
		default: 1048576,
		description: 'Longer lines are truncated and marked with truncated: true',
	},
	{
		displayName: 'Offset Parameter',
		name: 'offsetParameter',
		type: 'string',
		default: 'offset',
		placeholder: 'e.g. offset',
		description: 'Name of the query parameter that tells the service where to resume',
	},
	{
		displayName: 'Offset Unit',
		name: 'offsetUnit',
		type: 'options',
		options: [
			{ name: 'Bytes', value: 'bytes', description: 'The offset counts bytes' },
			{ name: 'Entries', value: 'entries', description: 'The offset counts lines' },
			{ name: 'Event ID', value: 'eventId', description: 'The offset is the ID of the last event' },
			{
				name: 'None',
				value: 'none',
				description:
					'The service always sends the whole log. Lines that were read before are left out.',
			},
		],
		default: 'entries',
		description:
			'What the offset of the service counts. A service that ignores the offset is detected.',
	},
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{
				name: 'Batch',
				value: 'batch',
				description: 'One item per execution, with the lines in entries',
			},
			{ name: 'Entries', value: 'entries', description: 'One item per line' },
		],
		default: 'entries',
		description: 'What each item contains',
	},
	{
		displayName: 'Remove Colors',
		name: 'removeColors',
		type: 'boolean',
		default: false,
		description:
			'Whether to remove color codes from the lines. Filters and levels ignore them in any case.',
	},
	{
		displayName: 'Stop On',
		name: 'stopOn',
		type: 'string',
		default: '',
		placeholder: 'e.g. Training finished',
		description:
			'Regular expression. Stop following a container after the first line that matches.',
	},
];
