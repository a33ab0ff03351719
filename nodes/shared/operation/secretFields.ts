import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { show } from '../guards';

export type Field = INodeProperties | INodePropertyCollection | INodePropertyOptions;

/** The fields of a collection, or of a row of one. */
export function childFields(field: Field | undefined): Field[] {
	if (field && 'values' in field) return field.values;
	return field && 'options' in field ? (field.options ?? []) : [];
}

/** Whether a field takes a password, or the names and values of secret variables. */
export function isSecret(field: Field | undefined): boolean {
	if (!field) return false;
	const isPassword = 'typeOptions' in field && field.typeOptions?.password === true;
	return isPassword || field.name.startsWith('secret');
}

/** A wrong value of a field for a message; of one that is secret, or of a collection that has such a field, only what it is. */
export function shownOf(field: Field | undefined, value: unknown): string {
	if (value === null || value === undefined) return show(value);
	if (!isSecret(field) && !childFields(field).some(isSecret)) return show(value);
	const kind = Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value;
	return `a value of type ${kind}, which is not shown`;
}
