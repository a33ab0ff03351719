import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

/** The rows that hold every word of the search text, in their name or their id. */
export function filterRows(rows: INodeListSearchItems[], filter = ''): INodeListSearchResult {
	const words = filter.toLowerCase().split(/\s+/);
	const results = rows.filter(({ name, value }) => {
		const text = `${name} ${String(value)}`.toLowerCase();
		return words.every((word) => text.includes(word));
	});
	return { results: results.map(({ name, value }) => ({ name, value })) };
}
