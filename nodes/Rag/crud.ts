import type { IDataObject, IHttpRequestMethods, INodeProperties } from 'n8n-workflow';
import { isPage } from '../shared/http/errors';
import { limitFields, readLimit } from '../shared/fields';
import type { Operation } from '../shared/operation/operation';
import { listOffsets, type OffsetList } from '../shared/http/pagination';
import { replyError, requestObject, send } from '../shared/http/request';
import type { Parameters } from '../shared/operation/parameters';
import { writeOnce } from '../shared/operation/sendOnce';
import { itemOf, RAG } from './envelope';
import type { OperationContext } from '../shared/operation/context';
import { isSuccess } from '../shared/http/reply';

/**
 * Most endpoints of beyond-the-spec.md section 6 are alike: each is one row here, and the four kinds of rows are made
 * into operations below.
 */
interface Row {
	/** Below the prefix of retrieval: `/collections/{collectionId}`, in the names of the `ids` fields. */
	path: string;
	/** The fields whose values fill the path. */
	ids?: INodeProperties[];
	/** n8n's names, where they are not the usual ones of the kind. */
	value?: string;
	name?: string;
	action?: string;
	description?: string;
	method?: IHttpRequestMethods;
}

/** Small writes that cost no machine may run side by side, as reads do. */
export const WRITES_AT_ONCE = 5;

type Ids = Record<string, string>;

/** `GET` of a list: one item for each entry, by offset and limit. */
export function getMany(
	things: string,
	row: Row & { entries?: OffsetList['entries'] },
): Operation<{ ids: Ids; limit?: number }> {
	return {
		...named(row, 'getAll', 'Get Many', `Get many ${things}`, `Retrieve a list of ${things}`),
		effect: 'read',
		fields: [...(row.ids ?? []), ...limitFields],
		input: (parameters) => ({ ids: readIds(parameters, row), limit: readLimit(parameters) }),
		run: async (context, { ids, limit }) =>
			await listOffsets(
				context,
				{ path: `${RAG}${row.path}`, params: ids, entries: row.entries },
				limit,
			),
	};
}

/** `GET` of one thing: its `results` as one item. */
export function getOne(thing: string, row: Row): Operation<{ ids: Ids }> {
	return {
		...named(row, 'get', 'Get', `Get ${withArticle(thing)}`, `Retrieve one ${thing}`),
		effect: 'read',
		fields: row.ids ?? [],
		input: (parameters) => ({ ids: readIds(parameters, row) }),
		run: async (context, { ids }) => [
			itemOf(
				await requestObject(context, {
					method: row.method ?? 'GET',
					path: `${RAG}${row.path}`,
					params: ids,
					retry: 'idempotent',
				}),
			),
		],
	};
}

/** `DELETE` of one thing: idempotent, and gone already is as good as deleted. */
export function remove(thing: string, row: Row): Operation<{ ids: Ids }> {
	return {
		...named(
			row,
			'delete',
			'Delete',
			`Delete ${withArticle(thing)}`,
			`Delete one ${thing} for good`,
		),
		effect: 'write',
		concurrency: WRITES_AT_ONCE,
		fields: row.ids ?? [],
		input: (parameters) => ({ ids: readIds(parameters, row) }),
		run: async (context, { ids }) => [
			{ deleted: true, ...inSnakeCase(ids), already_gone: await destroy(context, row.path, ids) },
		],
	};
}

/** Deletes one thing; true where it was gone already. */
export async function destroy(context: OperationContext, path: string, ids: Ids): Promise<boolean> {
	const reply = await send(context, {
		method: 'DELETE',
		path: `${RAG}${path}`,
		params: ids,
		retry: 'teardown',
	});
	const isGone = reply.kind === 'answer' && reply.status === 404;
	if (
		!isGone &&
		(reply.kind !== 'answer' || !isSuccess(reply.status) || isPage(reply.contentType, reply.text))
	)
		throw replyError(context, reply);
	return isGone;
}

interface WriteRow extends Row {
	value: string;
	name: string;
	action: string;
	description: string;
	fields?: INodeProperties[];
	/** The JSON body; keys that are undefined are not sent. */
	body?(parameters: Parameters): IDataObject;
}

/** A write that cannot be repeated safely: sent at most once for each item. */
export function write(row: WriteRow): Operation<{ ids: Ids; body?: IDataObject }> {
	return {
		...named(row, row.value, row.name, row.action, row.description),
		effect: 'write',
		fields: [...(row.ids ?? []), ...(row.fields ?? [])],
		input: (parameters) => ({ ids: readIds(parameters, row), body: row.body?.(parameters) }),
		async run(context, { ids, body }) {
			const spec = {
				method: row.method ?? ('POST' as const),
				path: `${RAG}${row.path}`,
				params: ids,
				body,
			};
			return [{ ...inSnakeCase(ids), ...itemOf(await writeOnce(context, spec, row.action)) }];
		},
	};
}

function named(row: Row, value: string, name: string, action: string, description: string) {
	return {
		value: row.value ?? value,
		name: row.name ?? name,
		action: row.action ?? action,
		description: row.description ?? description,
	};
}

function readIds(parameters: Parameters, row: Row): Ids {
	return Object.fromEntries((row.ids ?? []).map(({ name }) => [name, parameters.pathId(name)]));
}

/** `{collectionId: 'x'}` is `{collection_id: 'x'}` in the output, as the service writes it. */
function inSnakeCase(ids: Ids): IDataObject {
	return Object.fromEntries(
		Object.entries(ids).map(([name, id]) => [
			name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
			id,
		]),
	);
}

function withArticle(thing: string): string {
	return `${/^[aeio]/.test(thing) ? 'an' : 'a'} ${thing}`;
}
