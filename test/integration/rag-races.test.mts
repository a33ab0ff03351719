import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { fileItem, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
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
