import type { IDataObject } from 'n8n-workflow';
import { cutLength, likeName } from '../shared/names';
import { nameOf } from './deployments';

/**
 * The entries whose name may be what the service has made of another one ({@link likeName}).
 * @param entries the whole list, since its longest name tells where the service may cut
 * @param match `prefix` also finds names that begin with this one
 */
export function similarlyNamed(
	entries: IDataObject[],
	name: string,
	match?: 'exact' | 'prefix',
): IDataObject[] {
	const names = entries.map((entry) => nameOf(entry) ?? '');
	const isLike = likeName(name, cutLength(names), match);
	return entries.filter((_, index) => isLike(names[index]!));
}
