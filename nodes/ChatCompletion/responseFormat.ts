import type { IDataObject } from 'n8n-workflow';
import { choice, flag, json, readOption, text, unlessBlank } from '../shared/operation/option';
import { type Parameters } from '../shared/operation/parameters';
import { schemaFault } from './jsonSchema';

/** How the model writes its response, and how the node reads it. */
export interface ResponseFormat {
	/** `response_format` of the request; empty where no option asks for one. */
	body: IDataObject;
	/** Whether the response is parsed. */
	isJson: boolean;
	/** The JSON Schema that the parsed response must match. */
	schema?: IDataObject;
}

const jsonSchema = json({
	displayName: 'JSON: Schema',
	name: 'jsonSchema',
	rows: 8,
	default: '{\n  "type": "object",\n  "properties": {},\n  "required": []\n}',
	description:
		'Schema of a JSON response. The response is validated against it, including formats and patterns.',
});
const schemaDescription = unlessBlank(
	text({
		displayName: 'JSON: Schema Description',
		name: 'jsonSchemaDescription',
		placeholder: 'e.g. An order of GPUs',
		description: 'What the JSON is for, as a hint for the model',
	}),
);
const schemaName = unlessBlank(
	text({
		displayName: 'JSON: Schema Name',
		name: 'jsonSchemaName',
		default: 'answer',
		description: 'Name of the schema: up to 64 letters, digits, hyphens and underscores',
	}),
);
const isStrict = flag({
	displayName: 'JSON: Strict Schema',
	name: 'jsonSchemaStrict',
	description: 'Whether the model must follow the schema exactly',
});
const responseFormat = choice({
	displayName: 'Response Format',
	name: 'responseFormat',
	options: [
		{
			name: 'JSON Object',
			value: 'json_object',
			description: 'Any JSON object. The prompt must ask for JSON.',
		},
		{
			name: 'JSON Schema',
			value: 'json_schema',
			description: 'JSON that matches the option JSON Schema',
		},
		{ name: 'Text', value: 'text' },
	],
	default: 'json_schema',
	description: 'Format of the response. JSON is parsed in the output.',
});

/** Options that {@link readResponseFormat} reads. */
export const responseFormatOptions = [
	jsonSchema,
	schemaDescription,
	schemaName,
	isStrict,
	responseFormat,
];

/**
 * The format that the options ask for (beyond-the-spec.md section 5 "Chat completions"). A JSON Schema alone means
 * the format JSON Schema.
 * @throws the error of an option that is not valid, or that another one contradicts
 */
export function readResponseFormat(options: Parameters): ResponseFormat {
	const schema = readOption(options, jsonSchema);
	const fault = schema && schemaFault(schema);
	if (fault) options.fail('jsonSchema', `cannot be used: ${fault}`);
	const type = readOption(options, responseFormat) ?? (schema ? 'json_schema' : undefined);
	if (type === undefined) return { body: {}, isJson: false };
	if (type === 'text' && schema)
		options.fail(
			'responseFormat',
			'must be JSON Schema or JSON Object if there is a JSON Schema, got "text"',
		);
	if (type !== 'json_schema')
		return { body: { response_format: { type } }, isJson: type === 'json_object', schema };
	if (!schema)
		options.fail('jsonSchema', 'is required: add it, or set Response Format to JSON Object');
	return {
		body: { response_format: { type, json_schema: describedSchema(options, schema) } },
		isJson: true,
		schema,
	};
}

function describedSchema(options: Parameters, schema: IDataObject): IDataObject {
	const name = readOption(options, schemaName) ?? 'answer';
	if (!/^[\w-]{1,64}$/.test(name))
		options.fail(
			'jsonSchemaName',
			`must consist of up to 64 letters, digits, hyphens and underscores, got "${name}"`,
		);
	const description = readOption(options, schemaDescription);
	return { name, description, schema, strict: readOption(options, isStrict) };
}
