import { describe, expect, it } from 'vitest';
import {
	item,
	orNull,
	record,
	schemaOf,
	type Fields,
} from '../../nodes/shared/operation/output.ts';

const FIELDS: Fields = {
	name: 'string',
	size: 'number|null',
	id: 'string|number|null',
	owner: { name: 'string', any: 'object' },
	tags: ['string'],
	ports: [{ from: 'number' }],
	region: orNull({ code: 'string' }),
	hosts: orNull(['string']),
};

describe('the JSON Schema of an item', () => {
	it('of these fields and no others', () => {
		expect(schemaOf(item(FIELDS))).toEqual({
			version: 1,
			type: 'object',
			additionalProperties: false,
			properties: {
				name: { type: 'string' },
				size: { type: ['number', 'null'] },
				id: { type: ['string', 'number', 'null'] },
				owner: {
					type: 'object',
					additionalProperties: false,
					properties: { name: { type: 'string' }, any: { type: 'object' } },
				},
				tags: { type: 'array', items: { type: 'string' } },
				ports: {
					type: 'array',
					items: {
						type: 'object',
						additionalProperties: false,
						properties: { from: { type: 'number' } },
					},
				},
				region: {
					type: ['object', 'null'],
					additionalProperties: false,
					properties: { code: { type: 'string' } },
				},
				hosts: { type: ['array', 'null'], items: { type: 'string' } },
			},
		});
	});

	it('that a record of the service is part of lets it add fields, at each depth', () => {
		expect(
			schemaOf(record({ owner: { name: 'string' }, region: orNull({ code: 'string' }) })),
		).toEqual({
			version: 1,
			type: 'object',
			properties: {
				owner: { type: 'object', properties: { name: { type: 'string' } } },
				region: { type: ['object', 'null'], properties: { code: { type: 'string' } } },
			},
		});
	});
});
