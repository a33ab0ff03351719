import type { IDataObject } from 'n8n-workflow';
import type { Operation, Resource } from '../../shared/operation/operation';
import { request } from '../../shared/http/request';
import { optionsField } from '../../shared/operation/option';
import { withExtraBody } from '../../intelligence/retrieval/extraBody';
import { errorBeside } from '../../intelligence/retrieval/envelope';
import { RAG } from '../../intelligence/retrieval/paths';
import { resolveSearch } from '../../intelligence/retrieval/search';
import { chunksIn } from '../../intelligence/retrieval/searchResults';
import {
	chunkIdField,
	queryField,
	textField,
	topKField,
} from '../../intelligence/retrieval/fields';
import { metadataFields, readMetadata } from '../metadata';
import { readSearch, readTopK, settingOptions } from '../../intelligence/retrieval/searchSettings';
import { getMany, getOne, remove, write } from '../crud';

const ids = [chunkIdField];

/** `POST /chunks/search`: a retrieval search without a mode. The results are the chunks themselves, or as in a retrieval search. */
const search: Operation<{ query: string; body: IDataObject }> = {
	value: 'search',
	name: 'Search',
	action: 'Search chunks',
	description: 'Find the chunks that match a question best',
	effect: 'read',
	fields: [queryField, topKField, optionsField(settingOptions)],
	input(parameters) {
		const query = parameters.text('query');
		const options = parameters.group('options');
		return {
			query,
			body: withExtraBody(
				{ query, search_settings: readSearch(options, readTopK(parameters)).search_settings },
				options,
			),
		};
	},
	async run(context, { body }) {
		const response = await request(context, {
			method: 'POST',
			path: `${RAG}/chunks/search`,
			body: await resolveSearch(context, body),
			retry: 'idempotent',
		});
		return chunksIn(context, response).map((one) => ({ ...errorBeside(response), ...one }));
	},
};

/** Chunks (beyond-the-spec.md section 6 "Chunks"). */
export const chunk: Resource = {
	value: 'chunk',
	name: 'Chunk',
	operations: [
		getMany('chunks', { path: '/chunks' }),
		search,
		getOne('chunk', { path: '/chunks/{chunkId}', ids }),
		remove('chunk', { path: '/chunks/{chunkId}', ids, hasDetails: true }),
		write({
			value: 'update',
			name: 'Update',
			action: 'Update chunk',
			description: 'Change the text or the metadata of one chunk. The service embeds it again.',
			path: '/chunks/{chunkId}',
			ids,
			fields: [
				textField('Text', 'text', 'New text of the chunk', {
					required: true,
					placeholder: 'e.g. After the first hour the exact time is charged.',
					typeOptions: { rows: 4 },
				}),
				...metadataFields,
			],
			body: (parameters) => ({
				id: parameters.pathId('chunkId'),
				text: parameters.text('text', { trim: false }),
				metadata: readMetadata(parameters),
			}),
		}),
	],
};
