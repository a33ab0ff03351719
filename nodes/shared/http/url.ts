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

/**
 * Checks the Base URL of a credential. The value itself stays out of the messages: someone may have pasted a key or a password into it.
 * @returns it without a slash at its end
 * @throws what is wrong with it
 */
export function checkedBaseUrl(functions: N8nFunctions, value: unknown): string {
	const fail = (problem: string): never => {
		throw operationError(functions.getNode(), `Base URL in the credential ${problem}`, {
			description:
				'It looks like https://api.example.com, without a path of the API and without a key.',
		});
	};
	const text = typeof value === 'string' ? value.trim() : '';
	if (text === '') fail('is required and must not be empty');
	const url = URL.canParse(text)
		? new URL(text)
		: fail('must be a full address that starts with https:// or http://');
	if (url.protocol !== 'https:' && url.protocol !== 'http:')
		fail('must start with https:// or http://');
	if (url.username !== '' || url.password !== '')
		fail('must not contain a user name or a password');
	if (url.search !== '' || url.hash !== '') fail('must not contain a query (?) or a fragment (#)');
	return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/**
 * Checks a setting of a credential that becomes a part of each path.
 * @param label of its field
 * @throws where it is anything but one part
 */
export function checkedSegment(functions: N8nFunctions, label: string, value: unknown): string {
	const text = typeof value === 'string' ? value.trim() : '';
	if (!/^[A-Za-z0-9._~-]+$/.test(text) || /^\.+$/.test(text)) {
		throw operationError(
			functions.getNode(),
			`${label} in the credential must be a single URL path segment: letters, digits and . _ ~ -`,
		);
	}
	return text;
}
