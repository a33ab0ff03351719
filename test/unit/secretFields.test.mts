import type { INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { childFields, isSecret, shownOf } from '../../nodes/shared/operation/secretFields.ts';

const field = (name: string, more: Partial<INodeProperties> = {}): INodeProperties => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
	...more,
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
