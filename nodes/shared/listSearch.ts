import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { openAccount, type CredentialChoices } from './http/credentials';
import type { RequestContext } from './http/request';

/**
 * What a list search needs to send requests.
 * @param credentials those that the node takes
 * @throws the error of a credential that is missing or not valid
 */
export async function openApi(
	functions: ILoadOptionsFunctions,
	credentials: CredentialChoices,
): Promise<RequestContext> {
	return { functions, account: await openAccount(functions, credentials) };
}

/** The rows whose name and ID contain every word of the search text, in any order and case; all rows without a text. */
export function filterRows(rows: INodeListSearchItems[], filter = ''): INodeListSearchResult {
	const words = filter.toLowerCase().split(/\s+/);
	const results = rows.filter(({ name, value }) => {
		const text = `${name} ${String(value)}`.toLowerCase();
		return words.every((word) => text.includes(word));
	});
	return { results: results.map(({ name, value }) => ({ name, value })) };
}
