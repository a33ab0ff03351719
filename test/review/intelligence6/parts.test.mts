import { describe, expect, it } from 'vitest';
import { chunk, DONE, STOP, type Json } from './service.mts';
import { complete, QUESTION, useStage } from './stage.mts';

const stage = useStage();

/** Contents of deltas, one after the other, that all say "Hello wide world". */
const LISTS: Array<[world: string, contents: unknown[]]> = [
	[
		'parts with a type',
		[[{ type: 'text', text: 'Hello ' }], [{ type: 'text', text: 'wide world' }]],
	],
	['parts without a type', [[{ text: 'Hello ' }, { text: 'wide' }], [{ text: ' world' }]]],
	['texts in a list', [['Hello ', 'wide'], [' world']]],
	[
		'parts of another type',
		[[{ type: 'output_text', text: 'Hello wide' }], [{ type: 'text_delta', text: ' world' }]],
	],
	['a list, then texts', [[{ type: 'text', text: 'Hello ' }], 'wide ', 'world']],
	['texts, then a list', ['Hello ', 'wide ', [{ text: 'world' }]]],
	[
		'a part that begins with null',
		[[{ type: 'text', text: null }], [{ type: 'text', text: 'Hello wide world' }]],
	],
	[
		'null after a text',
		[
			[{ type: 'text', text: 'Hello wide' }],
			[{ type: 'text', text: null }],
			[{ type: 'text', text: ' world' }],
		],
	],
	[
		'a part that begins without a text',
		[[{ type: 'text' }], [{ type: 'text', text: 'Hello wide world' }]],
	],
	[
		'a part without a text after one',
		[[{ type: 'text', text: 'Hello wide world' }], [{ type: 'text' }]],
	],
	['an empty list', [[], [{ type: 'text', text: 'Hello wide world' }], []]],
	[
		'texts with notes',
		[
			[{ type: 'text', text: { value: 'Hello ', annotations: [] } }],
			[{ type: 'text', text: { value: 'wide world', annotations: [] } }],
		],
	],
	[
		'a text, then one with notes',
		[[{ type: 'text', text: 'Hello ' }], [{ type: 'text', text: { value: 'wide world' } }]],
	],
	[
		'one part, not in a list',
		[
			{ type: 'text', text: 'Hello ' },
			{ type: 'text', text: 'wide world' },
		],
	],
	[
		'null in a list',
		[
			[null, { type: 'text', text: 'Hello wide' }],
			[{ type: 'text', text: ' world' }, null],
		],
	],
	[
		'whitespace first',
		[[{ type: 'text', text: '' }], [{ type: 'text', text: 'Hello wide world' }]],
	],
	['numbers', ['Hello ', [{ type: 'text', text: 'wide world' }], null]],
];

describe.each(LISTS)('a stream whose content is %s', (_world, contents) => {
	const pieces = [...contents.map((content) => chunk({ role: 'assistant', content })), STOP, DONE];

	it('is told whole, and once, in output and chat', async () => {
		stage.service.answer = () => ({ pieces });
		const { items, message, shown } = await stage.run(complete({ stream: true }), [{}], true);
		expect(message).toBe('');
		expect(items).toMatchObject([{ content: 'Hello wide world', finish_reason: 'stop' }]);
		expect(shown).toBe('Hello wide world');
	});

	it('is told whole to an agent', async () => {
		stage.service.answer = () => ({ pieces });
		const model = await stage.model();
		let text = '';
		for await (const part of model.stream(QUESTION))
			if (part.type === 'text-delta') text += String(part.delta);
		expect(text).toBe('Hello wide world');
	});
});

describe('a completion in one piece whose content is', () => {
	it.each<[string, unknown]>([
		[
			'parts',
			[
				{ type: 'text', text: 'Hello ' },
				{ type: 'text', text: 'wide world' },
			],
		],
		[
			'parts and null',
			[
				{ type: 'text', text: 'Hello wide world' },
				{ type: 'text', text: null },
			],
		],
		['parts with notes', [{ type: 'text', text: { value: 'Hello wide world', annotations: [] } }]],
		['texts', ['Hello ', 'wide world']],
		['one part', { type: 'text', text: 'Hello wide world' }],
	])('%s', async (_world, content) => {
		const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
		stage.service.answer = () => ({ body: { id: 'c', object: 'chat.completion', choices } });
		const { items, message } = await stage.run(complete());
		expect(message).toBe('');
		expect(items).toMatchObject([{ content: 'Hello wide world' }]);
		const { message: said } = await (await stage.model()).generate(QUESTION);
		expect(said.content).toEqual([{ type: 'text', text: 'Hello wide world' }]);
	});
});

describe('a refusal in parts', () => {
	const refusals: Array<[string, Json[]]> = [
		['in one', [{ content: [{ type: 'refusal', refusal: 'I cannot do that' }] }]],
		[
			'in two',
			[
				{ content: [{ type: 'refusal', refusal: 'I cannot ' }] },
				{ content: [{ type: 'refusal', refusal: 'do that' }] },
			],
		],
		[
			'after an empty text',
			[
				{ content: [{ type: 'text', text: '' }] },
				{ content: [{ type: 'refusal', refusal: 'I cannot do that' }] },
			],
		],
		['beside the content', [{ content: null, refusal: 'I cannot ' }, { refusal: 'do that' }]],
		['without a type', [{ content: [{ refusal: 'I cannot do that' }] }]],
	];
	it.each(refusals)('%s is told, with its words', async (_world, deltas) => {
		stage.service.answer = () => ({ pieces: [...deltas.map((one) => chunk(one)), STOP, DONE] });
		const { message, all } = await stage.run(complete({ stream: true }));
		expect(message).toContain('The model refuses: I cannot do that');
		expect(all).not.toContain('undefined');
	});
});

it('an image between texts loses none of them', async () => {
	const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
	const contents = [
		[{ text: 'Hello ' }],
		[image],
		[{ type: 'text', text: null }],
		['wide '],
		'world',
	];
	const pieces = [...contents.map((content) => chunk({ content })), STOP, DONE];
	stage.service.answer = () => ({ pieces });
	const { items, shown } = await stage.run(complete({ stream: true }), [{}], true);
	expect(shown).toBe('Hello wide world');
	const text = (value: string) => ({ type: 'text', text: value });
	expect(items).toEqual([
		{
			content: [text('Hello '), image, text('wide world')],
			finish_reason: 'stop',
			index: 0,
			model: 'm',
			usage: null,
		},
	]);
});
