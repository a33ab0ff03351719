import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { rag } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { TEXTS, useRetrieval } from '../engine/retrieval.mts';

const { fixture } = useRetrieval();
const deleteMany = (conditions: IDataObject[], more: IDataObject = {}) =>
	rag('document', 'deleteMany', { filters: { filters: { conditions } }, limit: 50, ...more });
const titles = () => [...fixture.sandbox.library.documents.values()].map(({ title }) => title);
const deletions = () => fixture.sandbox.requests.filter(({ method }) => method === 'DELETE');
const MONEY = [{ field: 'topic', value: 'money' }];
const isMoney = (text: string) => text === TEXTS[0] || text === TEXTS[1];

describe('Document > Delete Many', () => {
	it('a dry run, which is the default, lists what matches and deletes nothing', async () => {
		const before = titles();
		const items = jsonOf(await fixture.run(deleteMany(MONEY)));
		expect(items.map(({ deleted, dry_run: dry }) => [deleted, dry])).toEqual(
			before.filter(isMoney).map(() => [false, true]),
		);
		expect(items.length).toBeGreaterThan(0);
		expect(titles()).toEqual(before);
		expect(deletions()).toEqual([]);
	});

	it('deletes what the dry run shows, and nothing else', async () => {
		const before = titles();
		const shown = jsonOf(await fixture.run(deleteMany(MONEY)));
		const done = jsonOf(await fixture.run(deleteMany(MONEY, { dryRun: false })));
		expect(done.map(({ document_id: id }) => id)).toEqual(shown.map(({ document_id: id }) => id));
		expect(
			done.every(({ deleted, already_gone: gone }) => deleted === true && gone === false),
		).toBe(true);
		expect(titles()).toEqual(before.filter((title) => !isMoney(title)));
	});

	it('what the service takes to delete later is not said to be deleted', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'DELETE' },
			times: Infinity,
			status: 202,
			body: { results: { message: 'queued' } },
		});
		const done = jsonOf(await fixture.run(deleteMany(MONEY, { dryRun: false })));
		const [{ document_id: id } = {}] = done;
		const one = jsonOf(await fixture.run(rag('document', 'delete', { documentId: id ?? null })));
		expect(one).toMatchObject([
			{ deleted: null, accepted: true, document_id: id, already_gone: false },
		]);
		expect(one[0]?.hint).toContain('still shows it');
		expect(done.map(({ deleted, accepted }) => [deleted, accepted])).toEqual(
			titles()
				.filter(isMoney)
				.map(() => [null, true]),
		);
	});

	it.each(['$neq', '$gt', '$gte', '$eq'])(
		'nothing is compared with a blank (%s)',
		async (operator) => {
			const before = titles();
			for (const value of ['', ' ', '={{ $json.none }}']) {
				const conditions = [{ field: 'topic', operator, value }];
				const error = errorOf(await fixture.run(deleteMany(conditions, { dryRun: false })));
				expect(error.message).toMatch(/^Filters.* must /);
			}
			expect(titles()).toEqual(before);
			expect(fixture.sandbox.requests).toEqual([]);
		},
	);

	it('what a document lacks does not make it match: documents of others stay', async () => {
		const before = titles();
		const [item] = jsonOf(
			await fixture.run(
				deleteMany([{ field: 'folder', operator: '$nin', value: 'a.pdf' }], { dryRun: false }),
			),
		);
		expect(item).toEqual({ deleted: false, reason: 'none', found: before.length });
		expect(titles()).toEqual(before);
	});

	it('more than Limit deletes none; the error says how many match', async () => {
		const before = titles();
		const run = await fixture.run(deleteMany(MONEY, { dryRun: false, limit: 1 }));
		expect(errorOf(run).message).toBe('2 documents match, and Limit is 1');
		expect(titles()).toEqual(before);
	});

	it.each([
		['no condition', { filters: {} }, 'Filters must contain at least one condition'],
		[
			'an empty filter',
			{ filters: { filtersJson: '{}' } },
			'Filters must contain at least one condition',
		],
		[
			'an empty condition beside others, which matches all in $or',
			{ filters: { filtersJson: '{"$or":[{"topic":"money"},{}]}' } },
			'Filters cannot be compared with documents: a condition is empty',
		],
		[
			'an empty condition alone in $and',
			{ filters: { filtersJson: '{"$and":[{}]}' } },
			'Filters cannot be compared with documents: a condition is empty',
		],
		[
			'a number whose last digits may be lost',
			{ filters: { filtersJson: '={{ { year: { $gt: 2 ** 60 } } }}' } },
			'Filters must not compare with the number 1152921504606847000, whose last digits may be lost: write it as text, in quotes',
		],
		[
			'a limit of none',
			{ filters: { filtersJson: '{"a":1}' }, limit: 0 },
			'Limit must be a whole number of at least 1, got 0',
		],
		[
			'an operator that is not known',
			{ filters: { filtersJson: '{"a":{"$regex":"x"}}' } },
			'Filters cannot be compared with documents: "$regex" of a is not known',
		],
	])('%s is an error before anything is sent', async (_, parameters, message) => {
		const sent = fixture.sandbox.requests.length;
		const run = await fixture.run(deleteMany([], { dryRun: false, ...parameters }));
		expect(errorOf(run).message).toBe(message);
		expect(fixture.sandbox.requests).toHaveLength(sent);
	});

	it('a deletion that fails is an error that names what was deleted before it', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'DELETE' },
			skip: 1,
			status: 403,
			times: Infinity,
			body: { detail: 'no' },
		});
		const run = await fixture.run(deleteMany(MONEY, { dryRun: false }));
		const { known } = errorOf(run).context as { known: IDataObject };
		expect(known.deleted_before).toHaveLength(1);
		expect(known.document_id).not.toBe((known.deleted_before as string[])[0]);
		expect(titles().filter(isMoney)).toHaveLength(1);
	});

	it('a list that cannot be read whole deletes nothing', async () => {
		const before = titles();
		const page = { results: [{ id: 'd-1', metadata: { topic: 'money' } }], total_entries: 500 };
		fixture.sandbox.faults.add({
			match: { path: '/documents' },
			status: 200,
			body: page,
			times: Infinity,
		});
		const run = await fixture.run(deleteMany(MONEY, { dryRun: false }));
		expect(errorOf(run).message).not.toBe('');
		expect([titles(), deletions()]).toEqual([before, []]);
	});
});
