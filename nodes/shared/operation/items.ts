import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

/** An output item that brings a file. */
export class FileItem {
	constructor(
		readonly json: IDataObject,
		readonly binary: IBinaryKeyData,
	) {}
}

/** An output item: its JSON alone, or with a file. */
export type OutputItem = IDataObject | FileItem;

/**
 * A result of the service as the JSON of an item. n8n's Retry On Fail takes an item with an `error` at its top for a failure
 * and runs, and pays for, the node again: such a word gets another key.
 */
export function asItem(item: IDataObject): IDataObject {
	const { error, ...rest } = item;
	return (error ?? false) === false ? item : { ...rest, service_error: error };
}

/** The JSON of an output item, with or without a file. */
export function jsonOf(item: OutputItem): IDataObject {
	return item instanceof FileItem ? item.json : item;
}
