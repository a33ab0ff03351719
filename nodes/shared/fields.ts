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

/** What one resource locator has of its own. */
export interface Locator {
	displayName: string;
	name: string;
	description: string;
	/** Of the list: `Select a machine...`. */
	placeholder: string;
	/** The node's list search method that fills the list. */
	searchListMethod: string;
	/** Of the ID: `e.g. 12`. */
	idPlaceholder: string;
	/** What the ID is, where the label does not say it. */
	idHint?: string;
	/** Parameters that the list depends on. */
	dependsOn?: string[];
}

/** A field that chooses one thing from a live, searchable list, or by its ID. */
export function locatorField(locator: Locator): INodeProperties {
	return {
		displayName: locator.displayName,
		name: locator.name,
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		description: locator.description,
		...(locator.dependsOn && { typeOptions: { loadOptionsDependsOn: locator.dependsOn } }),
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: locator.placeholder,
				typeOptions: { searchListMethod: locator.searchListMethod, searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder: locator.idPlaceholder, hint: locator.idHint },
		],
	};
}

/** Optional fields stand in the order of their labels (n8n's guidelines), wherever they come from. */
export function sorted<T extends { displayName: string }>(fields: T[]): T[] {
	return [...fields].sort((a, b) => a.displayName.localeCompare(b.displayName));
}

/** The most results to return, or undefined for all. */
export function readLimit(form: Form): number | undefined {
	return form.flag('returnAll') ? undefined : form.integer('limit', { min: 1 });
}
