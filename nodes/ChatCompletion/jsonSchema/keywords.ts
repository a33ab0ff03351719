/** What the value of a keyword is. */
export type Kind =
	| 'schema'
	| 'schemas'
	| 'namedSchemas'
	| 'dependencies'
	| 'number'
	| 'flag'
	| 'text'
	| 'texts'
	| 'textOrTexts'
	| 'list'
	| 'data';

const KEYWORDS: Record<Kind, string> = {
	schema: `additionalItems additionalProperties contains else if not propertyNames then unevaluatedItems
		unevaluatedProperties`,
	schemas: 'allOf anyOf oneOf prefixItems',
	namedSchemas: '$defs definitions dependentSchemas patternProperties properties',
	dependencies: 'dependencies dependentRequired',
	number: `exclusiveMaximum exclusiveMinimum maxContains maximum maxItems maxLength maxProperties minContains minimum
		minItems minLength minProperties multipleOf`,
	flag: '$recursiveAnchor uniqueItems',
	text: '$anchor $id $recursiveRef $ref format pattern',
	texts: 'required',
	textOrTexts: 'type',
	list: 'enum',
	data: '$comment $schema $vocabulary const default deprecated description example examples readOnly title writeOnly',
};

const KINDS = new Map(
	(Object.entries(KEYWORDS) as Array<[Kind, string]>).flatMap(([kind, names]) =>
		names.split(/\s+/).map((name) => [name, kind] as const),
	),
);

/**
 * The kind of a keyword of drafts 4 to 2020-12; `items` is one schema or several. Undefined for any other keyword: it may
 * hold schemas that a `$ref` leads to.
 */
export function kindOf(keyword: string, value: unknown): Kind | undefined {
	if (keyword === 'items') return Array.isArray(value) ? 'schemas' : 'schema';
	return KINDS.get(keyword);
}

/** What a keyword must be, where that is no schema. */
export const SHAPES: Partial<Record<Kind, [is: (value: unknown) => boolean, what: string]>> = {
	number: [(value) => typeof value === 'number', 'a number'],
	flag: [(value) => typeof value === 'boolean', 'true or false'],
	text: [isText, 'text'],
	texts: [isTexts, 'a list of texts'],
	textOrTexts: [(value) => isText(value) || isTexts(value), 'text or a list of texts'],
	list: [Array.isArray, 'a list'],
};

/** The values of `type`: no answer would ever match another one. */
export const TYPES: readonly string[] = 'array boolean integer null number object string'.split(
	' ',
);

/** The formats that are checked: those of the drafts that the library knows. Others are notes for the reader. */
export const FORMATS: readonly string[] =
	`date date-time duration email hostname ipv4 ipv6 json-pointer regex
	relative-json-pointer time uri uri-reference uri-template uuid`.split(/\s+/);

function isText(value: unknown): boolean {
	return typeof value === 'string';
}

export function isTexts(value: unknown): boolean {
	return Array.isArray(value) && value.every(isText);
}
