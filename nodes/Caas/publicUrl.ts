import { publicAddress } from '../shared/http/credentials';
import { exchange } from '../shared/http/exchange';
import type { RequestContext } from '../shared/http/request';

/** A server that is up answers a health check at once. */
const DEADLINE_MS = 10_000;

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
	const url = `${publicUrl.replace(/\/+$/, '')}${path}`;
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
