import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../shared/guards';
import { json, readOption, unlessBlank } from '../../shared/operation/option';
import type { Parameters } from '../../shared/operation/parameters';

/** The way out of each form: what the service can do and the form does not show. */
export const extraBody = unlessBlank(
	json({
		displayName: 'Extra Body Fields (JSON)',
		name: 'extraBody',
		placeholder: 'e.g. {"search_settings": {"chunk_settings": {"probes": 20}}}',
		description: 'Further fields of the request. They override those of the form.',
	}),
);

/** Values of the placeholders of a prompt besides `query` and `context`. */
export const promptInputs = unlessBlank(
	json({
		displayName: 'Prompt Inputs (JSON)',
		name: 'promptInputs',
		placeholder: 'e.g. {"tone": "friendly"}',
		description: 'Values for further placeholders of the prompt template',
	}),
);

/** A body with the extra fields of the options: objects are merged, anything else is replaced. */
export function withExtraBody<T extends object>(body: T, options: Parameters): T {
	return merged(body, readOption(options, extraBody)) as T;
}

/** A body with further fields; undefined adds none. */
export function merged(body: object, extra: object = {}): IDataObject {
	const all: IDataObject = { ...body };
	for (const [key, value] of Object.entries(extra) as Array<[string, IDataObject['x']]>) {
		const known = all[key];
		all[key] = isRecord(known) && isRecord(value) ? merged(known, value) : value;
	}
	return all;
}
