import type { IDataObject, INode } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	choice,
	flag,
	integer,
	json,
	number,
	option,
	optionsField,
	readOption,
	readOptions,
	text,
	texts,
	unlessBlank,
	verbatim,
	verbatimTexts,
	type Option,
} from '../../nodes/shared/operation/option.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';

const node: INode = {
	id: '1',
	name: 'Node',
	type: 'test.node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const about = (name: string) => ({ displayName: `Label ${name}`, name, description: 'Text' });

const all: Option[] = [
	verbatim(about('asEntered')),
	choice({
		...about('color'),
		options: [
			{ name: 'Blue', value: 'blue' },
			{ name: 'Red', value: 'red' },
		],
		default: 'red',
	}),
	flag({ ...about('includeUsage'), key: 'stream_options.include_usage' }),
	integer({ ...about('maxTokens'), limits: { min: 1, max: 9 }, default: 3 }),
	json(about('schema')),
	verbatimTexts({ ...about('stop'), button: 'Add Stop', mayBeBlank: true }),
	texts({ ...about('tags'), button: 'Add Tag' }),
	number({ ...about('topP'), limits: { min: 0, max: 1 }, default: 1 }),
	text(about('user')),
	number({ ...about('weight'), default: 0 }),
];

/** The collection as n8n gives it to a node, with these values. */
const collection = (options: Option[], values: IDataObject) =>
	new Parameters(node, 0, [optionsField(options)], () => values).group('options');
const body = (values: IDataObject, options = all) =>
	readOptions(collection(options, values), options);

describe('the options of a collection', () => {
	it('are read into the body, each under its key', () => {
		const values = {
			asEntered: ' a ',
			color: 'blue',
			includeUsage: false,
			maxTokens: '7',
			schema: '{"a": 1}',
			stop: ['\n', ' b'],
			tags: 'a, b',
			topP: 0.5,
			user: ' c ',
			weight: -4,
		};
		expect(body(values)).toEqual({
			as_entered: ' a ',
			color: 'blue',
			stream_options: { include_usage: false },
			max_tokens: 7,
			schema: { a: 1 },
			stop: ['\n', ' b'],
			tags: ['a', 'b'],
			top_p: 0.5,
			user: 'c',
			weight: -4,
		});
	});

	it('leave out what was not added', () => {
		expect(body({})).toEqual({});
		expect(body({ user: 'c' })).toEqual({ user: 'c' });
		expect(readOption(collection(all, {}), text(about('user')))).toBeUndefined();
	});

	it('share an object where their keys do', () => {
		const pair = [
			integer({ ...about('rrfK'), key: 'hybrid.rrf_k', limits: { min: 1 }, default: 50 }),
			flag({ ...about('isOn'), key: 'hybrid.deep.on' }),
		];
		expect(body({ rrfK: 2, isOn: true }, pair)).toEqual({
			hybrid: { rrf_k: 2, deep: { on: true } },
		});
	});

	it.each([
		[{ asEntered: ' ' }, 'Options: Label asEntered is required and must not be empty'],
		[{ color: 'green' }, 'Options: Label color must be one of blue, red, got "green"'],
		[{ includeUsage: 'yes' }, 'Options: Label includeUsage must be true or false, got "yes"'],
		[{ maxTokens: 10 }, 'Options: Label maxTokens must be a whole number from 1 to 9, got 10'],
		[
			{ schema: '[]' },
			'Options: Label schema must be a JSON object such as {"key": "value"}, got []',
		],
		[{ stop: [] }, 'Options: Label stop is required: the list of texts is empty'],
		[{ tags: ' , ' }, 'Options: Label tags is required and must not be empty'],
		[{ topP: 2 }, 'Options: Label topP must be a number from 0 to 1, got 2'],
		[{ user: '' }, 'Options: Label user is required and must not be empty'],
		[{ weight: null }, 'Options: Label weight must be a number, got nothing'],
	])('refuse %j', (values, message) => {
		expect(() => body(values)).toThrow(message);
	});

	it('count a blank value as not added where they say so, but not one that an expression lost', () => {
		const lenient = [unlessBlank(text(about('user')))];
		expect(body({ user: '' }, lenient)).toEqual({});
		expect(() => body({ user: null }, lenient)).toThrow('Label user must be text, got nothing');
	});

	it('are shown in the order of their labels', () => {
		const field = optionsField([text(about('b')), text(about('a'))], { name: 'more' });
		expect(field).toMatchObject({ name: 'more', displayName: 'Options', type: 'collection' });
		expect(field.options?.map(({ name }) => name)).toEqual(['a', 'b']);
	});

	it('show the limits, the lines, the button and the condition that they have', () => {
		const show = { show: { type: ['a'] } };
		expect(
			number({ ...about('x'), limits: { min: 0, max: 2 }, precision: 4, default: 1 }).field,
		).toEqual({
			...about('x'),
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 4 },
			default: 1,
		});
		expect(
			text({ ...about('x'), rows: 3, placeholder: 'e.g. a', displayOptions: show }).field,
		).toEqual({
			...about('x'),
			type: 'string',
			typeOptions: { rows: 3 },
			displayOptions: show,
			placeholder: 'e.g. a',
			default: '',
		});
		expect(texts({ ...about('x'), button: 'Add' }).field.typeOptions).toEqual({
			multipleValues: true,
			multipleValueButtonText: 'Add',
		});
	});

	it('may be of any kind', () => {
		const field = { ...about('tools'), type: 'json' as const, default: '[]' };
		const tools = option(
			field,
			(parameters, name) => parameters.json(name, 'list').length,
			'count',
		);
		expect(body({ tools: '[1, 2]' }, [tools])).toEqual({ count: 2 });
	});
});

describe('the field of an option', () => {
	const placeholder = 'Text';
	const button = 'Add Text';

	it.each<[string, Option, object]>([
		[
			'text',
			text({ ...about('a'), placeholder, rows: 3 }),
			{ type: 'string', typeOptions: { rows: 3 }, default: '', placeholder },
		],
		['text without more', verbatim(about('a')), { type: 'string', default: '' }],
		[
			'texts',
			texts({ ...about('a'), button, placeholder }),
			{
				type: 'string',
				typeOptions: { multipleValues: true, multipleValueButtonText: button },
				default: [],
				placeholder,
			},
		],
		[
			'texts without more',
			verbatimTexts({ ...about('a'), button }),
			{
				type: 'string',
				typeOptions: { multipleValues: true, multipleValueButtonText: button },
				default: [],
			},
		],
		[
			'whole number',
			integer({ ...about('a'), limits: { min: 1, max: 9 }, default: 5 }),
			{ type: 'number', typeOptions: { minValue: 1, maxValue: 9, numberPrecision: 0 }, default: 5 },
		],
		[
			'number',
			number({ ...about('a'), default: 0.5 }),
			{ type: 'number', typeOptions: { numberPrecision: 2 }, default: 0.5 },
		],
		[
			'switch',
			flag({ ...about('a'), displayOptions: { show: { b: [1] } } }),
			{ type: 'boolean', default: true, displayOptions: { show: { b: [1] } } },
		],
		[
			'object',
			json({ ...about('a'), rows: 4, placeholder }),
			{ type: 'json', typeOptions: { rows: 4 }, default: '{}', placeholder },
		],
		['object without more', json(about('a')), { type: 'json', default: '{}' }],
	])('%s says what n8n shows', (_, { field }, expected) => {
		expect(field).toEqual({ ...about('a'), ...expected });
	});
});
