import type { INodeProperties } from 'n8n-workflow';
import type { Form } from './validate';

/** n8n's standard pair for lists: Return All, or at most Limit. */
export const limitFields: INodeProperties[] = [
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
];

/** Optional fields stand in the order of their labels (n8n's guidelines), wherever they come from. */
export function sorted<T extends { displayName: string }>(fields: T[]): T[] {
	return [...fields].sort((a, b) => a.displayName.localeCompare(b.displayName));
}

/** The most results to return, or undefined for all. */
export function readLimit(form: Form): number | undefined {
	return form.flag('returnAll') ? undefined : form.integer('limit', { min: 1 });
}
