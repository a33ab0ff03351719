import type { IDataObject } from 'n8n-workflow';

/**
 * A result as the JSON of an item. n8n's Retry On Fail takes an item with an `error` at its top for a failure and runs, and
 * bills, the node again: such a result stands under a name.
 */
export function asItem(result: IDataObject, name: string): IDataObject {
	return (result.error ?? false) === false ? result : { [name]: result };
}
