import type { IDataObject } from 'n8n-workflow';
import type { Parameters } from '../shared/operation/parameters';

/** The metadata of a form: its JSON, and the rows of keys and values over it. */
export function readMetadata(parameters: Parameters): IDataObject | undefined {
	const metadata = parameters.has('metadataJson') ? parameters.object('metadataJson') : {};
	const rows = parameters.has('metadata')
		? parameters
				.rows('metadata', 'values')
				.map((row) => [row.text('key'), row.scalar('value')] as const)
		: [];
	const whole = { ...metadata, ...Object.fromEntries(rows) };
	return Object.keys(whole).length > 0 ? whole : undefined;
}
