import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { vectorOf, type Answer } from './forms.mts';
import { embed, embeddings, rejected, usePlay } from './setup.mts';

const play = usePlay();
const TEXTS = ['alpha', 'be', 'gam', 'deltadelta', 'epsilon', 'z'];
const items = TEXTS.map((text) => ({ text }));

function answer(vectors: unknown[], indices = true): Answer {
	const data = vectors.map((embedding, index) => ({
		object: 'embedding',
		...(indices && { index }),
		embedding,
	}));
	return { json: { object: 'list', model: 'e', data, usage: { total_tokens: 3 } } };
}

const base64 = (numbers: number[]) =>
	Buffer.from(new Float32Array(numbers).buffer).toString('base64');

describe('world: vectors that are not lists of numbers', () => {
	it('a list as text is its numbers, not bytes', async () => {
		const { service, engine } = play;
		service.on('POST /embeddings', ({ body }) =>
			answer([body.input].flat().map((text) => JSON.stringify(vectorOf(String(text))))),
		);
		const supplied = await embeddings(engine);
		for (const text of ['alpha', 'be']) {
			const vector = await supplied.embedQuery(text).catch((error: Error) => error);
			if (!(vector instanceof Error)) expect(vector).toEqual(vectorOf(text));
		}
		const { items: out, error } = await play.run(embed(), [{ text: 'alpha' }]);
		if (!error)
			expect([JSON.stringify(vectorOf('alpha')), JSON.stringify(out[0]?.embedding)]).toContain(
				typeof out[0]?.embedding === 'string'
					? out[0]?.embedding
					: JSON.stringify(vectorOf('alpha')),
			);
	});
	it('Base64 is decoded', async () => {
		play.service.on('POST /embeddings', answer([base64([1, 0.5, -2])]));
		expect(await (await embeddings(play.engine)).embedQuery('a')).toEqual([1, 0.5, -2]);
	});
	for (const [what, vector] of Object.entries({
		'NaN in Base64': base64([NaN, 1, 2]),
		'infinity in Base64': base64([Infinity, 1, 2]),
		words: 'not available',
		'Base64 that breaks off': base64([1, 2, 3]).slice(0, 7),
		'an empty text': '',
		null: null,
		'null in it': [1, null, 3],
		'numbers as texts': ['1', '2'],
		nested: [[1, 2, 3]],
	}))
		it(`${what}: never in an index`, async () => {
			play.service.on('POST /embeddings', answer([vector]));
			const supplied = await embeddings(play.engine);
			const result = await supplied.embedQuery('a').catch((error: Error) => error);
			if (!(result instanceof Error)) {
				expect(what).toMatch(/nested|as texts/);
				expect(result.every((one) => typeof one === 'number' && Number.isFinite(one))).toBe(true);
			}
			const { error } = await play.run(embed(), [{ text: 'a' }]);
			if (!/nested|as texts/.test(what)) expect(error).toBeDefined();
		});
});

describe('world: vectors in another order, another number, another size', () => {
	it('shuffled, with indices: in the order of the texts, over several batches', async () => {
		play.service.on('POST /embeddings', ({ body }) => {
			const { json } = answer([body.input].flat().map((text) => vectorOf(String(text))));
			(json as { data: unknown[] }).data.reverse();
			return { json };
		});
		const supplied = await embeddings(play.engine, { batchSize: 4 });
		expect(await supplied.embedDocuments(TEXTS)).toEqual(TEXTS.map(vectorOf));
		const { items: out } = await play.run(embed({ batchSize: 4, includeText: true }), items);
		expect(out.map(({ text, embedding }) => [text, embedding])).toEqual(
			TEXTS.map((text) => [text, vectorOf(text)]),
		);
	});
	for (const count of [-1, 1])
		it(`${count > 0 ? 'more' : 'fewer'} than asked: an error, and nothing is billed twice`, async () => {
			play.service.on('POST /embeddings', ({ body }) => {
				const texts = [body.input].flat().map(String);
				for (const text of texts) play.service.bill(text);
				return answer([...texts, 'more'].slice(0, texts.length + count).map(vectorOf), false);
			});
			const { error } = await play.run(embed(), items);
			expect(error?.message).toMatch(/vectors for 6 texts/);
			expect(play.service.bills).toHaveLength(6);
		});
	it('one vector is missing of those with an index: the others are not lost', async () => {
		play.service.on('POST /embeddings', ({ body }) => {
			const { json } = answer([body.input].flat().map((text) => vectorOf(String(text))));
			(json as { data: unknown[] }).data.splice(2, 1);
			return { json };
		});
		const { error, known } = await play.run(embed({ batchSize: 10 }), items);
		expect(error?.message).toMatch(/5 vectors for 6 texts/);
		expect(known).toContain(JSON.stringify(vectorOf('deltadelta')).slice(1, -1));
	});
	it('a list of another form: what is paid for is in the error', async () => {
		const answer = { embeddings: [vectorOf('alpha')], usage: { total_tokens: 1 } };
		play.service.on('POST /embeddings', { json: answer });
		const { error, known } = await play.run(embed(), [{ text: 'alpha' }]);
		expect(error).toBeDefined();
		expect(known).toContain(JSON.stringify(answer.embeddings));
	});
	it('another size from the second batch on', async () => {
		play.service.on('POST /embeddings', ({ body, count }) =>
			answer(
				[body.input].flat().map((text) => [...vectorOf(String(text)), ...(count > 0 ? [1] : [])]),
			),
		);
		const { error, known } = await play.run(embed({ batchSize: 3 }), items);
		expect(error?.message).toMatch(/dimensions/);
		expect(known).toContain(JSON.stringify(vectorOf('alpha')).slice(1, -1));
	});
	it('another model from the second batch on: said, vector by vector', async () => {
		play.service.on('POST /embeddings', ({ body, count }) => {
			const { json } = answer([body.input].flat().map((text) => vectorOf(String(text))));
			return { json: { ...(json as object), model: count > 0 ? 'fallback' : 'e' } };
		});
		const { items: out } = await play.run(embed({ batchSize: 3 }), items);
		expect(out.map(({ model }) => model)).toEqual([
			'e',
			'e',
			'e',
			'fallback',
			'fallback',
			'fallback',
		]);
	});
});

describe('world: large batches are refused, then the service is busy', () => {
	it('413 for more than two, 429 once, 504 never again: each text billed once', async () => {
		let busy = 1;
		play.service.on('POST /embeddings', ({ body }) => {
			if ([body.input].flat().length > 2)
				return { status: 413, type: 'text/html', parts: ['<html>too large</html>'] };
			return busy-- > 0
				? { status: 429, headers: { 'retry-after': '1' }, json: { error: 'busy' } }
				: undefined;
		});
		const { items: out, error } = await play.run(embed({ requestsAtOnce: 3 }), items);
		expect(error).toBeUndefined();
		expect(out.map(({ embedding }) => embedding)).toEqual(TEXTS.map(vectorOf));
		expect(play.service.bills.map(({ what }) => what).sort()).toEqual([...TEXTS].sort());
	});
	it('a lost answer in the middle: Retry On Fail asks for the rest alone', async () => {
		let isLost = false;
		play.service.on('POST /embeddings', ({ body }) => {
			if (isLost || ![body.input].flat().includes('gam')) return undefined;
			isLost = true;
			for (const text of [body.input].flat()) play.service.bill(String(text));
			return { parts: ['{"data":['], end: 'cut' };
		});
		const { items: out } = await play.run(embed({ batchSize: 2 }, RETRY), items);
		expect(out.map(({ embedding }) => embedding)).toEqual(TEXTS.map(vectorOf));
		const billed = (text: string) => play.service.bills.filter(({ what }) => what === text).length;
		expect(TEXTS.map(billed)).toEqual([1, 1, 2, 2, 1, 1]);
	});
	it('one text is refused alone: only its item fails', async () => {
		play.service.on('POST /embeddings', ({ body }) =>
			[body.input].flat().includes('z')
				? { status: 400, json: { error: { message: 'bad input' } } }
				: undefined,
		);
		const { items: out } = await play.run(embed({}, CONTINUE), items);
		expect(out.slice(0, 5).map(({ embedding }) => embedding)).toEqual(
			TEXTS.slice(0, 5).map(vectorOf),
		);
		expect(JSON.stringify(out[5])).toContain('bad input');
	});
	it('200 that says no', async () => {
		for (const json of [
			{ error: { message: 'quota' } },
			{ detail: 'quota' },
			{ data: null, error: 'quota' },
		]) {
			play.service.rules = [];
			play.service.on('POST /embeddings', { json });
			expect((await play.run(embed(), items)).error?.message).toContain('quota');
			expect((await rejected((await embeddings(play.engine)).embedQuery('a')))?.message).toContain(
				'quota',
			);
		}
	});
});
