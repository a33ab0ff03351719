import { describe, expect, it } from 'vitest';
import { locator, rag } from '../../engine/nodes.mts';
import { ask, COMPLETIONS, useStage } from '../intelligence2/play.mts';
import { completion, json, type Fields } from '../intelligence2/service.mts';
import { refusalAlone, refusalIn } from '../../../nodes/shared/http/refusal.ts';

const stage = useStage();
const id = '00000000-0000-4000-9000-00000000abcd';
const WRITES = {
	'Collection > Create': [/^POST .*\/collections$/, rag('collection', 'create', { name: 'c' })],
	'Conversation > Create': [
		/^POST .*\/conversations$/,
		rag('conversation', 'create', { name: 'c' }),
	],
	'Document > Update Metadata': [
		/^PATCH /,
		rag('document', 'updateMetadata', { documentId: id, metadataJson: '{"a":1}' }),
	],
	Generate: [
		/^POST .*\/rag\/generate$/,
		rag('retrieval', 'generate', { promptName: locator('p'), query: 'q', context: 'c' }),
	],
	'RAG Query': [
		/^POST .*\/retrieval\/rag$/,
		rag('retrieval', 'rag', { query: 'q', topK: 5, options: {} }),
	],
} as const;

/** What some services send with each answer, and says nothing. */
const EMPTY: Fields[] = [
	{ error: {} },
	{ error: [] },
	{ error: null },
	{ error: '' },
	{ error: ' ' },
	{ error: 'none' },
	{ error: 'None' },
	{ error: 'no error' },
	{ error: 'null' },
	{ error: 'false' },
	{ error: false },
	{ error: 0 },
	{ error: { code: 0, message: '', details: [] } },
	{ error: { code: 0, message: 'OK' } },
	{ errors: [] },
	{ errors: [null, {}] },
	{ error_type: 'none' },
	{ detail: {} },
	{ detail: [] },
	{ detail: 'none' },
];
/** Words about a success. */
const TOLD: Fields[] = [
	{ success: true, detail: 'It will show in a minute' },
	{ ok: true, detail: 'It will show in a minute' },
	{ status: 'success', detail: 'It will show in a minute' },
	{ status: 'OK', detail: [{ msg: 'It will show in a minute' }] },
	{ status: 200, detail: 'It will show in a minute' },
	{ code: 201, detail: { message: 'It will show in a minute' } },
	{ detail: 'It will show in a minute' },
];

describe('an empty error, or a detail beside a success, is no refusal', () => {
	for (const [name, [line, node]] of Object.entries(WRITES))
		for (const said of [...EMPTY, ...TOLD])
			it(`${name}: ${JSON.stringify(said)}`, async () => {
				const results = { id, generated_answer: 'An answer', metadata: {} };
				stage.service.when(line, json({ results, ...said }));
				const { items, error } = await stage.run(node);
				expect(error?.message).toBeUndefined();
				expect(items).toMatchObject([{ id }]);
				expect(stage.service.asked(line)).toHaveLength(1);
			});

	it.each(EMPTY)('Chat: %j', async (said) => {
		stage.service.when(COMPLETIONS, json(completion({ content: 'Hello' }, 'stop', said)));
		const { items, error } = await stage.run(ask());
		expect(error?.message).toBeUndefined();
		expect(items[0]).toMatchObject({ content: 'Hello' });
	});
});

describe('what says no is a refusal all the same', () => {
	it.each<Fields>([
		{ error: 'over quota' },
		{ error: 'over quota', success: true },
		{ error: { code: 7 } },
		{ error: ['over quota'] },
		{ error: true },
		{ errors: ['', 'over quota'] },
		{ detail: 'over quota' },
		{ detail: 'over quota', data: null, results: {} },
		{ detail: 'over quota', data: [] },
		{ detail: 'over quota', status: 'failed' },
		{ detail: 'over quota', code: 403 },
		{ detail: 'It is done', success: true, code: 500 },
		{ detail: 'over quota', success: false },
		{ detail: 'over quota', data: { error: 'over quota' } },
		{ success: true, data: { error: 'over quota' } },
	])('%j', (answer) => {
		expect(refusalIn(answer)).toBeDefined();
	});

	it('an answer of nothing but empty fields is none', () => {
		for (const said of EMPTY) {
			expect(refusalIn({ success: true, ...said })).toBeUndefined();
			expect(refusalAlone({ ...said, data: {} })).toBeUndefined();
		}
	});
});
