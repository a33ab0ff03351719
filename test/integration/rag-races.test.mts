import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { documentsOf } from './documents.mts';

const fixture = useFixture();
const { createFrom, stored, chunksOf, uploads } = documentsOf(fixture);
const version = (word: string) => fileItem('manual.md', `Version ${word}.`);
const one = version('one');
const two = version('two');
const three = version('three');

describe('two executions at once with a file of one name', () => {
	it.each(['replace', 'replaceIfChanged'])(
		'%s: what each says that it stored was stored, and the last one stays',
		async (ifExists) => {
			const options = { ifExists };
			onlyJson(await createFrom([one], { options }));
			const both = await Promise.all(
				[two, three].map(async (item) => await createFrom([item], { options }, RETRY)),
			);
			expect(both.map((run) => onlyJson(run).recovered)).toEqual([undefined, undefined]);
			expect(uploads().filter(({ status = 0 }) => status < 300)).toHaveLength(3);
			const [last, ...others] = await stored();
			expect(others).toEqual([]);
			expect(both.map((run) => onlyJson(run).document_id)).toContain(last?.id);
			expect(await chunksOf(last?.id)).toEqual([expect.stringMatching(/^Version (two|three)\.$/)]);
		},
	);

	it('without If Exists the slower one gets the conflict, also in a retry', async () => {
		const runs = await Promise.all(
			[one, two].map(async (item) => await createFrom([item], {}, RETRY)),
		);
		const failed = runs.filter((run) => run.data.resultData.error);
		expect(failed.map((run) => errorOf(run).message)).toEqual([
			expect.stringMatching(/^Conflict \(409\): /),
		]);
	});
});

describe('three executions at once with a file of one name', () => {
	const DELETE = { method: 'DELETE', path: /\/documents\/[^/]+$/ };

	/** Which documents can be searched, after each request that changes something. */
	async function searchable(): Promise<unknown[]> {
		return (await stored())
			.filter(({ ingestion_status: status }) => status === 'success')
			.map(({ id }) => id);
	}

	it.each(['replace', 'replaceIfChanged'])(
		'%s: a version can be searched at any time, and the last one alone in the end',
		async (ifExists) => {
			const options = { ifExists };
			for (let round = 0; round < 3; round++) {
				onlyJson(await createFrom([version(`start ${round}`)], { options }));
				fixture.sandbox.requests.length = 0;
				const runs = ['two', 'three', 'four'].map(
					async (word) =>
						await createFrom([version(`${word} ${round}`)], {
							options,
							// In the background: an upload cannot be searched at once
							additionalFields: {},
						}),
				);
				const items = (await Promise.all(runs)).map(onlyJson);
				// Upload, then deletion, in each turn
				expect(
					fixture.sandbox.requests
						.filter(({ method, path }) => method !== 'GET' && /documents/.test(path))
						.map(({ method }) => method),
				).toEqual(['POST', 'DELETE', 'POST', 'DELETE', 'POST', 'DELETE']);
				expect(await searchable()).toEqual([items.at(-1)?.document_id]);
				expect(fixture.sent('DELETE', DELETE.path).map(({ status }) => status)).toEqual([
					200, 200, 200,
				]);
			}
		},
	);

	it('a later version that has the ID of an earlier one by now is not deleted', async () => {
		const options = { ifExists: 'replace' };
		const { document_id: first } = onlyJson(await createFrom([one], { options }));
		// Another process: it has replaced the earlier version while this one was ingested
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: new RegExp(`/documents/${String(first)}$`) },
			skip: 1,
			status: 200,
			body: { results: { id: first, created_at: '2999-01-01T00:00:00Z', metadata: {} } },
		});
		const second = onlyJson(await createFrom([two], { options }));
		expect(second).not.toHaveProperty('replaced_deleted');
		expect(fixture.sent('DELETE', DELETE.path)).toEqual([]);
		expect(await stored()).toHaveLength(2);
	});

	it('where no ID is free, what is being ingested is waited for, and not deleted', async () => {
		const options = { ifExists: 'replace' };
		const { document_id: first } = onlyJson(await createFrom([one], { options }));
		fixture.sandbox.clock.advance(60_000);
		fixture.sandbox.faults.add({ match: { method: 'DELETE' }, ...errorForms.empty(403) });
		errorOf(await createFrom([two], { options }));
		const second = (await stored()).find(({ id }) => id !== first)?.id;
		fixture.sandbox.requests.length = 0;
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: new RegExp(`/documents/${String(second)}$`) },
			times: 3,
			status: 200,
			body: { results: { ingestion_status: 'embedding', created_at: '2999-01-01T00:00:00Z' } },
		});
		const third = onlyJson(await createFrom([three], { options }));
		expect(third).toMatchObject({ document_id: first });
		const [deleted] = fixture.sent('DELETE', DELETE.path);
		expect(deleted?.path).toContain(first);
		expect(fixture.sent('GET', new RegExp(String(second))).length).toBeGreaterThan(3);
	});

	it('a document that is deleted while it is ingested is an error', async () => {
		const answer = (ingestion_status: string) => ({
			match: { method: 'GET', path: /\/documents\/[^/]+$/ },
			status: 200,
			body: { results: { ingestion_status } },
		});
		fixture.sandbox.faults.add({ ...answer('parsing'), skip: 2 });
		fixture.sandbox.faults.add({
			match: answer('').match,
			skip: 2,
			times: Infinity,
			...errorForms.messageAndType(404),
		});
		// The details alone prove nothing
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: /\/documents$/ },
			status: 200,
			body: { results: [], total_entries: 0 },
		});
		const error = errorOf(
			await createFrom([one], { options: { ifExists: 'replace', waitUntilIngested: true } }),
		);
		expect([error.message, error.description]).toEqual([
			expect.stringMatching(/^Document .* was deleted while it was ingested$/),
			'Another execution may have replaced it. Execute the node again.',
		]);
		// Before the upload, while it was there, and five times without it, the last of which is not believed alone
		expect(fixture.sent('GET', /\/documents\/[^/]+$/)).toHaveLength(9);
	});
});

it('Skip with the same file in several items: one is uploaded, the others are that one', async () => {
	const [first, ...others] = jsonOf(
		await createFrom([one, one, one], { options: { ifExists: 'skip' } }),
	);
	expect(first).not.toHaveProperty('existing');
	for (const other of others)
		expect(other).toMatchObject({
			document_id: first?.document_id,
			existing: true,
			content_changed: false,
		});
	expect(others).toHaveLength(2);
	expect(await stored()).toHaveLength(1);
});
