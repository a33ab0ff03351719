import type { INodeProperties } from 'n8n-workflow';
import { logAuthenticationField } from '../marketplace/log/credentials';
import { containerDeploymentIdField } from '../marketplace/log/fields';
import { collectionField } from '../shared/fields';
import { optionFields } from './optionFields';

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
				name: 'Newest Lines',
				value: 'newest',
				description: 'A number of the newest lines, then all that are written after them',
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
	{
		displayName: 'Newest Lines',
		name: 'newestLines',
		type: 'number',
		displayOptions: { show: { startFrom: ['newest'] } },
		typeOptions: { minValue: 1, maxValue: 10000, numberPrecision: 0 },
		default: 100,
		description: 'How many of the lines that a log has already to start with',
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
				description: 'Maximum size of the lines per execution. A longer line comes alone.',
			},
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
		'An execution starts after Max Entries lines, Max Bytes or Max Wait, whichever comes first',
	),
	collectionField('options', 'Options', 'Add Option', optionFields),
];
