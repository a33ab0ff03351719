import type { NodeProperty, NodeTypeDescription } from './rest.mts';

/** One way to fill in a node: what a person chooses first in its form */
export interface Choice {
	/** As a person would say it, such as `vmaas: deployment deploy` */
	label: string;
	parameters: Record<string, unknown>;
}

/** Every resource and operation that a node's form offers; a node without them has one form */
export function choicesOf(type: NodeTypeDescription): Choice[] {
	const shortName = type.name.slice(type.name.lastIndexOf('.') + 1);
	const choices = valuesOf(type, 'resource', {}).flatMap((resource) => {
		const above = { resource };
		return valuesOf(type, 'operation', above).map((operation) => ({
			label: `${shortName}: ${resource} ${operation}`,
			parameters: { ...above, operation, ...unfolded(type, { ...above, operation }) },
		}));
	});
	return choices.length > 0 ? choices : [{ label: shortName, parameters: unfolded(type, {}) }];
}

function valuesOf(type: NodeTypeDescription, name: string, chosen: Record<string, unknown>): string[] {
	return type.properties
		.filter((property) => property.name === name && isShown(property, chosen))
		.flatMap((property) => property.options ?? [])
		.map((option) => option.value)
		// n8n itself adds an option "Custom API Call" that no node knows
		.filter((value): value is string => typeof value === 'string' && value !== '__CUSTOM_API_CALL__');
}

function isShown(property: NodeProperty, chosen: Record<string, unknown>): boolean {
	return Object.entries(property.displayOptions?.show ?? {})
		.filter(([name]) => name in chosen)
		.every(([name, values]) => values.includes(chosen[name]));
}

/** With every field of every collection added, so that the form shows all that it has */
function unfolded(type: NodeTypeDescription, chosen: Record<string, unknown>): Record<string, unknown> {
	const folded = type.properties.filter(
		(property) => ['collection', 'fixedCollection'].includes(property.type) && isShown(property, chosen),
	);
	return valuesIn(folded);
}

function valuesIn(properties: Array<Partial<NodeProperty> & { name: string }>): Record<string, unknown> {
	return Object.fromEntries(properties.map((property) => [property.name, valueOf(property)]));
}

function valueOf({ type, options = [], typeOptions, default: standard }: Partial<NodeProperty>): unknown {
	if (type === 'collection') return valuesIn(options);
	if (type !== 'fixedCollection') return standard;
	return Object.fromEntries(
		options.map(({ name, values = [] }) => {
			const entry = valuesIn(values);
			return [name, typeOptions?.multipleValues ? [entry] : entry];
		}),
	);
}
