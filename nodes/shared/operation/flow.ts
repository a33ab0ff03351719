import type { IExecuteFunctions } from 'n8n-workflow';
import { isRecord } from '../guards';

/** Under this key in n8n's flow context, which all nodes of an execution share (not its sub-workflows) and a retry keeps. */
const KEY = 'computeMarketplace';

/**
 * What the nodes of this package keep for one execution; it is saved with the execution, so it holds IDs, names and hashes,
 * and no secrets.
 * @param part the name of a part that has one owner
 */
export function executionStore<T>(
	functions: Pick<IExecuteFunctions, 'getContext'>,
	part: string,
): Record<string, T> {
	const flow = functions.getContext('flow');
	const parts = storeIn(flow, KEY) as Record<string, unknown>;
	return storeIn(parts, part) as Record<string, T>;
}

/** Without a prototype, also after a retry has read it from the database: an ID or a name may be `__proto__`. */
function storeIn(parent: Record<string, unknown>, key: string): object {
	const stored = isRecord(parent[key]) ? parent[key] : {};
	if (Object.getPrototypeOf(stored) === null) return stored;
	return (parent[key] = Object.assign(Object.create(null) as object, stored));
}
