import type { IDataObject, IHttpRequestMethods, INodeProperties } from 'n8n-workflow';
import { isPage } from '../shared/http/errors';
import type { Call } from '../shared/operation/execute';
import { limitFields, readLimit } from '../shared/fields';
import type { Operation } from '../shared/operation/operation';
import { listOffsets, type OffsetList } from '../shared/http/pagination';
import { failure, isSuccess, requestObject, send } from '../shared/http/request';
import type { Form } from '../shared/operation/parameters';
import { writeOnce } from '../shared/operation/write';
import { itemOf, RAG } from './envelope';

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
		input: (form) => ({ ids: readIds(form, row), limit: readLimit(form) }),
		run: async (call, { ids, limit }) =>
			await listOffsets(
				call,
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
		input: (form) => ({ ids: readIds(form, row) }),
		run: async (call, { ids }) => [
			itemOf(
				await requestObject(call, {
					method: row.method ?? 'GET',
					path: `${RAG}${row.path}`,
					params: ids,
					retry: 'read',
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
		atOnce: WRITES_AT_ONCE,
		fields: row.ids ?? [],
		input: (form) => ({ ids: readIds(form, row) }),
		run: async (call, { ids }) => [
			{ deleted: true, ...inSnakeCase(ids), already_gone: await destroy(call, row.path, ids) },
		],
	};
}

/** Deletes one thing; true where it was gone already. */
export async function destroy(call: Call, path: string, ids: Ids): Promise<boolean> {
	const outcome = await send(call, {
		method: 'DELETE',
		path: `${RAG}${path}`,
		params: ids,
		retry: 'destroy',
	});
	const isGone = outcome.kind === 'answer' && outcome.status === 404;
	if (
		!isGone &&
		(outcome.kind !== 'answer' ||
			!isSuccess(outcome.status) ||
			isPage(outcome.contentType, outcome.text))
	)
		throw failure(call, outcome);
	return isGone;
}

interface WriteRow extends Row {
	value: string;
	name: string;
	action: string;
	description: string;
	fields?: INodeProperties[];
	/** The JSON body; keys that are undefined are not sent. */
	body?(form: Form): IDataObject;
}

/** A write that cannot be repeated safely: sent at most once for each item. */
export function write(row: WriteRow): Operation<{ ids: Ids; body?: IDataObject }> {
	return {
		...named(row, row.value, row.name, row.action, row.description),
		effect: 'write',
		fields: [...(row.ids ?? []), ...(row.fields ?? [])],
		input: (form) => ({ ids: readIds(form, row), body: row.body?.(form) }),
		async run(call, { ids, body }) {
			const spec = {
				method: row.method ?? ('POST' as const),
				path: `${RAG}${row.path}`,
				params: ids,
				body,
			};
			return [{ ...inSnakeCase(ids), ...itemOf(await writeOnce(call, spec, row.action)) }];
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

function readIds(form: Form, row: Row): Ids {
	return Object.fromEntries((row.ids ?? []).map(({ name }) => [name, form.pathId(name)]));
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
