import type { INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	authenticationField,
	chosenCredentials,
	collectionField,
	compareLabels,
	limitFields,
	locatorField,
	readLimit,
} from '../../nodes/shared/fields.ts';
import type { CredentialChoices } from '../../nodes/shared/http/credentials.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';

const node: INode = {
	id: '1',
	name: 'Node',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const form = (values: Record<string, unknown>) =>
	new Parameters(node, 0, limitFields, (name) => values[name]);

describe('Return All and Limit', () => {
	it('are as n8n words them, Limit only without Return All', () => {
		expect(limitFields).toEqual([
			{
				displayName: 'Return All',
				name: 'returnAll',
				type: 'boolean',
				default: false,
				description: 'Whether to return all results or only up to a given limit',
			},
			{
				displayName: 'Limit',
				name: 'limit',
				type: 'number',
				typeOptions: { minValue: 1 },
				displayOptions: { show: { returnAll: [false] } },
				default: 50,
				description: 'Max number of results to return',
			},
		]);
	});

	it('are read as one number, undefined for all', () => {
		expect(readLimit(form({ returnAll: true, limit: 3 }))).toBeUndefined();
		expect(readLimit(form({ returnAll: false, limit: 3 }))).toBe(3);
		expect(() => readLimit(form({ limit: 0 }))).toThrow(
			'Limit must be a whole number of at least 1, got 0',
		);
	});
});

describe('a resource locator', () => {
	const locator = {
		displayName: 'Machine',
		name: 'machineId',
		description: 'The machine',
		placeholder: 'Select a machine...',
		searchListMethod: 'searchMachines',
		idPlaceholder: 'e.g. 12',
	};

	it('shows a searchable list, or takes an ID', () => {
		expect(locatorField({ ...locator, idHint: 'A number' })).toEqual({
			displayName: 'Machine',
			name: 'machineId',
			type: 'resourceLocator',
			required: true,
			default: { mode: 'list', value: '' },
			description: 'The machine',
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: 'Select a machine...',
					typeOptions: { searchListMethod: 'searchMachines', searchable: true },
				},
				{
					displayName: 'By ID',
					name: 'id',
					type: 'string',
					placeholder: 'e.g. 12',
					hint: 'A number',
				},
			],
		});
	});

	it('reloads its list when a field that it depends on changes', () => {
		expect(locatorField({ ...locator, dependsOn: ['hardwareId.value'] }).typeOptions).toEqual({
			loadOptionsDependsOn: ['hardwareId.value'],
		});
		expect(locatorField(locator)).not.toHaveProperty('typeOptions');
	});
});

describe('optional fields', () => {
	const field = (displayName: string) => ({
		displayName,
		name: displayName,
		type: 'string' as const,
		default: '',
	});

	it('are in the order of their labels', () => {
		const given = [field('Top K'), field('API Key'), field('Add'), field('apple'), field('Zone')];
		const collection = collectionField('options', 'Options', 'Add option', given, 'More');
		expect(collection).toMatchObject({
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			description: 'More',
		});
		expect(collection.options?.map(({ name }) => name)).toEqual([
			'Add',
			'API Key',
			'apple',
			'Top K',
			'Zone',
		]);
		expect(given[0]?.displayName).toBe('Top K');
		expect(collectionField('options', 'Options', 'Add option', [])).not.toHaveProperty(
			'description',
		);
	});

	it('with the same label keep their order', () => {
		expect(compareLabels('Same', 'same')).toBe(0);
		expect(compareLabels('a', 'B')).toBe(-1);
		expect(compareLabels('B', 'a')).toBe(1);
	});
});

describe('authentication', () => {
	const credentials: CredentialChoices = {
		service: { segment: { placeholder: 'part', field: 'part', label: 'Part' }, advice: {} },
		choices: [
			['oAuth2', 'someOAuth2Api'],
			['apiKey', 'someApi'],
			['accessToken', 'someTokenApi'],
		],
	};

	it('is a field, with the first as the default', () => {
		expect(authenticationField(credentials)).toEqual({
			displayName: 'Authentication',
			name: 'authentication',
			type: 'options',
			options: [
				{ name: 'OAuth2', value: 'oAuth2' },
				{ name: 'API Key', value: 'apiKey' },
				{ name: 'Access Token', value: 'accessToken' },
			],
			default: 'oAuth2',
		});
	});

	it('shows the credential that is chosen', () => {
		expect(chosenCredentials(credentials)[1]).toEqual({
			name: 'someApi',
			required: true,
			displayOptions: { show: { authentication: ['apiKey'] } },
		});
		expect(chosenCredentials(credentials)).toHaveLength(3);
	});
});
