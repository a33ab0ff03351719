import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileItem, rag, RETRY } from '../../engine/nodes.mts';
import { useStage } from '../intelligence2/play.mts';
import { hangUp, json, type Answer } from '../intelligence2/service.mts';
import { Documents } from '../intelligence2/store.mts';

const stage = useStage();
let documents: Documents;
beforeEach(() => (documents = new Documents(stage.service).serve()));
const UPLOAD = /^POST \/api\/rag\/v3\/documents$/;
const uploads = () => stage.service.asked(UPLOAD).length;
const upload = (options: IDataObject = {}) =>
	rag(
		'document',
		'create',
		{ source: 'file', binaryPropertyName: 'data', additionalFields: {}, options },
		RETRY,
	);
const text = rag(
	'document',
	'create',
	{ source: 'rawText', rawText: 'Hello', additionalFields: {}, options: {} },
	RETRY,
);
/** The service stores a document under an ID and a name of its own, and the answer is lost. */
const stores =
	(title: string, content: string): Answer =>
	(response, heard, nth) => {
		documents.add(`own-${documents.all.size}`, {}, content).title = title;
		return hangUp(response, heard, nth);
	};

describe('an upload whose answer is lost', () => {
	it.each([
		['in other case', 'report.PDF'],
		['without its extension', 'Report'],
		['with the number of a copy', 'Report (1).pdf'],
		['with other characters', 'report_pdf'],
		['in a folder', 'uploads/Report.pdf'],
	])('a document with its content and its name %s may be it: sent once', async (_, title) => {
		stage.service.when(UPLOAD, stores(title, 'content'));
		const { items, words } = await stage.run(upload(), [fileItem('Report.pdf', 'content')]);
		expect(items).toEqual([]);
		expect(words).toMatch(/outcome unknown/);
		expect(words).toMatch(/own-0, which has its name or a similar one/);
		expect(uploads()).toBe(1);
	});

	it('a name that was cut may be its own', async () => {
		const name = `${'long name '.repeat(10)}.pdf`;
		stage.service.when(UPLOAD, stores(name.slice(0, 60), 'content'));
		const { words } = await stage.run(upload(), [fileItem(name, 'content')]);
		expect(words).toMatch(/outcome unknown/);
		expect(uploads()).toBe(1);
	});

	it('a document with its name and its content is it', async () => {
		stage.service.when(UPLOAD, stores('Report.pdf', 'content'));
		const { items } = await stage.run(upload(), [fileItem('Report.pdf', 'content')]);
		expect(items).toMatchObject([{ document_id: 'own-0', recovered: true }]);
		expect(uploads()).toBe(1);
	});

	it.each([
		['a similar name, but another content', 'report.pdf', 'other'],
		['its content, but a name of its own', 'Manual.pdf', 'content'],
	])('a document with %s is none: sent again', async (_, title, content) => {
		documents.add('theirs', {}, content).title = title;
		stage.service.inTurn(UPLOAD, hangUp, documents.upload);
		const { items } = await stage.run(upload(), [fileItem('Report.pdf', 'content')]);
		expect(items).toHaveLength(1);
		expect(uploads()).toBe(2);
	});

	it('a text without a name: a document with another name may be it', async () => {
		stage.service.when(UPLOAD, stores('greeting.txt', 'Hello'));
		expect((await stage.run(text)).words).toMatch(/outcome unknown/);
		expect(uploads()).toBe(1);
	});

	it.each(['N/A', 'Hello', ''])('a text without a name: one called %j is it', async (title) => {
		stage.service.when(UPLOAD, stores(title, 'Hello'));
		expect((await stage.run(text)).items).toMatchObject([{ document_id: 'own-0' }]);
	});

	it('its ID in the list is it, where the details are not found', async () => {
		stage.service.when(UPLOAD, (response, heard, nth) => {
			documents.take(heard);
			return hangUp(response, heard, nth);
		});
		stage.service.when(/^GET .*documents\/[^/]+$/, json({ detail: 'Not Found' }, 404));
		const { items } = await stage.run(text);
		expect(items).toMatchObject([{ document_id: documents.only().id, recovered: true }]);
		expect(uploads()).toBe(1);
	});
});

it('an ID of 19 digits that the service gives a document stays exact', async () => {
	stage.service.when(UPLOAD, json('{"results":{"document_id":1234567890123456789}}', 202));
	expect((await stage.run(text)).items).toMatchObject([{ document_id: '1234567890123456789' }]);
});
