import type { IDataObject, IHttpRequestMethods, INodeProperties, NodeApiError } from 'n8n-workflow';
import { limitFields, readLimit } from '../shared/fields';
import type { Operation } from '../shared/operation/operation';
import { requestObject } from '../shared/http/request';
import type { Parameters } from '../shared/operation/parameters';
import { optionsField, snakeCase } from '../shared/operation/option';
import { writeOnce } from '../shared/operation/sendOnce';
import { isListed, type Listing } from '../intelligence/retrieval/absence';
import { itemOf } from '../intelligence/retrieval/envelope';
import { extraBody, withExtraBody } from '../intelligence/retrieval/extraBody';
import {
	collectionIdOf,
	readCollection,
	type CollectionReference,
} from '../intelligence/retrieval/collections';
import { collectionIdField } from '../intelligence/retrieval/fields';
import { RAG } from '../intelligence/retrieval/paths';
import { listResults, type ResultList } from '../intelligence/retrieval/list';
import type { OperationContext } from '../shared/operation/context';
import { destroy, type DeletePath, type Ids } from './deletion';

/**
 * One endpoint of beyond-the-spec.md section 6. Most of them are alike, so their operations are made from such rows: a list, one
 * entry, a deletion or another write.
 */
interface Endpoint {
	/** Below the prefix of retrieval: `/collections/{collectionId}`, with the names of the `ids` fields. */
	path: string;
	/** The fields whose values fill the path. */
	ids?: INodeProperties[];
	/** The texts of the operation, where they differ from the usual ones. */
	value?: string;
	name?: string;
	action?: string;
	description?: string;
	method?: IHttpRequestMethods;
}

/** Writes that bill nothing may run at once, as reads do. */
export const CONCURRENT_WRITES = 5;

/** As the form gives them: a collection may have its name. */
type References = Record<string, CollectionReference>;

/**
 * `GET` of a list: one item for each entry.
 * @param things what the list contains, in the plural and without an article: `chunks of a document`
 */
export function getMany(
	things: string,
	endpoint: Endpoint & Pick<ResultList, 'entries' | 'isNewestLast'>,
): Operation<{ references: References; limit?: number }> {
	return {
		...named(
			endpoint,
			'getAll',
			'Get Many',
			`Get many ${things.replace(/ an? /g, ' ')}`,
			`Retrieve a list of ${things}`,
		),
		effect: 'read',
		fields: [...(endpoint.ids ?? []), ...limitFields],
		input: (parameters) => ({
			references: readIds(parameters, endpoint),
			limit: readLimit(parameters),
		}),
		async run(context, { references, limit }) {
			const params = await idsOf(context, references);
			return await listResults(context, { ...endpoint, params }, limit);
		},
	};
}

/**
 * `GET` of one thing: its `results` as one item.
 * @param thing its name without an article: `chunk`
 * @param shape what becomes of it in the output
 */
export function getOne(
	thing: string,
	endpoint: Endpoint,
	shape = (item: IDataObject): IDataObject => item,
): Operation<{ references: References }> {
	return {
		...named(endpoint, 'get', 'Get', `Get ${thing}`, `Retrieve one ${thing}`),
		effect: 'read',
		fields: endpoint.ids ?? [],
		input: (parameters) => ({ references: readIds(parameters, endpoint) }),
		run: async (context, { references }) => [
			shape(
				itemOf(
					await requestObject(context, {
						method: endpoint.method ?? 'GET',
						path: `${RAG}${endpoint.path}`,
						params: await idsOf(context, references),
						retry: 'idempotent',
					}),
				),
			),
		],
	};
}

/** `DELETE` of one thing. It is idempotent: a thing that is shown to be gone counts as deleted, and what still shows does not. */
export function remove(
	thing: string,
	endpoint: Endpoint & DeletePath,
): Operation<{ references: References }> {
	return {
		...named(endpoint, 'delete', 'Delete', `Delete ${thing}`, `Permanently delete one ${thing}`),
		effect: 'write',
		concurrency: CONCURRENT_WRITES,
		fields: endpoint.ids ?? [],
		input: (parameters) => ({ references: readIds(parameters, endpoint) }),
		async run(context, { references }) {
			const ids = await idsOf(context, references);
			return [{ ...(await destroy(context, endpoint, ids)), ...inSnakeCase(ids) }];
		},
	};
}

interface WriteEndpoint extends Endpoint {
	value: string;
	name: string;
	action: string;
	description: string;
	fields?: INodeProperties[];
	/** The JSON body; keys that are undefined are not sent. */
	body?(parameters: Parameters): IDataObject;
	/** What the output says after a 409 where a list shows that the service has it already. */
	ifThere?: { item: IDataObject; listing: (ids: Ids) => Listing };
}

/** A write that is not idempotent: sent at most once for each item. */
export function write(
	endpoint: WriteEndpoint,
): Operation<{ references: References; body?: IDataObject }> {
	return {
		...named(endpoint, endpoint.value, endpoint.name, endpoint.action, endpoint.description),
		effect: 'write',
		fields: [...(endpoint.ids ?? []), ...(endpoint.fields ?? []), optionsField([extraBody])],
		input(parameters) {
			const body = withExtraBody(endpoint.body?.(parameters) ?? {}, parameters.group('options'));
			const isEmpty = !endpoint.body && Object.keys(body).length === 0;
			return { references: readIds(parameters, endpoint), body: isEmpty ? undefined : body };
		},
		async run(context, { references, body }) {
			const ids = await idsOf(context, references);
			const spec = {
				method: endpoint.method ?? ('POST' as const),
				path: `${RAG}${endpoint.path}`,
				params: ids,
				body,
			};
			const written = await writeOnce(context, spec, endpoint.action).catch(
				async (error: NodeApiError) => {
					const { ifThere } = endpoint;
					if (error.httpCode !== '409' || !ifThere) throw error;
					// It may as well be locked, or not be ingested yet
					if (!(await isListed(context, ifThere.listing(ids)).catch(() => false))) throw error;
					return ifThere.item;
				},
			);
			return [{ ...inSnakeCase(ids), ...itemOf(written) }];
		},
	};
}

function named(
	endpoint: Endpoint,
	value: string,
	name: string,
	action: string,
	description: string,
) {
	return {
		value: endpoint.value ?? value,
		name: endpoint.name ?? name,
		action: endpoint.action ?? action,
		description: endpoint.description ?? description,
	};
}

function readIds(parameters: Parameters, endpoint: Endpoint): References {
	return Object.fromEntries(
		(endpoint.ids ?? []).map(({ name }) => [
			name,
			name === collectionIdField.name ? readCollection(parameters, name) : parameters.pathId(name),
		]),
	);
}

async function idsOf(context: OperationContext, references: References): Promise<Ids> {
	const ids: Ids = {};
	for (const [name, reference] of Object.entries(references))
		ids[name] = await collectionIdOf(context, reference);
	return ids;
}

/** `{collectionId: 'x'}` is `{collection_id: 'x'}` in the output, as the service writes it. */
function inSnakeCase(ids: Ids): IDataObject {
	return Object.fromEntries(Object.entries(ids).map(([name, id]) => [snakeCase(name), id]));
}
