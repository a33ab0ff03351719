import type { IDataObject } from 'n8n-workflow';
import type { Form } from '../shared/validate';

/** The metadata of a form: its JSON, and the rows of keys and values over it. */
export function readMetadata(form: Form): IDataObject | undefined {
	const metadata = form.has('metadataJson') ? form.object('metadataJson') : {};
	const given = form.has('metadata') ? form.object('metadata') : {};
	// An expression may give the object itself
	const rows = 'values' in given ? form.rows('metadata', 'values').map((row) => [row.text('key'), row.scalar('value')] as const) : Object.entries(given);
	const whole = { ...metadata, ...Object.fromEntries(rows) };
	return Object.keys(whole).length > 0 ? whole : undefined;
}
