import type { IDataObject } from 'n8n-workflow';
import type { Form } from '../shared/operation/parameters';

/** The metadata of a form: its JSON, and the rows of keys and values over it. */
export function readMetadata(form: Form): IDataObject | undefined {
	const metadata = form.has('metadataJson') ? form.object('metadataJson') : {};
	const rows = form.has('metadata')
		? form.rows('metadata', 'values').map((row) => [row.text('key'), row.scalar('value')] as const)
		: [];
	const whole = { ...metadata, ...Object.fromEntries(rows) };
	return Object.keys(whole).length > 0 ? whole : undefined;
}
