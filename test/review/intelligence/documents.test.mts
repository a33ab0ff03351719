import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY, locator, rag } from '../../engine/nodes.mts';
import { upload, usePlay } from './setup.mts';

const play = usePlay();
const ID = '11111111-1111-4111-8111-111111111111';
const contents = () => [...play.service.documents.values()].map(({ content }) => content).sort();
const REPLACE = { ifExists: 'replace' };
const KEYED = { ifExists: 'replaceIfChanged', identity: 'key', documentKey: 'k' };
const KEYED_REPLACE = { ...KEYED, ifExists: 'replace' };

describe('world: details come from a copy that is behind', () => {
	/** Details show what was so many milliseconds ago. */
	function lag(ms: number): void {
		const { service } = play;
		const past = [{ at: 0, documents: structuredClone([...service.documents.values()]) }];
		const keep = () => {
			past.push({
				at: service.clock.now(),
				documents: structuredClone([...service.documents.values()]),
			});
			return undefined;
		};
		service.rules.push(keep);
		service.on('GET /documents/', ({ path }) => {
			const seen = past.findLast(({ at }) => at <= service.clock.now() - ms);
			const was = seen?.documents.find(({ id }) => path.endsWith(id));
			const found = [...service.documents.values()].find(({ id }) => path.endsWith(id));
			const at = service.ingestion.indexOf(found?.ingestion_status ?? '');
			if (found && at >= 0)
				found.ingestion_status = service.ingestion[at + 1] ?? found.ingestion_status;
			return was ? { json: { results: was } } : { status: 404, json: { message: 'not found' } };
		});
	}
	for (const fails of [false, true])
		it(`a document is replaced under its own ID; the new one ${fails ? 'fails' : 'succeeds'}`, async () => {
			const { service } = play;
			service.add({ id: ID, content: 'old' });
			service.ingestion = ['parsing', 'embedding', fails ? 'failed' : 'success'];
			lag(5_000);
			const { error, items } = await play.run(
				upload({ ...REPLACE, waitUntilIngested: true }, { documentId: ID }),
				[{ text: 'new' }],
			);
			if (fails) expect(error?.message ?? JSON.stringify(items)).toMatch(/could not ingest/);
			else expect(items[0]).toMatchObject({ document_id: ID, ingestion_status: 'success' });
			expect(contents()).toEqual(['new']);
			expect(service.documents.get(ID)?.ingestion_status).toBe(fails ? 'failed' : 'success');
		});
	it('nightly: five versions under one key, each found a look too late', async () => {
		const { service } = play;
		for (const text of ['one', 'two', 'two', 'three', 'four']) {
			service.rules = [];
			service.calls.length = 0;
			lag(1_000);
			const { error } = await play.run(upload(KEYED), [{ text }]);
			expect(error?.message).toBeUndefined();
			expect(contents()).toEqual([text]);
		}
	});
	it('the new version fails: the old one stays, and nobody is told that it is done', async () => {
		const { service } = play;
		await play.run(upload(KEYED), [{ text: 'old' }]);
		service.ingestion = ['parsing', 'failed'];
		const { error } = await play.run(upload(KEYED), [{ text: 'new' }]);
		expect(error?.message).toMatch(/could not ingest/);
		expect(contents()).toContain('old');
		service.ingestion = ['parsing', 'success'];
		const again = await play.run(upload(KEYED), [{ text: 'new' }]);
		expect(again.error?.message).toBeUndefined();
		expect(contents()).toEqual(['new']);
	});
});

describe('world: the service chooses IDs of its own', () => {
	const own = (named: 'document_id' | 'id' | 'nothing' | 'documentId') => {
		const { service } = play;
		service.on('POST /documents', ({ form }) => {
			const made = service.add({
				content: form.raw_text ?? '',
				metadata: JSON.parse(form.metadata ?? '{}') as never,
				title: null,
			});
			Object.assign(made, { size_in_bytes: made.content.length });
			service.bill('document');
			return {
				status: 202,
				json: {
					results: {
						message: 'queued',
						task_id: null,
						...(named !== 'nothing' && { [named]: made.id }),
					},
				},
			};
		});
	};
	for (const named of ['document_id', 'id', 'documentId', 'nothing'] as const)
		for (const options of [{}, { waitUntilIngested: true }, KEYED])
			it(`${named}, ${JSON.stringify(options)}: the ID in the output is one that it has`, async () => {
				own(named);
				play.service.on('GET /download', ({ path }) => {
					const [found] = [...play.service.documents.values()].filter(({ id }) =>
						path.includes(id),
					);
					return found ? { type: 'text/plain', parts: [found.content] } : undefined;
				});
				const { items, error } = await play.run(upload(options), [{ text: 'a text' }]);
				expect(play.service.bills).toHaveLength(1);
				if (error) expect(error.message).toMatch(/unknown/);
				else expect([...play.service.documents.keys()]).toContain(items[0]?.document_id);
			});
});

describe('world: uploads are lost, refused, repeated by a proxy', () => {
	for (const end of ['cut', 'silent'] as const)
		it(`answer ${end}, ingestion goes on: one document over all tries`, async () => {
			const { service } = play;
			service.on('POST /documents', ({ form, count }) => {
				if (count > 0) return undefined;
				service.add({ id: form.id, content: form.raw_text ?? '' });
				return { parts: ['{"results"'], end };
			});
			const { items, error } = await play.run(upload({}, {}, RETRY), [{ text: 'a' }]);
			expect(error?.message).toBeUndefined();
			expect(items[0]).toMatchObject({ recovered: true });
			expect(contents()).toEqual(['a']);
		});
	it('several items, one refused: the others are done, and said so', async () => {
		play.service.on('POST /documents', ({ form }) =>
			form.raw_text === 'bad'
				? { status: 422, json: { detail: [{ loc: ['body', 'raw_text'], msg: 'odd' }] } }
				: undefined,
		);
		const { items } = await play.run(
			upload({}, {}, CONTINUE),
			['a', 'bad', 'c'].map((text) => ({ text })),
		);
		expect(contents()).toEqual(['a', 'c']);
		expect(items.map(({ error }) => Boolean(error))).toEqual([false, true, false]);
	});
	it('the upload is refused with 200 after the old one made room: said, with what is gone', async () => {
		play.service.add({ id: ID, content: 'old' });
		play.service.on('POST /documents', { json: { error: 'storage is full' } });
		const { known, words } = await play.run(upload(REPLACE, { documentId: ID }), [{ text: 'new' }]);
		expect(words).toContain('storage is full');
		expect(`${words}${known}`).toMatch(/deleted already|replaced/);
	});
	it('the old version is not deleted although 200 says something: never called deleted', async () => {
		await play.run(upload(KEYED_REPLACE), [{ text: 'old' }]);
		play.service.on('DELETE /documents', {
			json: { results: { success: false, message: 'locked' } },
		});
		const { items, error } = await play.run(upload(KEYED_REPLACE), [{ text: 'new' }]);
		expect(contents()).toContain('old');
		expect(error?.message ?? JSON.stringify(items)).not.toMatch(/replaced_deleted/);
		expect(error?.message).toMatch(/locked/);
	});
});

describe('world: deletion by a filter', () => {
	const remove = (filter: unknown, more = {}) =>
		rag('document', 'deleteMany', {
			dryRun: false,
			limit: 100,
			filters: { filtersJson: JSON.stringify(filter) },
			...more,
		});
	const left = () => [...play.service.documents.values()].map(({ title }) => title);
	it('times in other zones and forms', async () => {
		const { service } = play;
		// The filter means: before 08:00 UTC
		service.add({ title: 'before', metadata: { at: '2026-01-01T07:59:00Z' } });
		service.add({ title: 'after, in New York', metadata: { at: '2026-01-01T05:00:00-05:00' } });
		service.add({ title: 'before, in Berlin', metadata: { at: '2026-01-01T08:30:00+01:00' } });
		service.add({ title: 'after, with a blank', metadata: { at: '2026-01-01 09:00:00+00:00' } });
		service.add({ title: 'no time', metadata: { at: 'yesterday' } });
		service.add({ title: 'null', metadata: { at: null } });
		await play.run(remove({ 'metadata.at': { $lt: '2026-01-01T08:00:00Z' } }));
		expect(left()).toEqual(
			expect.arrayContaining(['after, in New York', 'after, with a blank', 'null']),
		);
		expect(left()).not.toContain('before');
		expect(left()).not.toContain('before, in Berlin');
	});
	it('a field of no document, an unknown operator, an empty filter: nothing', async () => {
		play.service.add({ title: 'a', metadata: { n: 1 } });
		for (const filter of [
			{ nothing: { $eq: 1 } },
			{ n: { $regex: '.' } },
			{},
			{ $or: [] },
			{ n: {} },
			{ n: { $ne: 1 } },
			{ 'metadata.m': { $ne: 2 } },
		]) {
			await play.run(remove(filter));
			expect(left()).toEqual(['a']);
		}
	});
	it('metadata with odd types', async () => {
		const { service } = play;
		for (const [title, n] of Object.entries({
			number: 5,
			text: '5',
			list: [5],
			object: { a: 5 },
			truth: true,
			big: 5e300,
			zero: '05',
		}))
			service.add({ title, metadata: { n } });
		await play.run(remove({ 'metadata.n': { $eq: 5 } }));
		expect(left()).toEqual(['list', 'object', 'truth', 'big', 'zero']);
	});
	it('the pages of the list overlap: what is named is deleted, or it is said that the list is not whole', async () => {
		const { service } = play;
		for (let number = 0; number < 30; number++)
			service.add({ title: String(number), metadata: { number } });
		service.on('GET /documents', ({ query, path }) => {
			if (!path.endsWith('/documents')) return undefined;
			const all = [...service.documents.values()];
			const start = Math.max(0, Number(query.get('offset')) - 4);
			return { json: { results: all.slice(start, start + 10), total_entries: all.length } };
		});
		const { items, error } = await play.run(remove({ 'metadata.number': { $eq: 29 } }));
		if (!error) expect(items[0]).toMatchObject({ deleted: true });
		const all = await play.run(rag('document', 'getAll', { returnAll: true }));
		if (!all.error) expect(all.items).toHaveLength(play.service.documents.size);
	});
	it('the service ignores the page that is asked for', async () => {
		const { service } = play;
		for (let number = 0; number < 30; number++)
			service.add({ title: String(number), metadata: { number } });
		service.on('GET /documents', {
			json: { results: [...service.documents.values()].slice(0, 10), total_entries: 30 },
		});
		const { error } = await play.run(remove({ 'metadata.number': { $eq: 29 } }));
		expect(error?.message).toMatch(/may be incomplete/);
		expect(service.documents.size).toBe(30);
	});
	it('one of several cannot be deleted: the error names those that are', async () => {
		const { service } = play;
		for (const title of ['a', 'b', 'c']) service.add({ title, metadata: { topic: 'old' } });
		const [, second = ''] = service.documents.keys();
		service.on('DELETE /documents', ({ path }) =>
			path.endsWith(second) ? { status: 403, json: { message: 'no' } } : undefined,
		);
		const { error, known } = await play.run(remove({ topic: 'old' }));
		expect(error).toBeDefined();
		const gone = service.sent('DELETE /documents').map(({ path }) => path.split('/').at(-1));
		expect(known).toContain(gone[0]);
		expect(left()).toContain('b');
	});
});

describe('world: names that the service changes', () => {
	it('collections are lower-cased and stripped: used by the name that the list shows, never by another', async () => {
		const { service } = play;
		service.on('POST /collections', ({ body }) => {
			const id = service.newId();
			service.collections.set(id, String(body.name).trim().toLowerCase());
			return { json: { results: { id, name: service.collections.get(id) } } };
		});
		const { items } = await play.run(rag('collection', 'create', { name: ' Manuals ' }));
		expect(items[0]).toMatchObject({ name: 'manuals' });
		const byName = (name: string) =>
			rag('collection', 'delete', { collectionId: locator(name, 'name') });
		expect((await play.run(byName('Manuals'))).error?.message).toMatch(
			/No collection has the name/,
		);
		expect(service.collections.size).toBe(1);
		await play.run(rag('collection', 'create', { name: 'MANUALS' }));
		expect((await play.run(byName('manuals'))).error?.message).toMatch(/2 collections/);
		expect(service.collections.size).toBe(2);
	});
	it('a conversation is created, but its ID is missing', async () => {
		play.service.on('POST /conversations', { json: { results: { name: 'c' } } });
		const { items } = await play.run(rag('conversation', 'create', { name: 'c' }));
		expect(items[0]?.id).toBeUndefined();
	});
});
