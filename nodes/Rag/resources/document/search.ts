import type { IDataObject } from 'n8n-workflow';
import { queryField } from '../../../intelligence/retrieval/fields';
import { errorBeside } from '../../../intelligence/retrieval/envelope';
import { RAG } from '../../../intelligence/retrieval/paths';
import { withExtraBody } from '../../../intelligence/retrieval/extraBody';
import { resolveSearch } from '../../../intelligence/retrieval/search';
import { documentsIn } from '../../../intelligence/retrieval/searchResults';
import { readSearch, searchOptions } from '../../../intelligence/retrieval/searchSettings';
import { limitField } from '../../../shared/fields';
import { requestObject } from '../../../shared/http/request';
import type { Operation } from '../../../shared/operation/operation';
import { optionsField } from '../../../shared/operation/option';

/** `POST /documents/search` (beyond-the-spec.md section 9): whole documents, by their summaries and metadata. */
export const search: Operation<{ body: IDataObject; limit: number }> = {
	value: 'search',
	name: 'Search',
	action: 'Search whole documents',
	description:
		'Find the documents that fit a question best, by their summaries. Retrieval > Search finds the passages in them.',
	effect: 'read',
	fields: [queryField, limitField, optionsField(searchOptions)],
	input(parameters) {
		const options = parameters.group('options');
		const limit = parameters.integer('limit', { min: 1, max: 1000 });
		const query = parameters.text('query');
		return { body: withExtraBody({ query, ...readSearch(options, limit) }, options), limit };
	},
	async run(context, { body, limit }) {
		const path = `${RAG}/documents/search`;
		const response = await requestObject(context, {
			method: 'POST',
			path,
			body: await resolveSearch(context, body),
			retry: 'idempotent',
		});
		const found = documentsIn(context, response).slice(0, limit);
		return found.map((one) => ({ ...errorBeside(response), ...one }));
	},
};
