import type { NodeUnderTest } from '../../engine/engine.mts';
import { describe, expect, it } from 'vitest';
import { rag, RETRY, textDocument } from '../../engine/nodes.mts';
import { copies } from './books.mts';
import { useStage } from '../intelligence4/stage.mts';
import { KEY } from './stage.mts';

const stage = useStage(KEY);

const document = (rawText: string, ifExists: string) =>
	textDocument(rawText, {
		options: { ifExists, identity: 'key', documentKey: 'k', waitUntilIngested: true },
	});
let execution = 0;
const run = async (node: NodeUnderTest) =>
	await stage.run(node, [{}], { executionId: String(++execution) });
const ingest = (raw: string) => (raw === 'three' ? 'failed' : 'success');

/** Writes two versions, the second one so long before what follows. */
const writeTwo = async (gap: number) => {
	for (const [text, ms] of [
		['one', 60_000],
		['two', gap],
	] as const) {
		expect((await run(document(text, 'replaceIfChanged'))).message).toBe('');
		stage.clock += ms;
	}
};

describe.each(['fresh', 'stale'] as const)(
	'two copies of the documents answer in turn, one 20 s behind, the first read is %s',
	(first) => {
		it('a third version that cannot be ingested is an error, and leaves one that can be searched', async () => {
			const { hasGood } = copies(stage, first, ingest);
			await writeTwo(3_000);
			expect((await run(document('three', 'replaceIfChanged'))).message).not.toBe('');
			expect(hasGood()).toBe(true);
		});

		it('Replace with the same content, which cannot be ingested this time, tells that the earlier one is gone', async () => {
			let count = 0;
			copies(stage, first, () => (count++ === 0 ? 'success' : 'failed'));
			await run(document('same', 'replace'));
			stage.clock += 60_000;
			const { message } = await run(document('same', 'replace'));
			expect(message).toContain('could not ingest');
			expect(message).toContain('The earlier document was deleted already');
		});

		const storedBefore = async () => {
			const state = copies(stage, first);
			await run(document('same', 'replace'));
			stage.clock += 60_000;
			state.losesNext = true;
			return state;
		};

		it('Replace with the same content, whose upload never arrives, tells that the earlier one is gone', async () => {
			await storedBefore();
			const { message } = await run(document('same', 'replace'));
			expect(message).toContain('The earlier document was deleted already');
		});

		it('Replace with the same content, whose first upload never arrives, is made good by Retry On Fail', async () => {
			const state = await storedBefore();
			const { message } = await run({ ...document('same', 'replace'), ...RETRY });
			expect(message).toBe('');
			expect(state.alive()).toHaveLength(1);
			expect(state.uploads).toBe(3);
		});

		it('of four versions the last one is left where the service numbers documents by itself', async () => {
			const { alive } = copies(stage, first, () => 'success', true);
			for (const text of ['1', '1', '2', '3']) {
				await run(document(text, 'replaceIfChanged'));
				stage.clock += 60_000;
			}
			expect(alive().map(({ raw }) => raw)).toEqual(['3']);
		});

		it('Delete deletes, and a second one is not told as done while the list has it', async () => {
			copies(stage, first);
			const { items } = await run(document('x', 'error'));
			stage.clock += 60_000;
			const node = rag('document', 'delete', { documentId: items[0]?.document_id });
			expect((await run(node)).items).toMatchObject([{ deleted: true }]);
			const again = await run(node);
			expect(again.message).toContain('Not found (404)');
			expect(again.description).toContain('its list has it');
		});
	},
);

it.each(
	[3_000, 8_000, 14_000, 18_000].flatMap((gap) =>
		[0, 1].flatMap((shift) =>
			(['fresh', 'stale'] as const).map((first) => [gap, first, shift] as const),
		),
	),
)(
	'as above, a version that cannot be ingested %i ms after another, first read %s, %i reads of others between',
	async (gap, first, shift) => {
		const { hasGood } = copies(stage, first, ingest);
		await writeTwo(gap);
		for (let n = 0; n < shift; n++) await fetch(`${stage.service.url}/api/rag/v3/documents`);
		expect((await run(document('three', 'replaceIfChanged'))).message).not.toBe('');
		expect(hasGood()).toBe(true);
	},
);

it('reads go to either copy by chance: no run says that it is done, or leaves nothing that can be searched', async () => {
	for (let seed = 1; seed <= 60; seed++) {
		stage.service.begin();
		const { hasGood } = copies(stage, seed, ingest);
		await writeTwo(5_000);
		const { message } = await run(document('three', 'replaceIfChanged'));
		expect(message, `seed ${seed}`).not.toBe('');
		expect(hasGood(), `seed ${seed}`).toBe(true);
	}
});
