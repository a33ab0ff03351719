import type { INodeProperties } from 'n8n-workflow';
import type { Resource } from '../../shared/operation/operation';
import type { Parameters } from '../../shared/operation/parameters';
import { promptNameField, textField } from '../../intelligence/retrieval/fields';
import { getMany, getOne, remove, write } from '../crud';

const ids = [promptNameField];

const templateField = textField(
	'Template',
	'template',
	'Text with placeholders in braces, such as {query} and {context}',
	{
		required: true,
		typeOptions: { rows: 6 },
		placeholder: 'e.g. Answer {query} from this context: {context}',
	},
);
const inputTypesField: INodeProperties = {
	displayName: 'Input Types (JSON)',
	name: 'inputTypes',
	type: 'json',
	default: '{"query": "str", "context": "str"}',
	description: 'Type of each placeholder in the template',
};

/** Prompt templates with their versions (beyond-the-spec.md section 6 "Prompts"). One is read with POST. */
export const prompt: Resource = {
	value: 'prompt',
	name: 'Prompt',
	operations: [
		getMany('prompts', { path: '/prompts' }),
		write({
			value: 'create',
			name: 'Create',
			action: 'Create prompt',
			description: 'Create a prompt template for Generate and Ask',
			path: '/prompts',
			fields: [
				textField('Name', 'name', 'Name of the prompt template, for use in Generate and Ask', {
					required: true,
					placeholder: 'e.g. answer_with_sources',
				}),
				templateField,
				inputTypesField,
			],
			body: (parameters) => ({
				name: parameters.pathId('name'),
				template: parameters.text('template', { trim: false }),
				input_types: readInputTypes(parameters),
			}),
		}),
		getOne('prompt', { path: '/prompts/{promptName}', ids, method: 'POST' }),
		remove('prompt', {
			path: '/prompts/{promptName}',
			ids,
			listing: ({ promptName = '' }) => ({
				list: { path: '/prompts' },
				fields: { name: promptName },
			}),
		}),
		write({
			value: 'update',
			name: 'Update',
			action: 'Update prompt',
			description: 'Save a new version of a prompt template',
			method: 'PUT',
			path: '/prompts/{promptName}',
			ids,
			fields: [templateField, inputTypesField],
			body: (parameters) => ({
				template: parameters.text('template', { trim: false }),
				input_types: readInputTypes(parameters),
			}),
		}),
	],
};

function readInputTypes(parameters: Parameters) {
	return parameters.has('inputTypes') ? parameters.json('inputTypes', 'object') : {};
}
