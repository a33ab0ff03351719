import type { Api } from './request';
import { operationError } from '../operation/parameters';

/** Fills a path template such as `/v1/{service}-explorer/devices/{device_id}`; values are encoded as path segments. */
export function fillPath(api: Api, path: string, params: Record<string, string> = {}): string {
	const values: Record<string, string | undefined> = { ...api.account.segments, ...params };
	return path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = values[name] ?? '';
		// Encoding leaves these as they are, and the URL would then name another endpoint
		if (value === '' || value === '.' || value === '..') {
			throw operationError(
				api.ctx.getNode(),
				`${name} must not be ${value === '' ? 'empty' : `"${value}"`}`,
				{
					itemIndex: api.itemIndex,
				},
			);
		}
		return encodeURIComponent(value);
	});
}
