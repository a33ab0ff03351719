import type { IDataObject } from 'n8n-workflow';
import { wordsOf } from '../shared/names';
import { nameOf } from './deployments';

/** Shortest length at which services cut names. */
const SHORTEST_CUT = 20;

/**
 * The entries whose name may be what the service has made of another one: the same, in other case, with other characters between its
 * words as in a host name, or cut at its longest length.
 * @param entries the whole list, since its longest name tells where the service may cut
 * @param match `prefix` also finds names that begin with this one
 */
export function similarlyNamed(
	entries: IDataObject[],
	name: string,
	match: 'exact' | 'prefix' = 'exact',
): IDataObject[] {
	const longest = Math.max(SHORTEST_CUT, ...entries.map((entry) => nameOf(entry)?.length ?? 0));
	const isPrefix = match === 'prefix';
	const wanted = wordsOf(name, isPrefix);
	return entries.filter((entry) => {
		const shown = nameOf(entry) ?? '';
		const other = wordsOf(shown, isPrefix);
		if (isPrefix ? wanted !== '' && other.startsWith(wanted) : other === wanted) return true;
		return shown.length === longest && other !== '' && wanted.startsWith(other);
	});
}
