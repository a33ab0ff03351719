import type { IDataObject } from 'n8n-workflow';
import { nameOf } from './deployments';

/** Shortest length at which services cut names. */
const SHORTEST_CUT = 20;

/**
 * The entries whose name may be what the service has made of another one: the same, in other case, or cut at its longest length.
 * @param entries the whole list, since its longest name tells where the service may cut
 * @param match `prefix` also finds names that begin with this one
 */
export function similarlyNamed(
	entries: IDataObject[],
	name: string,
	match: 'exact' | 'prefix' = 'exact',
): IDataObject[] {
	const longest = Math.max(SHORTEST_CUT, ...entries.map((entry) => nameOf(entry)?.length ?? 0));
	const wanted = name.toLowerCase();
	return entries.filter((entry) => {
		const other = nameOf(entry)?.toLowerCase() ?? '';
		const beginning = match === 'prefix' ? other.slice(0, wanted.length) : other;
		return beginning === wanted || (other.length === longest && wanted.startsWith(other));
	});
}
