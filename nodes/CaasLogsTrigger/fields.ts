import type { INodeProperties } from 'n8n-workflow';
import { logAuthenticationField } from '../marketplace/log/credentials';
import { containerDeploymentIdField } from '../marketplace/log/fields';
import { collectionField } from '../shared/fields';
import { optionFields } from './optionFields';

/** The form of the trigger. */
export const triggerFields: INodeProperties[] = [
	{
		...logAuthenticationField('accessToken'),
		hint: 'API Key alone is enough where your provider accepts it for logs',
	},
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
		description: 'Which output of the containers to follow',
	},
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		options: [
			{
				name: 'Beginning',
				value: 'beginning',
				description: 'The whole log, each time you activate the workflow',
			},
			{
				name: 'Newest Lines',
				value: 'newest',
				description: 'The newest lines that the log has, then all that follow',
			},
			{
				name: 'Now',
				value: 'now',
				description: 'Only lines that are written after you activate the workflow',
			},
			{ name: 'Offset', value: 'offset', description: 'A given offset in the log' },
			{
				name: 'Where It Left Off',
				value: 'lastStop',
				description: 'After the last committed line, or at the beginning of the log the first time',
			},
		],
		default: 'lastStop',
		description:
			'Where to start reading when you activate the workflow. When n8n restarts, the trigger always resumes where it left off. A test in the editor with Where It Left Off shows the newest lines.',
	},
	{
		displayName: 'Offset',
		name: 'offset',
		type: 'string',
		displayOptions: { show: { startFrom: ['offset'] } },
		default: '0',
		placeholder: 'e.g. 100',
		description:
			'Offset to start at: the number of lines to skip, unless you choose another Offset Unit in the options',
	},
	{
		displayName: 'Newest Lines',
		name: 'newestLines',
		type: 'number',
		displayOptions: { show: { startFrom: ['newest'] } },
		typeOptions: { minValue: 1, maxValue: 10000, numberPrecision: 0 },
		default: 100,
		description: 'How many of the newest lines of each log to start with',
	},
	collectionField(
		'batch',
		'Batch',
		'Add Setting',
		[
			{
				displayName: 'Max Bytes',
				name: 'maxBytes',
				type: 'number',
				typeOptions: { minValue: 1024, maxValue: 104857600, numberPrecision: 0 },
				default: 1048576,
				description:
					'Maximum size of the lines per execution. A line that is longer has an execution of its own.',
			},
			{
				displayName: 'Max Entries',
				name: 'maxEntries',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 10000, numberPrecision: 0 },
				default: 100,
				description:
					'Maximum number of lines per execution. Context lines before a match can exceed it.',
			},
			{
				displayName: 'Max Wait (Milliseconds)',
				name: 'maxWaitMs',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 3600000, numberPrecision: 0 },
				default: 1000,
				description: 'How long to collect lines before an execution starts with fewer',
			},
		],
		'An execution starts after Max Entries lines, Max Bytes or Max Wait, whichever comes first',
	),
	collectionField('options', 'Options', 'Add Option', optionFields),
];
