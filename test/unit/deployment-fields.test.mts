import { expect, it } from 'vitest';
import { namePrefixField, readNamePrefix } from '../../nodes/marketplace/fields.ts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';

const read = (namePrefix?: string) =>
	readNamePrefix(
		formOf({ fields: [namePrefixField] }, { ...(namePrefix !== undefined && { namePrefix }) }),
	);

it('a prefix of names counts with its white space', () => {
	expect(read(' nightly- ')).toBe(' nightly- ');
});

it('a prefix of names that was not added, or is left empty, is none', () => {
	expect(read()).toBeUndefined();
	expect(read('')).toBeUndefined();
});

it('a prefix of white space alone is an error, since it must not find everything', () => {
	expect(message(() => read('  '))).toBe('Name Prefix is required and must not be empty');
});
