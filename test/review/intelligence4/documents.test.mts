import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { chat, RETRY, textDocument } from '../../engine/nodes.mts';
import { whole, type Json } from './service.mts';
import { DOCUMENTS, useStage } from './stage.mts';

const stage = useStage();
const UPLOAD = /^POST .*\/documents$/;

const keyed = (text: string, ifExists: string, documentKey = 'key') =>
	textDocument(text, { options: { documentKey, ifExists } });

describe('an engine that chooses the IDs of documents by itself', () => {
	const documents = new Map<string, Json>();
	let made = 0;
	/** Of the fields of a document, these are not shown. */
	let hidden: Json = {};

	beforeEach(() => {
		documents.clear();
		made = 0;
		hidden = {};
		const { service } = stage;
		service.on(UPLOAD, (response, asked, nth) => {
			const field = (name: string) =>
				new RegExp(`name="${name}"(?:\\r?\\n[^\\r\\n]+)*\\r?\\n\\r?\\n([^\\r]*)`).exec(
					asked.text,
				)?.[1];
			const id = `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`;
			documents.set(id, {
				id,
				title: 'N/A',
				text: field('raw_text'),
				metadata: JSON.parse(field('metadata') ?? '{}') as Json,
				ingestion_status: 'success',
				created_at: `2026-01-01T00:00:${String(made).padStart(2, '0')}Z`,
			});
			whole({ results: { message: 'ok', document_id: id } }, 202)(response, asked, nth);
		});
		service.on(DOCUMENTS, (response, asked, nth) => {
			const results = [...documents.values()].map((one) => ({ ...one, ...hidden }));
			whole({ results, total_entries: results.length })(response, asked, nth);
		});
		service.on(/^(?:GET|DELETE) .*\/documents\/[^/]+$/, (response, asked, nth) => {
			const id = asked.line.split('/').at(-1) ?? '';
			const document = documents.get(id);
			if (asked.line.startsWith('DELETE')) documents.delete(id);
			const body = document ? { results: { ...document, ...hidden } } : { message: 'no' };
			whole(body, document ? 200 : 404)(response, asked, nth);
		});
	});
	const texts = () => [...documents.values()].map(({ text }) => text);

	it('has one version after each replacement', async () => {
		await stage.run(keyed('other', 'replace', 'another key'));
		for (const [text, ifExists] of [
			['one', 'replace'],
			['two', 'replaceIfChanged'],
			['two', 'replaceIfChanged'],
			['three', 'replace'],
		] as const) {
			const { items, message } = await stage.run(keyed(text, ifExists));
			expect(message).toBe('');
			expect(texts()).toEqual(['other', text]);
			expect(documents.has(String(items[0]?.document_id))).toBe(true);
		}
	});

	it('keeps a version of which it is not known that it is earlier', async () => {
		hidden = { created_at: undefined };
		await stage.run(keyed('one', 'replace'));
		await stage.run(keyed('two', 'replace'));
		expect(texts()).toEqual(['one', 'two']);
	});

	it('is asked for one upload where its list fails, and the error names the document', async () => {
		stage.service.on(DOCUMENTS, whole({ detail: 'no' }, 403));
		const { message, known } = await stage.run({ ...keyed('one', 'replace'), ...RETRY });
		expect(message).toContain('it cannot be told what it replaces');
		expect(known).toMatchObject({ document_id: '00000000-0000-4000-8000-000000000001' });
		expect(stage.service.of(UPLOAD)).toHaveLength(1);
	});
});

it('all pages of the models are read where only their number is said', async () => {
	stage.service.on(/^GET .*\/models$/, (response, asked, nth) => {
		const page = Number(asked.query.get('page') ?? 1);
		const data = [0, 1].map((one) => ({ model_id: `m${page}${one}`, name: `m${page}${one}` }));
		whole({ data, pagination: { page, page_size: 2, total_pages: 3 } })(response, asked, nth);
	});
	const { items } = await stage.run(chat('model', 'getAll', { returnAll: true }));
	expect(items.map(({ name }: IDataObject) => name)).toEqual([
		'm10',
		'm11',
		'm20',
		'm21',
		'm30',
		'm31',
	]);
});
