import type { Resource } from '../../shared/operation/operation';
import { collectionIdField } from '../../intelligence/retrieval/fields';
import { getMany, getOne, write } from '../crud';

const ids = [collectionIdField];
const PARTS = ['entities', 'relationships', 'communities'] as const;

/** Knowledge graphs, one for each collection (beyond-the-spec.md section 6 "Graphs"). */
export const graph: Resource = {
	value: 'graph',
	name: 'Graph',
	operations: [
		getMany('graphs', { path: '/graphs' }),
		getOne('graph', { path: '/graphs/{collectionId}', ids }),
		write({
			value: 'pull',
			name: 'Pull',
			action: 'Pull documents into graph',
			description:
				'Add the entities and relationships of the documents in a collection to its graph',
			path: '/graphs/{collectionId}/pull',
			ids,
		}),
		write({
			value: 'buildCommunities',
			name: 'Build Communities',
			action: 'Build communities of graph',
			description:
				'Group the entities of a graph into communities and describe each. The service works in the background.',
			path: '/graphs/{collectionId}/communities/build',
			ids,
		}),
		...PARTS.map((part) =>
			getMany(`${part} of a graph`, {
				path: `/graphs/{collectionId}/${part}`,
				ids,
				value: `get${titled(part)}`,
				name: `Get ${titled(part)}`,
			}),
		),
	],
};

function titled(word: string): string {
	return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
