import type { INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { item } from '../../nodes/shared/operation/output.ts';
import { properties } from '../../nodes/shared/operation/properties.ts';
import { childFields, isSecret, shownOf } from '../../nodes/shared/operation/secretFields.ts';

const field = (name: string, more: Partial<INodeProperties> = {}): INodeProperties => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
	...more,
});

const operation = (value: string, name: string, fields: INodeProperties[], isRecommended?: true) =>
	({
		value,
		name,
		action: `${name} a VM`,
		description: `${name}s it`,
		fields,
		...(isRecommended && { isRecommended }),
	}) as unknown as Operation;

describe('the form of a node', () => {
	const large = item({ id: 'number' }, { always: ['id'], also: [] });
	const shownElsewhere = field('only', { displayOptions: { show: { other: ['x'] } } });
	const options = field('options', { type: 'collection', default: {} });
	const vm = {
		value: 'vm',
		name: 'VM',
		operations: [
			operation('getAll', 'Get Many', [field('limit'), options]),
			operation('destroy', 'Destroy', [shownElsewhere]),
			operation('deploy', 'Deploy', [], true),
		],
	};
	const job = { value: 'job', name: 'Job', operations: [operation('run', 'Run', [])] };
	const [resource, ofVm, ofJob, ...fields] = properties([vm, job], { vm: { getAll: large } });

	it('begins with the resources, in the order of their names; the first of the code is the default', () => {
		expect(resource).toEqual({
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

	it('goes on with the operations of each resource, the recommended ones first', () => {
		expect(ofVm).toMatchObject({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: ['vm'] } },
			options: [
				{ name: 'Deploy', value: 'deploy', action: 'Deploy a VM', description: 'Deploys it' },
				{ name: 'Destroy', value: 'destroy' },
				{ name: 'Get Many', value: 'getAll' },
			],
			default: 'getAll',
		});
		expect(ofJob).toMatchObject({
			displayOptions: { show: { resource: ['job'] } },
			options: [{ value: 'run' }],
			default: 'run',
		});
	});

	it('ends with the fields of each operation, shown where they belong; what simplifies is above the options', () => {
		expect(fields.map(({ name }) => name)).toEqual([
			'limit',
			'simplify',
			'output',
			'fields',
			'options',
			'only',
		]);
		expect(fields[0]?.displayOptions).toEqual({
			show: { resource: ['vm'], operation: ['getAll'] },
		});
		expect(fields[5]?.displayOptions).toEqual({
			show: { resource: ['vm'], operation: ['destroy'], other: ['x'] },
		});
	});

	it('has what simplifies at its end where there are no options', () => {
		const only = { ...vm, operations: [operation('getAll', 'Get Many', [field('limit')])] };
		const names = properties([only], { vm: { getAll: large } }).map(({ name }) => name);
		expect(names.slice(2)).toEqual(['limit', 'simplify', 'output', 'fields']);
	});
});

describe('a secret field', () => {
	const password = field('token', { typeOptions: { password: true } });
	const shown = field('token', { typeOptions: { password: false } });
	const secretName = field('secretValue');
	const inside = field('options', { type: 'collection', options: [field('name'), password] });
	const row = { displayName: 'Row', name: 'row', values: [secretName] };

	it.each([
		[password, true],
		[shown, false],
		[secretName, true],
		[field('notsecret'), false],
		[inside, false],
		[undefined, false],
	])('%j: %s', (one, expected) => expect(isSecret(one)).toBe(expected));

	it('is looked for among the fields of a collection, and of a row', () => {
		expect(childFields(inside)).toEqual([field('name'), password]);
		expect(childFields(row)).toEqual([secretName]);
		expect([childFields(field('x')), childFields(undefined)]).toEqual([[], []]);
		expect(childFields({ ...inside, options: undefined })).toEqual([]);
	});

	it.each<[string, Parameters<typeof shownOf>[0], unknown, string]>([
		['an open one', field('name'), 'text', '"text"'],
		['one that is not known', undefined, 7, '7'],
		['a text', password, 'key', 'a value of type text, which is not shown'],
		['a number', password, 7, 'a value of type number, which is not shown'],
		['a list', secretName, ['key'], 'a value of type list, which is not shown'],
		['a collection with a secret', inside, { a: 1 }, 'a value of type object, which is not shown'],
		['a row with a secret', row, { a: 1 }, 'a value of type object, which is not shown'],
		['nothing', password, null, 'nothing'],
		['what is missing', password, undefined, 'nothing'],
	])('of %s, a wrong value', (_, one, value, expected) =>
		expect(shownOf(one, value)).toBe(expected),
	);
});
