/**
 * What the items of an operation look like. The build writes these declarations to the files from which n8n's editor shows fields
 * before anything was executed; the fields that a person or an AI agent can choose from are made of them, too.
 */

type Word = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null';

/** One type, or several of them: the editor shows the first. */
type Types =
	Word | `${Word}|${Word}` | `${Word}|${Word}|${Word}` | `${Word}|${Word}|${Word}|${Word}`;

/** Types; an object with these fields; an array whose entries are that; or one of these or null. */
type Shape = Types | Fields | [Shape] | OrNull;

/** Fields by name, those that people look for first. An `object` may have any. */
export interface Fields {
	[name: string]: Shape;
}

/** In the registry of symbols, since a build may load this file twice: once for itself and once for the nodes. */
const OR_NULL = Symbol.for('orNull');

interface OrNull {
	[OR_NULL]: Fields | [Shape];
}

/** An object or an array that may be null. */
export const orNull = (shape: Fields | [Shape]): OrNull => ({ [OR_NULL]: shape });

/** The item that an operation puts out with the default settings of its form. */
export interface Output {
	fields: Fields;
	/** A record of the service, which may have more fields than the contract lists. */
	isOpen: boolean;
	/** Where there are more than ten fields and a few of them can do. */
	simplified?: Simplified;
}

/** The fields of a simplified item, the most important ones first; ten at most. Those that are not in it are left out. */
export interface Simplified {
	/** Also where others are selected: the ID, and what says that something runs, may bill or is not sure. */
	always: string[];
	also: string[];
}

/** An output with a simplified form. */
export type SimplifiableOutput = Output & Required<Pick<Output, 'simplified'>>;

/** Output of a node: by resource and operation. */
export type Outputs = Record<string, Record<string, Output>>;

/** An item made of these fields and no others; not every item has all of them. */
export const item = (fields: Fields, simplified?: Simplified): Output => ({
	fields,
	isOpen: false,
	simplified,
});

/** An item that a record of the service is part of. */
export const record = (fields: Fields, simplified?: Simplified): Output => ({
	fields,
	isOpen: true,
	simplified,
});

export interface JsonSchema {
	type?: string | string[];
	properties?: Record<string, JsonSchema>;
	items?: JsonSchema;
	additionalProperties?: false;
	/** Of n8n's format for such files; at the top only. */
	version?: number;
}

/** The JSON Schema of one item, as n8n reads it. */
export function schemaOf({ fields, isOpen }: Output): JsonSchema {
	return { ...schemaOfShape(fields, isOpen), version: 1 };
}

function schemaOfShape(shape: Shape, isOpen: boolean): JsonSchema {
	if (typeof shape === 'string') {
		const types = shape.split('|');
		return { type: types.length === 1 ? shape : types };
	}
	if (OR_NULL in shape) {
		const schema = schemaOfShape(shape[OR_NULL] as OrNull[typeof OR_NULL], isOpen);
		return { ...schema, type: [String(schema.type), 'null'] };
	}
	if (Array.isArray(shape)) return { type: 'array', items: schemaOfShape(shape[0], isOpen) };
	const properties = Object.fromEntries(
		Object.entries(shape).map(([name, field]) => [name, schemaOfShape(field, isOpen)]),
	);
	return { type: 'object', properties, ...(!isOpen && { additionalProperties: false }) };
}
