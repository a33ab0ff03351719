import { describe, expect, it } from 'vitest';
import { contents, delta, of, type Chunk } from './chat-chunks.mts';

describe('the older form of completions', () => {
	it('has its text beside the index', () => {
		const parts = ['Hel', 'lo'].map((text) => ({ choices: [{ index: 0, text }] }));
		expect(of(...parts).completion().choices).toEqual([
			{ index: 0, message: { content: 'Hello' } },
		]);
		const mixed = { choices: [{ text: 'a' }, { delta: { content: 'b' } }] };
		expect(contents(of(mixed))[0]).toBe('a');
	});

	it.each([
		[{ delta: { content: 'x' }, text: 'y' }],
		[{ index: 0, delta: { content: 'x' }, text: null }],
	])('is not that of %j', (choice) => expect(contents(of({ choices: [choice] }))).toEqual(['x']));

	it('is not the text that a service has beside its delta', () => {
		const choices = [{ index: 0, delta: { content: 'x' }, text: 'y' }];
		expect(of({ choices }).completion().choices).toEqual([
			{ index: 0, message: { content: 'x' }, text: 'y' },
		]);
	});
});

it('choices are in the order of their indices, which may be texts', () => {
	const choices = ['1', '0'].map((index) => ({ index, delta: { content: index } }));
	expect(of(...choices.map((one) => ({ choices: [one] }))).completion().choices).toEqual(
		[0, 1].map((index) => ({ index, message: { content: String(index) } })),
	);
});

it('a whole choice beside the first part of another leaves both', () => {
	const choices = [{ message: { content: 'a' } }, { delta: { content: 'b' } }];
	expect(contents(of({ choices }, { choices: [{ index: 1, delta: { content: 'c' } }] }))).toEqual([
		'a',
		'bc',
	]);
	expect(contents(of({ choices }))).toEqual(['a', 'b']);
});

it('a whole completion is as it was sent', () => {
	const sent = { object: 'completion', choices: [{ index: '0', message: { content: 'a' } }] };
	expect(of(sent).completion()).toEqual(sent);
});

it('a chunk without choices is yielded as it was sent', () => {
	expect(of().add({ id: 'c' })).toEqual({ id: 'c' });
});

it('a choice has no field that was not sent', () => {
	expect(of(delta('a')).completion().choices).toStrictEqual([
		{ index: 0, message: { content: 'a' } },
	]);
});

it.each<[unknown[], unknown]>([
	[['a', 'b'], 'b'],
	[['a', null], 'a'],
	[[null, 'a'], 'a'],
	[[null], null],
])('of a field that is %j the last that says something counts', (sent, last) => {
	const ofChunks = of(...sent.map((model) => ({ ...delta(''), model })));
	expect(ofChunks.completion().model).toBe(last);
	const ofChoices = of(...sent.map((filter) => delta('', { filter })));
	expect(ofChoices.completion().choices).toMatchObject([{ filter: last }]);
});

it('a choice that ends without a delta takes nothing from the others of its chunk', () => {
	const last = { choices: [{ finish_reason: 'stop' }, { delta: { content: 'b' } }] };
	expect(of(delta('a'), last).completion().choices).toEqual([
		{ index: 0, message: { content: 'a' }, finish_reason: 'stop' },
		{ index: 1, message: { content: 'b' } },
	]);
});

it('a delta may be a text', () => {
	const parts = ['Hel', 'lo'].map((text) => ({ choices: [{ index: 0, delta: text }] }));
	expect(contents(of(...parts))).toEqual(['Hello']);
});

describe('the usage of a stream', () => {
	const usage = { total_tokens: 7 };
	it.each<[unknown[], unknown]>([
		[[null, usage], usage],
		[[usage, null], usage],
		[[usage, {}], usage],
		[[usage, { total_tokens: null }], usage],
		[[usage, 'none'], usage],
		[[{}, usage], usage],
		[[usage, { total_tokens: 9 }], { total_tokens: 9 }],
		[[usage, { total_tokens: 0, details: {} }], usage],
		[[null], null],
	])('%j', (sent, expected) => {
		expect(of(...sent.map((one) => ({ ...delta('a'), usage: one }))).completion().usage).toEqual(
			expected,
		);
	});
});

describe('whether a stream is complete', () => {
	const stop = delta('', { finish_reason: 'stop' });
	it.each<[string, Chunk[], boolean, boolean]>([
		['nothing', [], false, false],
		['no choice', [{ id: 'c', choices: [] }], false, false],
		['an end', [delta('a'), stop], true, true],
		['no reason at all', [delta('a')], false, true],
		['an empty reason', [delta('a', { finish_reason: '' })], false, false],
		['a text after the end', [delta('a'), stop, delta('b')], false, true],
		['an empty text after the end', [delta('a'), stop, delta('')], true, true],
		['nothing after the end', [delta('a'), stop, delta(null)], true, true],
		[
			'a call after the end',
			[delta('a'), stop, { choices: [{ index: 0, delta: { tool_calls: [{ index: 0 }] } }] }],
			false,
			true,
		],
		[
			'a thought after the end',
			[delta('a'), stop, { choices: [{ index: 0, delta: { reasoning: 'b' } }] }],
			false,
			true,
		],
		[
			'a refusal after the end',
			[delta('a'), stop, { choices: [{ index: 0, delta: { refusal: 'b' } }] }],
			false,
			true,
		],
		[
			'a whole completion',
			[{ choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }] }],
			true,
			true,
		],
		[
			'a whole one without a reason',
			[{ choices: [{ index: 0, message: { content: 'a' } }] }],
			false,
			true,
		],
		[
			'a whole one that goes on',
			[{ choices: [{ index: 0, message: { content: 'a' }, finish_reason: null }] }],
			false,
			false,
		],
		[
			'a whole one with an empty reason',
			[{ choices: [{ index: 0, message: { content: 'a' }, finish_reason: '' }] }],
			false,
			false,
		],
	])('%s: %s, with [DONE] %s', (_, chunks, alone, withDone) => {
		expect(of(...chunks).isComplete(1)).toBe(alone);
		expect(of(...chunks).isComplete(1, true)).toBe(withDone);
	});

	it('needs a reason of each choice where one of them says that it goes on', () => {
		const choices = [{ delta: { content: 'a' } }, { delta: {}, finish_reason: null }];
		expect(of({ choices }).isComplete(2, true)).toBe(false);
	});

	it('cannot be told from reasons that more followed, where it breaks off', () => {
		const parts = ['a', 'b'].map((content) => delta(content, { finish_reason: 'stop' }));
		expect(of(...parts).isComplete(1)).toBe(true);
		expect(of(...parts).isComplete(1, false, true)).toBe(false);
		expect(of(...parts.slice(1)).isComplete(1, false, true)).toBe(true);
	});

	it('needs each of its choices, unless it says that it is done', () => {
		expect(of(stop).isComplete(2)).toBe(false);
		expect(of(stop).isComplete(2, true)).toBe(true);
		const second = { choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] };
		expect(of(stop, second).isComplete(2)).toBe(true);
	});
});

describe('the log of probabilities', () => {
	it.each<[unknown[], unknown]>([
		[[{ content: [1] }, { content: [2, 3] }], { content: [1, 2, 3] }],
		[[{ content: [1], refusal: null }, { content: null }], { content: [1], refusal: null }],
		[[{ content: [1] }, { refusal: [2] }], { content: [1], refusal: [2] }],
		[[{ content: 'x' }, { content: [2] }], { content: [2] }],
		[[{ content: [1] }, { content: 'y' }], { content: 'y' }],
		[[{ content: [1] }, null], { content: [1] }],
		[[null, { content: [1] }], { content: [1] }],
		[[null], null],
	])('%j', (sent, expected) => {
		const [choice] = of(...sent.map((logprobs) => delta('a', { logprobs }))).completion()
			.choices as Chunk[];
		expect(choice?.logprobs).toEqual(expected);
	});
});

describe('a delta with parts of other kinds', () => {
	const image = { type: 'image_url', image_url: { url: 'https://a/b' } };

	it('is kept, also before text', () => {
		expect(contents(of(delta([image])))).toEqual([[image]]);
		expect(contents(of(delta(null), delta([image]), delta('a'), delta('')))).toEqual([
			[image, { type: 'text', text: 'a' }],
		]);
	});

	it('may have its text without a type', () => {
		const text = (of: string) => ({ type: 'text', text: of });
		expect(contents(of(delta(['Hello ', image]), delta(['!'])))).toEqual([
			[text('Hello '), image, text('!')],
		]);
	});

	it.each<[unknown, unknown]>([
		[{ type: 'output_text', text: 'Hello' }, 'Say Hello!'],
		[{ text: 'Hello' }, 'Say Hello!'],
		[[['Hello']], 'Say Hello!'],
		[7, 'Say 7!'],
		...[{}, false, null, [], [null], ''].map((one): [unknown, unknown] => [one, 'Say !']),
	])('of text or nothing takes nothing from the text: %j', (content, expected) => {
		expect(contents(of(delta('Say '), delta(content), delta('!')))).toEqual([expected]);
	});

	it('alone, of a kind that is not known, is kept among text, before it and after it', () => {
		const chart = { type: 'chart', chart: 1 };
		const [before, after] = ['a', 'b'].map((text) => ({ type: 'text', text }));
		expect(contents(of(delta('a'), delta(chart), delta('b')))).toEqual([[before, chart, after]]);
		expect(contents(of(delta(''), delta(chart), delta(null)))).toEqual([chart]);
		expect(contents(of(delta(chart), delta('b')))).toEqual([[chart, after]]);
		expect(contents(of(delta({}), delta(7)))).toEqual(['7']);
	});

	it('may have text beside them, which goes on in the next', () => {
		expect(contents(of(delta([image, 'a']), delta([{ type: 'text', text: 'b' }])))).toEqual([
			[image, { type: 'text', text: 'ab' }],
		]);
	});

	it('may be one whose text is none', () => {
		const strange = { type: 'text', text: ['a'] };
		expect(contents(of(delta([strange]), delta('b')))).toEqual([
			[strange, { type: 'text', text: 'b' }],
		]);
	});

	it('may have entries that are none, and numbers, which are text', () => {
		expect(contents(of(delta([null, image, 7])))).toEqual([[image, { type: 'text', text: '7' }]]);
	});
});
