import type { RequestContext } from './request';
import { operationError } from './errors';

/** Fills a path template such as `/v1/{service}-explorer/devices/{device_id}`; values are encoded as path segments. */
export function fillPath(
	context: RequestContext,
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
