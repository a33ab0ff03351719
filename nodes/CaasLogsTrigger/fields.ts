import type { INodeProperties } from 'n8n-workflow';
import { logAuthenticationField } from '../marketplace/log/credentials';
import { containerDeploymentIdField, lineFilterFields } from '../marketplace/log/fields';
import { collectionField } from '../shared/fields';

const options: INodeProperties[] = [
	...lineFilterFields,
	{
		displayName: 'Connection Events',
		name: 'connectionEvents',
		type: 'boolean',
		default: false,
		description:
			'Whether to also start an execution with one item when a connection opens or closes, and when a log ends',
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
				description: 'At least once: a batch is committed when its execution succeeds or fails',
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
		displayName: 'Format',
		name: 'format',
		type: 'options',
		options: [
			{ name: 'Detect', value: 'auto', description: 'Decide by the first line of the stream' },
			{ name: 'Plain Text Lines', value: 'lines' },
			{ name: 'Server-Sent Events', value: 'sse' },
		],
		default: 'auto',
		description: 'Format in which the service sends the log',
	},
	{
		displayName: 'Idle Timeout (Seconds)',
		name: 'idleTimeout',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86400, numberPrecision: 0 },
		default: 300,
		description: 'Reconnect after this many seconds without data. 0 disables the timeout.',
	},
	{
		displayName: 'JSON Only',
		name: 'jsonOnly',
		type: 'boolean',
		default: false,
		description: 'Whether to keep only lines that are JSON objects',
	},
	{
		displayName: 'Max Line Length (Bytes)',
		name: 'largestLine',
		type: 'number',
		typeOptions: { minValue: 1024, maxValue: 16777216, numberPrecision: 0 },
		default: 1048576,
		description: 'Longer lines are truncated and marked with truncated: true',
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
			'How many executions may run at the same time. Reading pauses at this number. With more than one, executions may end out of order.',
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
					'The service always sends the whole log. Lines that were read before are skipped by count.',
			},
		],
		default: 'entries',
		description: 'What the offset counts. The trigger detects a service that ignores the offset.',
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
		displayName: 'Stop On',
		name: 'stopOn',
		type: 'string',
		default: '',
		placeholder: 'e.g. Training finished',
		description:
			'Regular expression. Stop following a container after the first line that matches.',
	},
];

/** The form of the trigger. */
export const triggerFields: INodeProperties[] = [
	logAuthenticationField('accessToken'),
	containerDeploymentIdField,
	{
		displayName: 'Container Names or IDs',
		name: 'containerIds',
		type: 'multiOptions',
		typeOptions: {
			loadOptionsMethod: 'loadContainers',
			loadOptionsDependsOn: ['deploymentId.value'],
		},
		required: true,
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	},
	{
		displayName: 'Trigger On',
		name: 'streams',
		type: 'multiOptions',
		options: [
			{ name: 'Standard Error', value: 'stderr' },
			{ name: 'Standard Output', value: 'stdout' },
		],
		required: true,
		default: ['stdout', 'stderr'],
	},
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		options: [
			{
				name: 'Beginning',
				value: 'beginning',
				description: 'The whole log, each time the workflow is activated',
			},
			{
				name: 'Now',
				value: 'now',
				description: 'Only lines that are written after the workflow is activated',
			},
			{ name: 'Offset', value: 'offset', description: 'A given offset in the log' },
			{
				name: 'Where It Left Off',
				value: 'lastStop',
				description: 'After the last committed line; at the beginning of the log if there is none',
			},
		],
		default: 'lastStop',
		description:
			'Where to start reading when the workflow is activated. When n8n restarts, the trigger always resumes where it left off.',
	},
	{
		displayName: 'Offset',
		name: 'offset',
		type: 'string',
		displayOptions: { show: { startFrom: ['offset'] } },
		default: '0',
		placeholder: 'e.g. 100',
		description: 'Offset to start at, in the Offset Unit of the options',
	},
	collectionField(
		'batch',
		'Batch',
		'Add Setting',
		[
			{
				displayName: 'Max Entries',
				name: 'maxEntries',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 10000, numberPrecision: 0 },
				default: 100,
				description: 'Maximum lines per execution. Context lines before a match can exceed it.',
			},
			{
				displayName: 'Max Wait (Milliseconds)',
				name: 'maxWaitMs',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 3600000, numberPrecision: 0 },
				default: 1000,
				description: 'Maximum time to collect lines before a partial batch is emitted',
			},
		],
		'An execution starts after Max Entries lines or after Max Wait, whichever comes first',
	),
	collectionField('options', 'Options', 'Add Option', options),
];
