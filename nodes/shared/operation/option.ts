import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { collectionField } from '../fields';
import type { Parameters } from './parameters';

/** One optional parameter of a collection: its field and its reader, in one object. */
export interface Option<T = unknown> {
	field: INodeProperties;
	/** Where the value goes in the body: `seed`, or with a dot inside an object: `reasoning.effort`. */
	key: string;
	/** The checked value of the collection's parameters. Throws the error of the field. */
	read(parameters: Parameters): T;
	/** A blank value counts as not added; without it a blank value is an error. */
	ignoresBlank?: boolean;
}

/** What every kind of option takes: texts for people, and how the value is sent. */
interface Description {
	displayName: string;
	name: string;
	description: string;
	/** Default: the name in snake case. */
	key?: string;
	displayOptions?: INodeProperties['displayOptions'];
}

interface TextDescription extends Description {
	placeholder?: string;
	default?: string;
	/** Lines of the input; default 1. */
	rows?: number;
}

interface TextsDescription extends Description {
	placeholder?: string;
	/** Text of the button that adds an entry. */
	button: string;
	/** Whether an entry may consist of white space, such as a line break. */
	mayBeBlank?: boolean;
}

interface IntegerDescription extends Description {
	limits: { min: number; max?: number };
	default: number;
}

interface NumberDescription extends Description {
	/** Default: any number. */
	limits?: { min: number; max?: number };
	default: number;
	/** Decimals that n8n's editor accepts; default 2. */
	precision?: number;
}

interface JsonDescription extends Description {
	default?: string;
	placeholder?: string;
	rows?: number;
}

interface ChoiceDescription<T extends string> extends Description {
	/** In the order of their names. */
	options: ReadonlyArray<{ name: string; value: T; description?: string }>;
	default: NoInfer<T>;
}

/**
 * An option of any kind, from its field and the function that reads it.
 * @param key where the value goes in the body; default: the name in snake case
 */
export function option<T>(
	field: INodeProperties,
	read: (parameters: Parameters, name: string) => T,
	key = snakeCase(field.name),
): Option<T> {
	return { field, key, read: (parameters) => read(parameters, field.name) };
}

/** A text without the white space around it. */
export function text(description: TextDescription): Option<string> {
	return option(
		textField(description),
		(parameters, name) => parameters.text(name),
		description.key,
	);
}

/** A text as it was entered, with the white space around it. */
export function verbatim(description: TextDescription): Option<string> {
	return option(
		textField(description),
		(parameters, name) => parameters.text(name, { trim: false }),
		description.key,
	);
}

/** Several texts without the white space around them; at least one. A single text is split at its commas. */
export function texts(description: TextsDescription): Option<string[]> {
	return option(
		textsField(description),
		(parameters, name) => {
			const entries = parameters.texts(name);
			if (entries.length === 0) parameters.fail(name, 'is required and must not be empty');
			return entries;
		},
		description.key,
	);
}

/** Several texts as they were entered; at least one. */
export function verbatimTexts(description: TextsDescription): Option<string[]> {
	return option(
		textsField(description),
		(parameters, name) =>
			parameters.texts(name, { split: false, mayBeBlank: description.mayBeBlank }),
		description.key,
	);
}

/** A whole number within limits. */
export function integer(description: IntegerDescription): Option<number> {
	const { limits } = description;
	return option(
		numberField(description, 0),
		(parameters, name) => parameters.integer(name, limits),
		description.key,
	);
}

/** A number, within limits where there are some. */
export function number(description: NumberDescription): Option<number> {
	const { limits, precision = 2 } = description;
	return option(
		numberField(description, precision),
		(parameters, name) => parameters.number(name, limits),
		description.key,
	);
}

/** A switch, on when it is added. */
export function flag(description: Description): Option<boolean> {
	return option(
		{ ...common(description), type: 'boolean', default: true },
		(parameters, name) => parameters.flag(name),
		description.key,
	);
}

/** A JSON object. */
export function json(description: JsonDescription): Option<IDataObject> {
	const { default: initial = '{}', placeholder, rows } = description;
	return option(
		{
			...common(description),
			type: 'json',
			...(rows && { typeOptions: { rows } }),
			default: initial,
			...(placeholder && { placeholder }),
		},
		(parameters, name) => parameters.json(name, 'object'),
		description.key,
	);
}

/** One of a few values. */
export function choice<const T extends string>(description: ChoiceDescription<T>): Option<T> {
	const values = description.options.map(({ value }) => value);
	return option(
		{
			...common(description),
			type: 'options',
			options: description.options.map((entry) => ({ ...entry })),
			default: description.default,
		},
		(parameters, name) => parameters.choice(name, values),
		description.key,
	);
}

/** The same option, where a blank value counts as not added. */
export function unlessBlank<O extends Option>(original: O): O {
	return { ...original, ignoresBlank: true };
}

/** The collection of the options, in the order of their labels; by default Options with the button Add Option. */
export function optionsField(
	options: Option[],
	{
		name = 'options',
		displayName = 'Options',
		placeholder = 'Add Option',
		description,
	}: Partial<Pick<INodeProperties, 'name' | 'displayName' | 'placeholder' | 'description'>> = {},
): INodeProperties {
	const fields = options.map(({ field }) => field);
	return collectionField(name, displayName, placeholder, fields, description);
}

/**
 * The value of one option, or undefined where it was not added.
 * @param parameters the values of the collection: `parameters.group('options')`
 */
export function readOption<T>(parameters: Parameters, wanted: Option<T>): T | undefined {
	const { name } = wanted.field;
	const isAdded = wanted.ignoresBlank ? parameters.has(name) : parameters.value(name) !== undefined;
	return isAdded ? wanted.read(parameters) : undefined;
}

/**
 * The fields of the body of the options that were added.
 * @param parameters the values of the collection: `parameters.group('options')`
 */
export function readOptions(parameters: Parameters, options: Option[]): IDataObject {
	const body: IDataObject = {};
	for (const entry of options) {
		const value = readOption(parameters, entry) as IDataObject['x'];
		if (value === undefined) continue;
		const path = entry.key.split('.');
		const last = path.pop()!;
		let target = body;
		for (const key of path) target = (target[key] ??= {}) as IDataObject;
		target[last] = value;
	}
	return body;
}

function common({ displayName, name, description, displayOptions }: Description) {
	return { displayName, name, ...(displayOptions && { displayOptions }), description };
}

function textField(description: TextDescription): INodeProperties {
	const { default: initial = '', placeholder, rows } = description;
	return {
		...common(description),
		type: 'string',
		...(rows && { typeOptions: { rows } }),
		default: initial,
		...(placeholder && { placeholder }),
	};
}

function textsField(description: TextsDescription): INodeProperties {
	const { button, placeholder } = description;
	return {
		...common(description),
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: button },
		default: [],
		...(placeholder && { placeholder }),
	};
}

function numberField(description: NumberDescription, numberPrecision: number): INodeProperties {
	const { limits, default: initial } = description;
	return {
		...common(description),
		type: 'number',
		typeOptions: { minValue: limits?.min, maxValue: limits?.max, numberPrecision },
		default: initial,
	};
}

/** `topLogprobs` is `top_logprobs` in the API. */
export function snakeCase(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
