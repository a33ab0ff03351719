import type { INodeCredentialDescription, INodeProperties } from 'n8n-workflow';
import { ANY_CREDENTIALS } from '../marketplace/credentials';
import { namePrefixField } from '../marketplace/fields';
import { filtersField } from '../marketplace/hardwareFilters';
import { authenticationField, chosenCredentials, collectionField } from '../shared/fields';

export const EVENTS = [
	'deploymentStateChanged',
	'deploymentExpiresSoon',
	'offerMatches',
	'deviceDown',
] as const;
export type EventName = (typeof EVENTS)[number];

export const PRODUCTS = ['vmaas', 'caas', 'both'] as const;

const OF_DEPLOYMENTS: EventName[] = ['deploymentStateChanged', 'deploymentExpiresSoon'];

const shownFor = (...events: EventName[]) => ({ show: { event: events } });

/** n8n hides each field on which a credential depends: none may depend on the event. */
export const triggerCredentials: INodeCredentialDescription[] = chosenCredentials(ANY_CREDENTIALS);

export const triggerFields: INodeProperties[] = [
	authenticationField(ANY_CREDENTIALS),
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Deployment Expires Soon',
				value: 'deploymentExpiresSoon',
				description: 'The paid time of a deployment is over soon; once for each end',
			},
			{
				name: 'Deployment State Changed',
				value: 'deploymentStateChanged',
				description: 'A deployment is there for the first time, or its state has changed',
			},
			{
				name: 'Device Down',
				value: 'deviceDown',
				description: 'The downtime of a device has grown',
			},
			{
				name: 'Offer Matches',
				value: 'offerMatches',
				description: 'Hardware that passes the filters is on offer, and was not before',
			},
		],
		default: 'deploymentStateChanged',
	},
	{
		displayName:
			'The first poll after activation only notes what is there. Events come at least once: if one is repeated, it has the same event_id.',
		name: 'pollNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Product',
		name: 'product',
		type: 'options',
		options: [
			{ name: 'Containers', value: 'caas' },
			{ name: 'VMs', value: 'vmaas' },
			{ name: 'VMs and Containers', value: 'both' },
		],
		default: 'vmaas',
		description: 'Whose deployments to watch',
		displayOptions: shownFor(...OF_DEPLOYMENTS),
	},
	{
		displayName: 'Minutes Before',
		name: 'minutes',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 60,
		description:
			'Minutes of paid time that are left at most. Make it more than the time between two polls.',
		displayOptions: shownFor('deploymentExpiresSoon'),
	},
	{
		displayName: 'Maximum Hourly Price',
		name: 'maxHourlyPrice',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Only offers whose list price in USD per hour, for the whole configuration and without fees, is this at most. 0 is no limit.',
		displayOptions: shownFor('offerMatches'),
	},
	{ ...filtersField, displayOptions: shownFor('offerMatches') },
	{
		displayName: 'Device IDs',
		name: 'deviceIds',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Device' },
		required: true,
		default: [],
		placeholder: 'e.g. 0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35',
		description:
			'Devices to watch, 100 at most. Each poll reads 20 of them, since the service limits such requests.',
		displayOptions: shownFor('deviceDown'),
	},
	{
		displayName: 'Downtime Step (Minutes)',
		name: 'downtimeMinutes',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 1440, numberPrecision: 0 },
		default: 10,
		description:
			'One event each time that the downtime of a day has grown by so many minutes. The service shows downtime by day only.',
		displayOptions: shownFor('deviceDown'),
	},
	{
		...collectionField('options', 'Options', 'Add Option', [namePrefixField]),
		displayOptions: shownFor(...OF_DEPLOYMENTS),
	},
	{
		...collectionField('offerOptions', 'Options', 'Add Option', [
			{
				displayName: 'Also When Cheaper',
				name: 'alsoCheaper',
				type: 'boolean',
				default: true,
				description:
					'Whether an offer that matches already is another event once it costs less than it was told last',
			},
		]),
		displayOptions: shownFor('offerMatches'),
	},
];
