import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { embed, rejected, vectors, type Service } from './embedding-parts.mts';
import { Body } from './log-parts.mts';

/** The error of one item with these texts. */
const errorOf = async (texts: string[], service: Service) =>
	(await embed([texts], service, { batchSize: texts.length })).outcomes[0];

describe('the batches of texts', () => {
	const V = [[1, 2, 3]];

	it('are split in half where the service rejects them', async () => {
		const service = (texts: string[]) =>
			texts.length > 1 ? rejected(413, 'too many') : vectors(texts);
		const { asked, outcomes } = await embed([['a', 'b', 'c']], service, { batchSize: 3 });
		expect(asked).toEqual([['a', 'b', 'c'], ['a', 'b'], ['a'], ['b'], ['c']]);
		expect(outcomes).toEqual([[...V, ...V, ...V]]);
	});

	it('go on after the only one that is rejected', async () => {
		const service = (texts: string[]) => (texts[0] === 'a' ? rejected(400, 'no') : vectors(texts));
		const { outcomes } = await embed([['a'], ['b'], ['c']], service);
		expect(outcomes).toEqual(['Request rejected (400): no', V, V]);
	});

	it('of one text may be rejected', async () => {
		const { asked, outcomes } = await embed([['a']], () => rejected(400, 'no'));
		expect([asked, outcomes]).toEqual([[['a']], ['Request rejected (400): no']]);
	});

	it('that are all rejected end without one that has no text', async () => {
		const service = (texts: string[]) =>
			texts.length === 0 ? vectors(texts) : rejected(400, 'no');
		const { asked, outcomes } = await embed([['aa'], ['b']], service);
		expect(asked).toEqual([['aa'], ['b']]);
		expect(outcomes).toEqual(['Request rejected (400): no', 'Request rejected (400): no']);
	});

	it('go on after the shortest text, from the middle, was accepted', async () => {
		const service = ([text = '']: string[]) =>
			['aaa', 'eee'].includes(text) ? rejected(400, 'too long') : vectors([text]);
		const { asked, outcomes } = await embed([['aaa'], ['bb'], ['c'], ['dd'], ['eee']], service);
		expect(asked).toEqual([['aaa'], ['eee'], ['c'], ['bb'], ['dd']]);
		const no = 'Request rejected (400): too long';
		expect(outcomes).toEqual([no, V, V, V, no]);
	});

	it('run side by side once one was accepted', async () => {
		let running = 0;
		const atOnce: number[] = [];
		const service = async (texts: string[]) => {
			atOnce.push(++running);
			await new Promise((resolve) => setImmediate(resolve));
			running--;
			return texts[0] === 'a' ? rejected(400, 'no') : vectors(texts);
		};
		await embed([['a'], ['b'], ['c'], ['d'], ['e']], service, { requestsAtOnce: 3 });
		expect(atOnce).toEqual([1, 1, 1, 2, 3]);
	});

	it('end with the first error where the node does not continue', async () => {
		const service = (texts: string[]) =>
			texts[0] === 'b' ? rejected(500, 'broken') : vectors(texts);
		const { asked, outcomes } = await embed([['a'], ['b'], ['c']], service, { continues: false });
		expect(asked).toEqual([['a'], ['b']]);
		expect(outcomes).toEqual([V, 'Server error (500): broken', []]);
	});

	it('end with it also where another one under way succeeds after it', async () => {
		let fail = () => {};
		const failed = new Promise<void>((resolve) => (fail = resolve));
		const service = async (texts: string[]) => {
			if (texts[0] === 'b') return rejected(500, 'broken');
			if (texts[0] === 'c') await failed;
			return vectors(texts);
		};
		const items = [...'abcdef'].map((text) => [text]);
		const embedding = embed(items, service, { continues: false, requestsAtOnce: 2 });
		setTimeout(fail, 20);
		expect((await embedding).asked).toEqual([['a'], ['b'], ['c']]);
	});
});

describe('the size of the vectors', () => {
	const sized = (sizes: Record<string, unknown>) => (texts: string[]) => {
		const size = sizes[texts[0] ?? ''];
		return typeof size === 'number'
			? vectors(
					texts,
					Array.from({ length: size }, () => 1),
				)
			: rejected(500, 'broken');
	};
	const TWO = 'The response contains vectors of 2 dimensions, not 3';

	it('is that of the first one', async () => {
		const { outcomes } = await embed([['a'], ['b']], sized({ a: 3, b: 2 }));
		expect(outcomes).toEqual([[[1, 1, 1]], TWO]);
	});

	it('stays known after a batch that failed', async () => {
		const { outcomes } = await embed([['a'], ['b'], ['c']], sized({ a: 3, c: 2 }));
		expect(outcomes).toEqual([[[1, 1, 1]], 'Server error (500): broken', TWO]);
	});

	it('is the one that was asked for', async () => {
		const { outcomes } = await embed([['a']], sized({ a: 2 }), { options: { dimensions: 3 } });
		expect(outcomes).toEqual([TWO]);
	});
});

describe('a response to texts', () => {
	const response = (json: IDataObject) => () => ({ json });
	const one = { index: 0, embedding: [1, 2] };

	it('may have what is no vector beside the vectors', async () => {
		const { outcomes } = await embed([['a']], response({ data: [null, 'x', one] }));
		expect(outcomes).toEqual([[[1, 2]]]);
	});

	it.each<[string, string[], IDataObject]>([
		[
			'The response contains 0 vectors for 1 texts: The model loads',
			['a'],
			{ data: [], message: 'The model loads' },
		],
		['The response contains 0 vectors for 1 texts', ['a'], { data: [] }],
		['The response contains 0 vectors for 1 texts', ['a'], { data: 'none' }],
		[
			'The response contains 1 vectors for 2 texts: Slow',
			['a', 'b'],
			{ data: [one], message: 'Slow' },
		],
		[
			'The response contains a text without a vector: too long',
			['a', 'b', 'c'],
			{ data: [{ index: 1, error: 'too long' }, one, { index: 2, message: 'too long' }] },
		],
		[
			'The response contains a text without a vector: Not all; a is long; b is long',
			['a', 'b', 'c'],
			{
				data: [
					one,
					{ index: 1, message: 'a is long' },
					{ index: 2, error: { message: 'b is long' } },
				],
				error: 'Not all',
			},
		],
	])('without a vector for each is an error: %s', async (message, texts, json) =>
		expect(await errorOf(texts, response(json))).toBe(message),
	);

	it.each<[string, IDataObject, boolean]>([
		['all of it', { data: [one], error: { message: 'too long' } }, true],
		['all of it', { data: [one, { index: 1, embedding: null, error: 'too long' }] }, true],
		['all of it', { data: [], usage: { total_tokens: 3 }, error: 'too long' }, true],
		['nothing', { error: { message: 'too long' } }, false],
	])(
		'that is of no use leaves in its error what may be paid for: %s of %j',
		async (_, json, isKept) => {
			const { responses } = await embed([['a', 'b']], response(json), { batchSize: 2 });
			expect(responses).toEqual([isKept ? json : undefined]);
		},
	);

	it('with a number that JSON does not have lacks a vector', async () => {
		const text = '{"data": [{"index": 0, "embedding": [NaN, 1]}]}';
		expect(await errorOf(['a'], () => ({ body: new Body().write(text, undefined) }))).toBe(
			'The response contains a text without a vector',
		);
	});

	it('to one text may have much beside the vector', async () => {
		const { outcomes } = await embed([['a']], response({ data: [one], more: 'x'.repeat(200_000) }));
		expect(outcomes).toEqual([[[1, 2]]]);
	});

	/** 17 MiB. */
	class Large extends Body {
		override async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
			const mebibyte = await Promise.resolve(new Uint8Array(2 ** 20));
			for (let sent = 0; sent < 17; sent++) yield mebibyte;
		}
	}
	const tooLarge = () => ({ body: new Large() });

	it('may be as large as its vectors; of one that is larger, smaller batches are the way out', async () => {
		const texts = Array.from({ length: 129 }, (_, index) => `text ${index}`);
		expect(await errorOf(texts, tooLarge)).toBe(
			'The response is larger than 16.125 MiB for 129 texts: choose a smaller Batch Size',
		);
		expect(await errorOf(['a'], tooLarge)).toBe('The response is larger than 16 MiB');
	});

	it('that a smaller batch would not help does not ask for one', async () => {
		const broken = () => ({ body: new Body().write('{"data"', new Error('reset')) });
		expect(await errorOf(['a', 'b'], broken)).toBe(
			'The connection was lost while reading the response',
		);
		const refused = () => {
			throw new Error('Domain not allowed');
		};
		expect(await errorOf(['a', 'b'], refused)).toBe('Domain not allowed');
	});
});

it('reads a list of vectors that has no envelope: it is paid for', async () => {
	const { outcomes } = await embed([['a']], (texts) => ({ json: vectors(texts).json.data }));
	expect(outcomes).toEqual([[[1, 2, 3]]]);
});
