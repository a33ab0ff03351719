import type { Account, N8nFunctions } from './credentials';
import { operationError } from './errors';

/** Fills a path template such as `/v1/{segment}/things/{thing_id}`; values are encoded as path segments. */
export function fillPath(
	context: { functions: N8nFunctions; account: Account; itemIndex?: number },
	path: string,
	params: Record<string, string> = {},
): string {
	const values: Record<string, string | undefined> = { ...context.account.segments, ...params };
	return path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = values[name] ?? '';
		// Encoding leaves these as they are, and the URL would then name another endpoint
		if (value === '' || value === '.' || value === '..') {
			throw operationError(
				context.functions.getNode(),
				`${name} must not be ${value === '' ? 'empty' : `"${value}"`}`,
				{
					itemIndex: context.itemIndex,
				},
			);
		}
		return encodeURIComponent(value);
	});
}
