import { publicAddress } from '../shared/http/credentials';
import { exchange } from '../shared/http/exchange';
import type { RequestContext } from '../shared/http/request';

/** A server that is up answers a health check at once. */
const DEADLINE_MS = 10_000;

/**
 * The public URL that a service shows; no source names its form, so one without a scheme is one of HTTPS.
 * @returns undefined where it shows none (yet)
 */
export function publicUrlIn(shown: unknown): string | undefined {
	const text = typeof shown === 'string' ? shown.trim() : '';
	const url = /^[a-z0-9.-]+\.[a-z]+(:\d+)?(\/|$)/i.test(text) ? `https://${text}` : text;
	return /^https?:\/\/[^/]/i.test(url) && URL.canParse(url) ? url : undefined;
}

/**
 * Asks a public URL once, without any credential; redirects are not followed.
 * @param path of the health check, with its leading slash
 * @returns undefined where it answers with a status of 200 to 399, or in words what it does instead
 */
export async function problemAt(
	context: RequestContext,
	publicUrl: string,
	path: string,
): Promise<string | undefined> {
	const { origin, pathname, search } = new URL(publicUrl);
	const query = path.includes('?') ? '' : search;
	const url = `${origin}${pathname.replace(/\/+$/, '')}${path}${query}`;
	const head = await exchange(context.functions, publicAddress(publicUrl), {
		method: 'GET',
		url,
		headers: { Accept: '*/*' },
		signal: context.signal,
		deadlineMs: DEADLINE_MS,
	});
	if ('kind' in head) return `${url} does not answer${'reason' in head ? `: ${head.reason}` : ''}`;
	head.body.destroy();
	return head.status >= 200 && head.status < 400 ? undefined : `${url} answers with ${head.status}`;
}
