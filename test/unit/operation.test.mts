import { describe, expect, it } from 'vitest';
import {
	findOperation,
	type Operation,
	type Resource,
} from '../../nodes/shared/operation/operation.ts';
import { FileItem } from '../../nodes/shared/operation/items.ts';
import { item } from '../../nodes/shared/operation/output.ts';
import { properties } from '../../nodes/shared/operation/properties.ts';

function operation(value: string, name: string, fields: Operation['fields'] = []): Operation {
	return {
		value,
		name,
		action: `${name} things`,
		description: `${name} all things`,
		effect: 'read',
		fields,
		input: () => undefined,
		run: async () => [],
	};
}

const limit: Operation['fields'][number] = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	default: 50,
	displayOptions: { show: { returnAll: [false] }, hide: { mode: ['all'] } },
};
const id: Operation['fields'][number] = {
	displayName: 'ID',
	name: 'id',
	type: 'string',
	default: '',
};
const options: Operation['fields'][number] = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	default: {},
};
const resources: Resource[] = [
	{
		value: 'vm',
		name: 'VM',
		operations: [operation('getAll', 'Get Many', [limit]), operation('get', 'Get', [id])],
	},
	{ value: 'job', name: 'Job', operations: [operation('run', 'Run', [id])] },
];

describe('the parameters of a node', () => {
	// In each test: what is made while the file is read belongs to none
	const parts = () => {
		const [resource, ofVm, ofJob, ...fields] = properties(resources);
		return { resource, ofVm, ofJob, fields };
	};

	it('start with the resource: sorted by name, the first listed is the default', () => {
		expect(parts().resource).toEqual({
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: 'Job', value: 'job' },
				{ name: 'VM', value: 'vm' },
			],
			default: 'vm',
		});
	});

	it('continue with the operations of each resource', () => {
		const { ofVm, ofJob } = parts();
		expect(ofVm).toEqual({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: ['vm'] } },
			options: [
				{ name: 'Get', value: 'get', action: 'Get things', description: 'Get all things' },
				{
					name: 'Get Many',
					value: 'getAll',
					action: 'Get Many things',
					description: 'Get Many all things',
				},
			],
			default: 'getAll',
		});
		expect(ofJob).toMatchObject({
			displayOptions: { show: { resource: ['job'] } },
			options: [{ value: 'run' }],
			default: 'run',
		});
	});

	it('list the recommended operation first, and keep the default', () => {
		const [, ofChat] = properties([
			{
				value: 'chat',
				name: 'Chat',
				operations: [
					operation('find', 'Find'),
					operation('agent', 'Agent'),
					{ ...operation('ask', 'Ask'), isRecommended: true },
				],
			},
		]);
		expect(ofChat).toMatchObject({
			options: [{ value: 'ask' }, { value: 'agent' }, { value: 'find' }],
			default: 'find',
		});
	});

	it('are shown for their operation, and under their own conditions', () => {
		expect(parts().fields).toEqual([
			{
				...limit,
				displayOptions: {
					show: { resource: ['vm'], operation: ['getAll'], returnAll: [false] },
					hide: { mode: ['all'] },
				},
			},
			{ ...id, displayOptions: { show: { resource: ['vm'], operation: ['get'] } } },
			{ ...id, displayOptions: { show: { resource: ['job'], operation: ['run'] } } },
		]);
		const elsewhere = { ...id, displayOptions: { show: { other: ['x'] } } };
		const only = { value: 'vm', name: 'VM', operations: [operation('get', 'Get', [elsewhere])] };
		expect(properties([only])[2]?.displayOptions).toEqual({
			show: { resource: ['vm'], operation: ['get'], other: ['x'] },
		});
	});

	it.each<[string, Operation['fields'], string[]]>([
		['above the options', [limit, options], ['limit', 'simplify', 'output', 'fields', 'options']],
		['at the end where there are none', [limit], ['limit', 'simplify', 'output', 'fields']],
	])('have what simplifies a large output %s', (_, own, names) => {
		const large = item({ id: 'number' }, { always: ['id'], also: [] });
		const vm = { value: 'vm', name: 'VM', operations: [operation('get', 'Get', own)] };
		const [, , ...shown] = properties([vm], { vm: { get: large } });
		expect(shown.map(({ name }) => name)).toEqual(names);
	});
});

it('an operation is found by both names', () => {
	expect(findOperation(resources, 'vm', 'get')?.name).toBe('Get');
	expect(findOperation(resources, 'job', 'run')?.name).toBe('Run');
	expect(findOperation(resources, 'job', 'get')).toBeUndefined();
	expect(findOperation(resources, 'other', 'get')).toBeUndefined();
});

it('an item may bring a file', () => {
	const file = new FileItem({ a: 1 }, { data: { data: '', mimeType: 'text/plain' } });
	expect(file).toMatchObject({ json: { a: 1 }, binary: { data: { mimeType: 'text/plain' } } });
});
