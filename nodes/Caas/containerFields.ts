import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Parameters } from '../shared/operation/parameters';

/** What runs in a container (beyond-the-spec.md section 2: `container_config` and `registry_config`), for Deploy and Update. */

export const imageField: INodeProperties = {
	displayName: 'Image',
	name: 'imageUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. vllm/vllm-openai:v0.10.2',
	description: 'Container image with its tag. It must be an HTTP server.',
};

export const trafficPortField: INodeProperties = {
	displayName: 'Port',
	name: 'trafficPort',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 65535, numberPrecision: 0 },
	default: 80,
	description:
		'The port on which the HTTP server in the container listens. The service takes exactly one; the public URL leads to it.',
};

const variablesField = (
	displayName: string,
	name: string,
	placeholder: string,
	description: string,
	isSecret: boolean,
): INodeProperties => ({
	displayName,
	name,
	type: 'fixedCollection',
	typeOptions: {
		multipleValues: true,
		fixedCollection: { itemTitle: '={{ $collection.item.value.name }}' },
	},
	placeholder,
	default: {},
	description,
	options: [
		{
			displayName: 'Variable',
			name: 'variables',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: isSecret ? 'e.g. HF_TOKEN' : 'e.g. MODEL',
					description: 'Name of the variable',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					...(isSecret && { typeOptions: { password: true } }),
					default: '',
					description: 'Value of the variable',
				},
			],
		},
	],
});

export const environmentField = variablesField(
	'Environment Variables',
	'environment',
	'Add Variable',
	'Variables that the container sees',
	false,
);

export const secretEnvironmentField = variablesField(
	'Secret Environment Variables',
	'secretEnvironment',
	'Add Secret Variable',
	'Variables that the container sees and that this node never shows: keys, tokens and passwords',
	true,
);

/** Fields of Additional Fields and of Update Fields. */
export const moreContainerFields: INodeProperties[] = [
	{
		displayName: 'Arguments',
		name: 'args',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Argument' },
		default: [],
		placeholder: 'e.g. --max-model-len=8192',
		description: 'Arguments of the command, in their order, each one as it is',
	},
	{
		displayName: 'Entrypoint',
		name: 'entrypoint',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Part' },
		default: [],
		placeholder: 'e.g. python3',
		description: 'The command to run instead of that of the image, each part on its own',
	},
	{
		displayName: 'Variables (JSON)',
		name: 'environmentJson',
		type: 'json',
		default: '{}',
		description: 'More environment variables: an object of names and values',
	},
	{
		displayName: 'Registry Secret',
		name: 'registrySecret',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		description: 'Password or token for a private registry. The node never shows it.',
	},
	{
		displayName: 'Registry Username',
		name: 'registryUsername',
		type: 'string',
		default: '',
		placeholder: 'e.g. my-organization',
		description: 'User name for a private registry',
	},
	{
		displayName: 'Secret Variables (JSON)',
		name: 'secretEnvironmentJson',
		type: 'json',
		default: '{}',
		description: 'More secret variables: an object of names and values. The node never shows them.',
	},
];

/** What a form says of the program in the container; what it does not say is undefined. */
export interface ContainerSettings {
	env_variables?: IDataObject;
	secret_env_variables?: IDataObject;
	entrypoint?: string[];
	args?: string[];
	registry_username?: string;
	registry_secret?: string;
}

/**
 * Reads what Deploy and Update have in common.
 * @param form has the rows of variables
 * @param more has {@link moreContainerFields}
 */
export function readContainerSettings(form: Parameters, more: Parameters): ContainerSettings {
	const list = (name: string) =>
		more.has(name) && isFilled(more.value(name)) ? more.texts(name, LISTED) : undefined;
	return {
		env_variables: readVariables(form, more, 'environment'),
		secret_env_variables: readVariables(form, more, 'secretEnvironment'),
		entrypoint: list('entrypoint'),
		args: list('args'),
		registry_username: more.text('registryUsername', { optional: true }),
		registry_secret: more.text('registrySecret', { optional: true, trim: false }),
	};
}

/** An argument may be white space, and has commas of its own. */
const LISTED = { split: false, mayBeBlank: true };

function isFilled(value: unknown): boolean {
	return !Array.isArray(value) || value.length > 0;
}

function isValue(value: unknown): boolean {
	return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** The rows and the JSON of one kind of variables; undefined where there are none. Values are in no error, since they may be secret. */
function readVariables(
	form: Parameters,
	more: Parameters,
	field: 'environment' | 'secretEnvironment',
): IDataObject | undefined {
	const variables = new Map<string, string>();
	const add = (
		where: Parameters,
		name: string,
		value: unknown,
		nameField: string,
		valueField: string,
	) => {
		if (!/^[^\s=\0]+$/.test(name))
			where.fail(
				nameField,
				`must not be empty and must not contain = or white space, got ${where.shown(nameField, name)}`,
			);
		if (variables.has(name)) where.fail(nameField, `has the variable ${name} twice`);
		if (!isValue(value))
			where.fail(valueField, `must give ${name} a text, a number, true or false`);
		variables.set(name, String(value));
	};
	for (const row of form.rows(field, 'variables'))
		add(row, row.text('name'), row.value('value'), 'name', 'value');
	const json = `${field}Json`;
	if (more.has(json))
		for (const [name, value] of Object.entries(more.json(json, 'object')))
			add(more, name, value, json, json);
	return variables.size > 0 ? Object.fromEntries(variables) : undefined;
}

/** The values that must not be repeated; a registry's login is often sent on as one text. */
export function secretsIn({
	secret_env_variables: variables = {},
	registry_secret: secret,
	registry_username: username,
}: ContainerSettings): string[] {
	const login = secret === undefined ? [] : [secret, `${username ?? ''}:${secret}`];
	return [...Object.values(variables).map(String), ...login];
}
