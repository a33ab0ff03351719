import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { CONTINUE, fileItem, rag, RETRY } from '../../engine/nodes.mts';
import { useStage } from './play.mts';
import { hangUp, json, type Answer } from './service.mts';
import { Documents, partsOf } from './store.mts';

const stage = useStage();
let documents: Documents;
beforeEach(() => (documents = new Documents(stage.service).serve()));
const UPLOAD = /^POST \/api\/rag\/v3\/documents$/;
const text = (options: IDataObject = {}, additionalFields: IDataObject = {}, settings = {}) =>
	rag(
		'document',
		'create',
		{ source: 'rawText', rawText: '={{ $json.text }}', additionalFields, options },
		settings,
	);
const file = (options: IDataObject = {}, additionalFields: IDataObject = {}, settings = {}) =>
	rag(
		'document',
		'create',
		{ source: 'file', binaryPropertyName: 'data', additionalFields, options },
		settings,
	);
const ITEM = [{ text: 'Hello' }];
const uploads = () => stage.service.asked(UPLOAD).length;
/** What an output says is what the service has. */
const isTrue = ({ document_id: id }: IDataObject) => documents.all.has(String(id));

describe('an upload is there once, whatever is said of it', () => {
	const done =
		(answer: Answer): Answer =>
		(response, heard, nth) => {
			documents.take(heard);
			return answer(response, heard, nth);
		};
	it.each<[string, Answer]>([
		['the answer is lost', done(hangUp)],
		['202 without a body', done(json('', 202))],
		['200 with an error', done(json({ error: 'boom' }))],
		['a 500', done(json({ message: 'boom', error_type: 'X' }, 500))],
		['a 504 page', done(json('<html>', 504, { 'content-type': 'text/html' }))],
		['a 409 to the second try of a proxy', done(json({ message: 'Document already exists' }, 409))],
		['a redirect', done(json('', 303, { location: '/login' }))],
		['an answer without an ID', done(json({ results: { message: 'queued' } }, 202))],
	])('done, but %s', async (_, answer) => {
		stage.service.when(UPLOAD, answer);
		const { items, error, details } = await stage.run(text({}, {}, RETRY), ITEM);
		expect(documents.all.size).toBe(1);
		expect(documents.created).toHaveLength(1);
		if (error) expect(JSON.stringify(details)).toContain(documents.only().id);
		else expect(items.every(isTrue)).toBe(true);
	});

	it.each<[string, Answer]>([
		['the answer is lost', hangUp],
		['200 with an error', json({ error: 'boom' })],
		['200 with an error in the envelope', json({ results: { error: 'boom' } })],
		[
			'a login page',
			json('<html><title>Login</title></html>', 200, { 'content-type': 'text/html' }),
		],
		['a 500', json({ detail: 'boom' }, 500)],
	])('not done, and %s: no claim that it is', async (_, answer) => {
		stage.service.when(UPLOAD, answer);
		const { items, error } = await stage.run(text(), ITEM);
		expect(items).toEqual([]);
		expect(error).toBeDefined();
		expect(documents.all.size).toBe(0);
	});

	it.each([[409], [413], [400], [422], [415]])(
		'a %i is the error of the service',
		async (status) => {
			stage.service.when(UPLOAD, json({ message: 'no such thing', error_type: 'X' }, status));
			const { words } = await stage.run(text(), ITEM);
			expect(words).toMatch(/no such thing/);
			expect(uploads()).toBe(1);
		},
	);

	it('two runs of one text are one document, and the second one says so', async () => {
		await stage.run(text(), ITEM);
		const again = await stage.run(text(), ITEM);
		expect(again.error?.message).toMatch(/already exists/);
		expect((await stage.run(text({ ifExists: 'skip' }), ITEM)).items[0]).toMatchObject({
			existing: true,
			content_changed: false,
		});
		expect(uploads()).toBe(1);
	});
});

describe('a replacement', () => {
	const key = { identity: 'key', documentKey: 'k' };
	const replace = (ifExists: string, settings = {}) => text({ ifExists, ...key }, {}, settings);
	it('keeps what has not changed, and replaces what has', async () => {
		await stage.run(replace('replaceIfChanged'), ITEM);
		const first = documents.only().id;
		expect((await stage.run(replace('replaceIfChanged'), ITEM)).items[0]).toMatchObject({
			document_id: first,
		});
		expect(uploads()).toBe(1);
		const { items } = await stage.run(replace('replaceIfChanged'), [{ text: 'Hello again' }]);
		expect(documents.all.size).toBe(1);
		expect(documents.only().content.toString()).toBe('Hello again');
		expect(items[0]).toMatchObject({ document_id: documents.only().id, replaced_deleted: first });
		expect(documents.deleted).toEqual([first]);
	});

	it('whose ingestion fails leaves the earlier one', async () => {
		await stage.run(replace('replace'), ITEM);
		const first = documents.only().id;
		stage.service.when(UPLOAD, (response, heard, nth) => {
			documents.upload(response, heard, nth);
			[...documents.all.values()].forEach(
				(one) => (one.status = one.id === first ? 'success' : 'failed'),
			);
		});
		expect((await stage.run(replace('replace'), [{ text: 'new' }])).error?.message).toMatch(
			/could not ingest/,
		);
		expect(documents.all.has(first)).toBe(true);
		expect(documents.deleted).toEqual([]);
	});

	it('whose deletion is answered with 200 and does nothing is not called deleted', async () => {
		await stage.run(replace('replace'), ITEM);
		const first = documents.only().id;
		documents.keepsAll = true;
		const { items, error, words } = await stage.run(replace('replace'), [{ text: 'new' }]);
		expect(documents.all.has(first)).toBe(true);
		expect(items.filter(({ replaced_deleted: gone }) => gone === first)).toEqual([]);
		if (error) expect(words).toMatch(/not deleted|still/);
	});

	it('is one, too, where the service shows no details after the deletion', async () => {
		await stage.run(replace('replace'), ITEM);
		const first = documents.only().id;
		stage.service.when(new RegExp(`^GET .*/documents/${first}$`), (response, heard, nth) =>
			(documents.all.has(first)
				? json({ results: { id: first, ingestion_status: 'success' } })
				: json('', 500))(response, heard, nth),
		);
		const { items } = await stage.run(replace('replace'), [{ text: 'new' }]);
		expect(items[0]).toMatchObject({ replaced_deleted: first });
	});

	it('of a document that somebody else has put there does not touch it', async () => {
		documents.add('11111111-1111-4111-8111-111111111111', {}, 'theirs').title = 'a.txt';
		stage.service.when(
			UPLOAD,
			json({ message: 'Document 11111111-1111-4111-8111-111111111111 already exists' }, 409),
		);
		const { error } = await stage.run(file({ ifExists: 'replace' }), [fileItem('a.txt', 'mine')]);
		expect(error).toBeDefined();
		expect(documents.deleted).toEqual([]);
	});

	it('of two items that are the same document is refused for one of them', async () => {
		const { error, words } = await stage.run(replace('replace'), [{ text: 'a' }, { text: 'b' }]);
		expect(error).toBeDefined();
		expect(words).toMatch(/same document/);
		expect(documents.all.size).toBe(1);
	});
});

describe('what is sent is what was given', () => {
	const names = [
		'a "quoted".txt',
		'line\r\nbreak.txt',
		'😀 日本.txt',
		`${'x'.repeat(296)}.txt`,
		'../../etc/passwd.txt',
		'a;b=c.txt',
		"it's.txt",
		'a%22b.txt',
	];
	it.each(names)('the file name %j', async (name) => {
		const { error } = await stage.run(file(), [fileItem(name, 'content of it')]);
		expect(error?.message).toBeUndefined();
		const heard = stage.service.asked(UPLOAD)[0];
		const part = heard && partsOf(heard).find(({ fileName }) => fileName !== undefined);
		expect(part?.content.toString()).toBe('content of it');
		expect(part?.name).toBe('file');
		const decoded = part?.fileName
			?.replaceAll('%0D', '\r')
			.replaceAll('%0A', '\n')
			.replaceAll('%22', '"');
		expect(decoded).toBe(name.replaceAll('%22', '"'));
		expect(
			heard &&
				partsOf(heard)
					.map((one) => one.name)
					.sort(),
		).toEqual([...new Set(heard && partsOf(heard).map((one) => one.name))].sort());
	});

	it('metadata: nested, Unicode, __proto__, constructor, long numbers', async () => {
		const metadataJson =
			'{"a":{"b":[1,null,{"c":"ü😀"}]},"ключ":"x","__proto__":{"p":1},"constructor":"c","toString":"t","":"blank"}';
		const { error } = await stage.run(text({}, { metadataJson }), ITEM);
		expect(error?.message).toBeUndefined();
		expect(JSON.parse(documents.only().form.get('metadata') ?? '')).toEqual(
			JSON.parse(metadataJson),
		);
		expect(({} as IDataObject).p).toBeUndefined();
	});

	it('bytes that are no text, and the boundary in the content', async () => {
		const bytes = Buffer.concat([
			Buffer.from([0, 255, 13, 10, 45, 45]),
			Buffer.from('\r\n--form-'),
			Buffer.from([254]),
		]);
		await stage.run(file(), [fileItem('a.bin', bytes, 'application/octet-stream')]);
		expect(documents.only().content.equals(bytes)).toBe(true);
	});

	it.each<[string, IDataObject, RegExp]>([
		['an empty text', { text: '' }, /Text/],
		['blanks', { text: ' \n' }, /Text/],
	])('%s is refused', async (_, item, words) => {
		expect((await stage.run(text(), [item])).words).toMatch(words);
		expect(stage.service.heard).toEqual([]);
	});

	it('an empty file is refused', async () => {
		expect((await stage.run(file(), [fileItem('a.txt', '')])).words).toMatch(/empty/);
		expect(stage.service.heard).toEqual([]);
	});

	it('of three items the second is wrong: nothing is sent', async () => {
		expect(
			(await stage.run(text(), [{ text: 'a' }, { text: '' }, { text: 'c' }])).error,
		).toBeDefined();
		expect(uploads()).toBe(0);
	});
});

describe('100 items', () => {
	const many = Array.from({ length: 100 }, (_, n) => ({ text: `text ${n}` }));
	it('item 57 fails: the error names all that was created, and a retry creates only what is left', async () => {
		let isDown = true;
		stage.service.when(UPLOAD, (response, heard, nth) => {
			const raw = partsOf(heard)
				.find(({ name }) => name === 'raw_text')
				?.content.toString();
			if (raw === 'text 57' && isDown) {
				isDown = false;
				return json({ detail: 'bad' }, 400)(response, heard, nth);
			}
			return documents.upload(response, heard, nth);
		});
		const { items } = await stage.run(text({}, {}, RETRY), many);
		expect(items).toHaveLength(100);
		expect(items.every(isTrue)).toBe(true);
		expect(documents.created).toHaveLength(100);
		expect(uploads()).toBe(101);
	});

	it('with Continue the failed one is an item with an error in its place', async () => {
		stage.service.when(UPLOAD, (response, heard, nth) => {
			const raw = partsOf(heard)
				.find(({ name }) => name === 'raw_text')
				?.content.toString();
			return (raw === 'text 57' ? json({ detail: 'bad' }, 400) : documents.upload)(
				response,
				heard,
				nth,
			);
		});
		const { items } = await stage.run(text({}, {}, CONTINUE), many);
		expect(items.map(({ error }, n) => (error ? n : -1)).filter((n) => n >= 0)).toEqual([57]);
	});
});
