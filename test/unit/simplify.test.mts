import type { IExecuteFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { item, type SimplifiableOutput } from '../../nodes/shared/operation/output.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import {
	readSelection,
	select,
	simplifiableOutput,
	simplifyFields,
} from '../../nodes/shared/operation/simplify.ts';
import { message, node } from './parameters-form.mts';

const small = item({ id: 'number' });
const large = item(
	{ id: 'number', name: 'string', status: 'string', region: 'string', zone: 'string' },
	{ always: ['id', 'status'], also: ['name', 'expires_at'] },
) as SimplifiableOutput;
const ALWAYS = ['error', 'service_error', 'hint'];

const operation = (...names: string[]) =>
	({
		fields: names.map((name) => ({ displayName: name, name, type: 'string', default: '' })),
	}) as unknown as Operation;

describe('the fields that simplify an output', () => {
	it('are none where it is small', () => {
		expect(simplifiableOutput({ vm: { get: small } }, 'vm', 'get')).toBeUndefined();
		expect(simplifiableOutput({ vm: { get: large } }, 'vm', 'other')).toBeUndefined();
		expect(simplifiableOutput({ vm: { get: large } }, 'job', 'get')).toBeUndefined();
		expect(simplifiableOutput({ vm: { get: large } }, 'vm', 'get')).toEqual(large);
		expect(simplifyFields(operation(), undefined)).toEqual([]);
	});

	it('are a switch for people, and a mode with fields for agents', () => {
		const [simplify, output, fields] = simplifyFields(operation(), large);
		expect(simplify).toMatchObject({
			name: 'simplify',
			type: 'boolean',
			default: false,
			displayOptions: { show: { '@tool': [false] } },
		});
		expect(output).toMatchObject({
			displayName: 'Output',
			name: 'output',
			default: 'simple',
			options: [{ value: 'raw' }, { value: 'fields' }, { value: 'simple' }],
			displayOptions: { show: { '@tool': [true] } },
		});
		expect(fields).toMatchObject({
			name: 'fields',
			type: 'multiOptions',
			default: [],
			displayOptions: { show: { '@tool': [true], output: ['fields'] } },
			description: 'What is returned besides id, status and warnings',
		});
		const names = fields?.options?.map((option) => 'value' in option && option.value);
		expect(names).toEqual(['expires_at', 'id', 'name', 'region', 'status', 'zone']);
	});

	it('have another name where an operation has an Output of its own', () => {
		const [, output, fields] = simplifyFields(operation('output'), large);
		expect(output).toMatchObject({ displayName: 'Output Fields', name: 'outputFields' });
		expect(fields?.displayOptions?.show).toHaveProperty('outputFields');
	});
});

describe('the selection', () => {
	/** Of a form with these values. */
	const selection = (values: object, isTool: boolean, of = operation()) => {
		const functions = {
			isToolExecution: () => isTool,
			getNode: () => node,
		} as unknown as IExecuteFunctions;
		const fields = [...of.fields, ...simplifyFields(of, large)];
		const read = (name: string) => ({ ...values })[name as never] ?? '';
		const parameters = new Parameters(node, 0, fields, read);
		return readSelection(functions, parameters, of, large);
	};
	const SIMPLE = ['id', 'status', 'name', 'expires_at', ...ALWAYS];

	it.each<[object, boolean, string[] | undefined]>([
		[{ simplify: true }, false, SIMPLE],
		[{ simplify: false }, false, undefined],
		[{}, false, undefined],
		[{ simplify: false, output: 'simple' }, false, undefined],
		[{ output: 'simple' }, true, SIMPLE],
		[{ output: 'raw' }, true, undefined],
		[{ simplify: false }, true, SIMPLE],
		[
			{ output: 'fields', fields: ['zone', 'name'] },
			true,
			['id', 'status', 'zone', 'name', ...ALWAYS],
		],
		[{ output: 'fields', fields: [] }, true, ['id', 'status', ...ALWAYS]],
	])('of %j, as a tool: %s', (values, isTool, expected) =>
		expect(selection(values, isTool)).toEqual(expected),
	);

	it('is none where the output is small', () => {
		const read = new Parameters(node, 0, [], () => true);
		expect(readSelection({} as IExecuteFunctions, read, operation(), undefined)).toBeUndefined();
	});

	it('is that of the other name where there is one', () => {
		const own = operation('output');
		expect(selection({ output: 'raw', outputFields: 'simple' }, true, own)).toEqual(SIMPLE);
		expect(selection({ output: 'simple', outputFields: 'raw' }, true, own)).toBeUndefined();
	});

	it('names a field that there is not', () => {
		expect(message(() => selection({ output: 'fields', fields: ['name', 'x'] }, true))).toBe(
			'Fields must be some of id, name, status, region, zone, expires_at, got "x"',
		);
	});
});

describe('what is selected', () => {
	it.each<[object, string[] | undefined, object]>([
		[{ a: 1, b: 2 }, undefined, { a: 1, b: 2 }],
		[{ a: 1, b: 2 }, ['b'], { b: 2 }],
		[{ a: 1, b: undefined }, ['b', 'c'], { b: undefined }],
		[{ a: 1, b: 2 }, ['c', 'toString'], { a: 1, b: 2 }],
		[{ a: 1, b: 2 }, [], { a: 1, b: 2 }],
	])('of %j by %j', (json, names, expected) =>
		expect(select(json as never, names)).toStrictEqual(expected),
	);
});
