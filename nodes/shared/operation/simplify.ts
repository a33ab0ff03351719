import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { compareLabels } from '../fields';
import { show } from '../guards';
import { isTool } from './context';
import type { Operation } from './operation';
import type { Outputs, SimplifiableOutput } from './output';
import type { Parameters } from './parameters';

/**
 * Fewer fields of a large answer, as n8n's UX guidelines ask for: the switch Simplify on the canvas, and for an AI agent, whose
 * context an answer fills, the field Output with three modes. What becomes of an operation's items is decided here alone, after
 * all that is kept of them for a retry or an error, so these have every field.
 */
const MODES = ['simple', 'raw', 'fields'] as const;

/** What a failure or a warning is told in: it is part of every selection. */
const TOLD_ALWAYS = ['error', 'service_error', 'hint'];

/** The fields of an item that are put out, those that people look for first; undefined: all of them. */
export type Selection = string[] | undefined;

/** The output that an operation declares, if it can be simplified. */
export function simplifiableOutput(
	outputs: Outputs,
	resource: string,
	operation: string,
): SimplifiableOutput | undefined {
	const output = outputs[resource]?.[operation];
	return output?.simplified && { ...output, simplified: output.simplified };
}

/** The fields of the form; none where the answer is small. */
export function simplifyFields(
	operation: Operation,
	output?: SimplifiableOutput,
): INodeProperties[] {
	if (!output) return [];
	const { name, displayName } = outputNames(operation);
	return [
		{
			displayName: 'Simplify',
			name: 'simplify',
			type: 'boolean',
			// Saved workflows use all fields
			default: false,
			displayOptions: { show: { '@tool': [false] } },
			description: 'Whether to return a simplified version of the response instead of the raw data',
		},
		{
			displayName,
			name,
			type: 'options',
			options: [
				{ name: 'Raw', value: 'raw', description: 'All fields' },
				{
					name: 'Selected Fields',
					value: 'fields',
					description: 'The fields that you select, with IDs, states and warnings',
				},
				{
					name: 'Simplified',
					value: 'simple',
					description: 'The most useful fields, ten at most',
				},
			],
			default: 'simple',
			displayOptions: { show: { '@tool': [true] } },
			description: 'Which fields of the response the agent gets',
		},
		{
			displayName: 'Fields',
			name: 'fields',
			type: 'multiOptions',
			options: selectableFields(output)
				.map((field) => ({ name: field, value: field }))
				.sort((a, b) => compareLabels(a.name, b.name)),
			default: [],
			displayOptions: { show: { '@tool': [true], [name]: ['fields'] } },
			description: `What is returned besides ${output.simplified.always.join(', ')} and warnings`,
		},
	];
}

/**
 * Which fields the form asks for.
 * @throws where it names one that the operation does not put out
 */
export function readSelection(
	functions: IExecuteFunctions,
	parameters: Parameters,
	operation: Operation,
	output?: SimplifiableOutput,
): Selection {
	if (!output) return undefined;
	const { always, also } = output.simplified;
	const simplified = [...always, ...also, ...TOLD_ALWAYS];
	if (!isTool(functions))
		return parameters.has('simplify') && parameters.flag('simplify') ? simplified : undefined;
	const { name } = outputNames(operation);
	const mode = parameters.has(name) ? parameters.choice(name, MODES) : 'simple';
	if (mode === 'raw') return undefined;
	if (mode === 'simple') return simplified;
	const known = selectableFields(output);
	const wanted = parameters.texts('fields');
	const unknown = wanted.find((field) => !known.includes(field));
	if (unknown !== undefined)
		parameters.fail('fields', `must be some of ${known.join(', ')}, got ${show(unknown)}`);
	return [...always, ...wanted, ...TOLD_ALWAYS];
}

/** The selected fields that an item has. One that has none of them is another answer than was expected, and stays whole. */
export function select(json: IDataObject, selection: Selection): IDataObject {
	const names = selection?.filter((name) => Object.hasOwn(json, name)) ?? [];
	return names.length === 0 ? json : Object.fromEntries(names.map((name) => [name, json[name]]));
}

/** One operation had a field with that name before. */
function outputNames({ fields }: Operation): { name: string; displayName: string } {
	return fields.some(({ name }) => name === 'output')
		? { name: 'outputFields', displayName: 'Output Fields' }
		: { name: 'output', displayName: 'Output' };
}

/** The fields that can be selected: those of the schema, and the simplified ones of the operation's other answers. */
function selectableFields({ fields, simplified }: SimplifiableOutput): string[] {
	return [...new Set([...Object.keys(fields), ...simplified.always, ...simplified.also])];
}
