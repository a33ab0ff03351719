import type { FastifyInstance, FastifyRequest } from 'fastify';
import { param } from '../../core/http.mts';
import { stableUuid } from '../../core/ids.mts';
import type { Service } from '../../core/service.mts';
import type { Collection } from '../library.mts';
import { existing, iso, listed, message, success } from '../rag-http.mts';

/** How many names of a collection become entities. */
const MOST_ENTITIES = 20;

/** Graphs, one per collection: names in its documents are entities, names in the same chunk are related (beyond-the-spec.md section 6, "Graphs"). */
export function graphRoutes(app: FastifyInstance, { library }: Service): void {
	const collectionOf = (request: FastifyRequest) =>
		existing(library.collections, param(request, 'collection_id'), 'Graph');
	const textsOf = (collection: Collection) =>
		library.pulled.has(collection.id)
			? library
					.searchable()
					.filter(({ collectionIds }) => collectionIds.includes(collection.id))
					.flatMap(({ chunks }) => chunks.map(({ text }) => text))
			: [];
	const namesIn = (text: string) => [
		...new Set(text.match(/(?<=[a-z,] )\p{Lu}[\p{L}\p{N}-]+/gu) ?? []),
	];
	const entitiesOf = (collection: Collection) =>
		[...new Set(textsOf(collection).flatMap(namesIn))].slice(0, MOST_ENTITIES).map((name) => ({
			id: stableUuid(`entity ${collection.id} ${name}`),
			name,
			category: 'name',
			description: null,
		}));
	const relationsOf = (collection: Collection) =>
		textsOf(collection).flatMap((text) => {
			const [subject, ...others] = namesIn(text);
			return others.map((other) => ({
				id: stableUuid(`relation ${subject} ${other}`),
				subject,
				predicate: 'is named with',
				object: other,
			}));
		});
	const communitiesOf = (collection: Collection) =>
		library.communities.has(collection.id)
			? entitiesOf(collection).map(({ name }) => ({
					id: stableUuid(`community ${collection.id} ${name}`),
					name,
					summary: `What the documents say about ${name}`,
				}))
			: [];
	const shown = (collection: Collection) => ({
		id: collection.id,
		collection_id: collection.id,
		name: collection.name,
		status: library.pulled.has(collection.id) ? 'success' : 'pending',
		created_at: iso(collection.createdAt),
		updated_at: iso(collection.createdAt),
	});

	app.get('/graphs', (request) => listed(request, [...library.collections.values()].map(shown)));
	app.get('/graphs/:collection_id', (request) => ({ results: shown(collectionOf(request)) }));
	app.post('/graphs/:collection_id/pull', (request) => {
		library.pulled.add(collectionOf(request).id);
		return success;
	});
	app.post('/graphs/:collection_id/communities/build', (request) => {
		library.communities.add(collectionOf(request).id);
		return message('Community building task queued successfully.');
	});
	app.get('/graphs/:collection_id/entities', (request) =>
		listed(request, entitiesOf(collectionOf(request))),
	);
	app.get('/graphs/:collection_id/relationships', (request) =>
		listed(request, relationsOf(collectionOf(request))),
	);
	app.get('/graphs/:collection_id/communities', (request) =>
		listed(request, communitiesOf(collectionOf(request))),
	);
}
