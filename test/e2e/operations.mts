import type { NodeProperty, NodeTypeDescription } from './rest.mts';

/** One way to fill in a node: what a person chooses first in its form */
export interface Choice {
	/** As a person would say it, such as `vmaas: deployment deploy` */
	label: string;
	parameters: Record<string, unknown>;
}

/**
 * Every form that a node has: each resource and operation, and each other choice in it that makes fields come and go.
 * A node without resources has one form
 */
export function choicesOf(type: NodeTypeDescription): Choice[] {
	const shortName = type.name.slice(type.name.lastIndexOf('.') + 1);
	const operations = valuesOf(type, 'resource', {}).flatMap((resource) =>
		valuesOf(type, 'operation', { resource }).map((operation) => ({ resource, operation })),
	);
	const chosen: Array<Record<string, unknown>> = operations.length > 0 ? operations : [{}];
	return chosen
		.flatMap((parameters, index) => [parameters, ...branchesOf(type, parameters, index === 0)])
		.map((parameters) => ({
			label: `${shortName}: ${Object.values(parameters).join(' ')}`,
			parameters: { ...parameters, ...unfolded(type, parameters) },
		}));
}

/** How many things a node can do: its operations, or one where it does one thing */
export function operationsOf(type: NodeTypeDescription): number {
	const counts = valuesOf(type, 'resource', {}).map(
		(resource) => valuesOf(type, 'operation', { resource }).length,
	);
	return counts.reduce((sum, count) => sum + count, 0) || 1;
}

/**
 * The choices that other fields depend on, each value but the one that is there from the start. Credentials are chosen in
 * the same way for all operations: one of them shows it
 */
function branchesOf(
	type: NodeTypeDescription,
	chosen: Record<string, unknown>,
	withCredentials: boolean,
): Array<Record<string, unknown>> {
	const dependent = [...type.properties, ...(withCredentials ? (type.credentials ?? []) : [])];
	return type.properties
		.filter(
			(property) =>
				property.type === 'options' && !(property.name in chosen) && isShown(property, chosen),
		)
		.filter(({ name }) =>
			dependent.some(
				({ displayOptions }) => name in { ...displayOptions?.show, ...displayOptions?.hide },
			),
		)
		.flatMap(({ name, options = [], default: standard }) =>
			options
				.filter(({ value }) => value !== standard)
				.map(({ value }) => ({ ...chosen, [name]: value })),
		);
}

function valuesOf(
	type: NodeTypeDescription,
	name: string,
	chosen: Record<string, unknown>,
): string[] {
	return (
		type.properties
			.filter((property) => property.name === name && isShown(property, chosen))
			.flatMap((property) => property.options ?? [])
			.map((option) => option.value)
			// n8n itself adds an option "Custom API Call" that no node knows
			.filter(
				(value): value is string => typeof value === 'string' && value !== '__CUSTOM_API_CALL__',
			)
	);
}

function isShown(property: NodeProperty, chosen: Record<string, unknown>): boolean {
	// What is for tools of AI agents is not on the canvas
	const known: Record<string, unknown> = { '@tool': false, ...chosen };
	return Object.entries(property.displayOptions?.show ?? {})
		.filter(([name]) => name in known)
		.every(([name, values]) => values.includes(known[name]));
}

/** With every field of every collection added, so that the form shows all that it has */
function unfolded(
	type: NodeTypeDescription,
	chosen: Record<string, unknown>,
): Record<string, unknown> {
	const folded = type.properties.filter(
		(property) =>
			['collection', 'fixedCollection'].includes(property.type) && isShown(property, chosen),
	);
	return valuesIn(folded);
}

function valuesIn(
	properties: Array<Partial<NodeProperty> & { name: string }>,
): Record<string, unknown> {
	return Object.fromEntries(properties.map((property) => [property.name, valueOf(property)]));
}

function valueOf({
	type,
	options = [],
	typeOptions,
	default: standard,
}: Partial<NodeProperty>): unknown {
	if (type === 'collection') return valuesIn(options);
	if (type !== 'fixedCollection') return standard;
	return Object.fromEntries(
		options.map(({ name, values = [] }) => {
			const entry = valuesIn(values);
			return [name, typeOptions?.multipleValues ? [entry] : entry];
		}),
	);
}
