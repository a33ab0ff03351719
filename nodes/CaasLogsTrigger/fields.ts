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
			'Whether to also start a run, with one item, when a connection opens or breaks and when a log has ended',
	},
	{
		displayName: 'Context Lines',
		name: 'contextLines',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 100, numberPrecision: 0 },
		default: 3,
		description:
			'How many lines before and after each line that the filters keep come along, marked with matched: false',
	},
	{
		displayName: 'Delivery',
		name: 'delivery',
		type: 'options',
		options: [
			{
				name: 'When Its Run Has Ended',
				value: 'completed',
				description:
					'Each line at least once: it counts as delivered when its run has ended, failed or not',
			},
			{
				name: 'When Its Run Has Succeeded',
				value: 'succeeded',
				description:
					'As above, but a run that failed is repeated with the same lines until it succeeds',
			},
			{
				name: 'Immediately',
				value: 'immediately',
				description:
					'Each line at most once, as fast as possible: lines of a run that is lost are lost with it',
			},
		],
		default: 'completed',
		description: 'When a line counts as delivered',
	},
	{
		displayName: 'Format',
		name: 'format',
		type: 'options',
		options: [
			{ name: 'Bare Lines', value: 'lines' },
			{ name: 'Detect', value: 'auto', description: 'Tell by the first line of the stream' },
			{ name: 'Server-Sent Events', value: 'sse' },
		],
		default: 'auto',
		description: 'How the service sends the lines',
	},
	{
		displayName: 'Idle Timeout (Seconds)',
		name: 'idleTimeout',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 86400, numberPrecision: 0 },
		default: 300,
		description:
			'Silence after which the connection is made anew, since a dead one looks like a silent one. 0 waits for ever.',
	},
	{
		displayName: 'JSON Only',
		name: 'jsonOnly',
		type: 'boolean',
		default: false,
		description: 'Whether to keep only lines that are a JSON object',
	},
	{
		displayName: 'Largest Line (Bytes)',
		name: 'largestLine',
		type: 'number',
		typeOptions: { minValue: 1024, maxValue: 16777216, numberPrecision: 0 },
		default: 1048576,
		description: 'Longest line; what is longer is cut and marked with truncated: true',
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
			'Keep only lines of at least this level, as their JSON or their words tell. Lines without a level are left out.',
	},
	{
		displayName: 'Max Runs in Flight',
		name: 'maxRunsInFlight',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
		default: 1,
		description:
			'How many runs may be under way at once; reading pauses meanwhile. With more than one, runs may end in another order.',
	},
	{
		displayName: 'Offset Parameter',
		name: 'offsetParameter',
		type: 'string',
		default: 'offset',
		placeholder: 'e.g. offset',
		description: 'Query parameter with which the service is asked to go on from a place',
	},
	{
		displayName: 'Offset Unit',
		name: 'offsetUnit',
		type: 'options',
		options: [
			{ name: 'Bytes', value: 'bytes', description: 'The offset counts the bytes of the log' },
			{ name: 'Entries', value: 'entries', description: 'The offset counts the lines of the log' },
			{ name: 'Event ID', value: 'eventId', description: 'The offset is the ID of the last event' },
			{
				name: 'None',
				value: 'none',
				description:
					'The service always begins at the beginning; lines that were delivered are skipped by count',
			},
		],
		default: 'entries',
		description: 'What the offset counts. A service that ignores it is noticed.',
	},
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{
				name: 'Batch',
				value: 'batch',
				description: 'One item for each run, with the lines in entries',
			},
			{ name: 'Entries', value: 'entries', description: 'One item for each line' },
		],
		default: 'entries',
		description: 'What the items of a run are',
	},
	{
		displayName: 'Stop On',
		name: 'stopOn',
		type: 'string',
		default: '',
		placeholder: 'e.g. Training finished',
		description:
			'Regular expression; the container is followed up to and with the first line that matches',
	},
];

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
				description: 'The whole log, each time that the workflow is published',
			},
			{
				name: 'Now',
				value: 'now',
				description: 'Only what is written after the workflow was published',
			},
			{ name: 'Offset', value: 'offset', description: 'A given place of the log' },
			{
				name: 'Where It Stopped Last',
				value: 'lastStop',
				description: 'After the last line that was delivered; the beginning at the first time',
			},
		],
		default: 'lastStop',
		description:
			'Where to begin. When n8n itself starts again, it always goes on where it stopped.',
	},
	{
		displayName: 'Offset',
		name: 'offset',
		type: 'string',
		displayOptions: { show: { startFrom: ['offset'] } },
		default: '0',
		placeholder: 'e.g. 100',
		description: 'The place to begin at, in the offset unit of the options',
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
				description: 'Most lines in one run; lines of context may come on top',
			},
			{
				displayName: 'Max Wait (Milliseconds)',
				name: 'maxWaitMs',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 3600000, numberPrecision: 0 },
				default: 1000,
				description: 'Longest time that a line waits for others',
			},
		],
		'One run is started for so many lines or after so much time, whichever comes first',
	),
	collectionField('options', 'Options', 'Add Option', options),
];
