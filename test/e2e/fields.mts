import { createRequire } from 'node:module';
import type { INode, INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
import type { NodeProperty, NodeTypeDescription } from './rest.mts';

// Its ESM build does not run on Node.js as it is
const { NodeHelpers } = createRequire(import.meta.url)(
	'n8n-workflow',
) as typeof import('n8n-workflow');

/** Texts and buttons, which n8n does not show as fields */
const NO_FIELDS = new Set(['notice', 'hidden', 'callout', 'button']);

/** Where credentials are shown for it, n8n lets the credential be chosen instead of it */
const AUTHENTICATION = 'authentication';

/** A field whose choice makes other fields come and go */
export interface Switch {
	field: NodeProperty;
	/** Its value now */
	chosen: unknown;
	/** Its other possible values */
	others: unknown[];
}

/** The labels of the fields that a form with these parameters must show, in their order, by n8n's own rules */
export function expectedFields(
	type: NodeTypeDescription,
	chosen: Record<string, unknown>,
): string[] {
	const isAlternative =
		type.credentials?.some(
			({ displayOptions }) => AUTHENTICATION in (displayOptions?.show ?? {}),
		) ?? false;
	return shownFields(type, chosen)
		.filter(
			(property) =>
				!NO_FIELDS.has(property.type) && !(isAlternative && property.name === AUTHENTICATION),
		)
		.map(({ displayName }) => displayName);
}

/** What a person can switch in a form, except resource and operation, which have forms of their own */
export function switchesOf(type: NodeTypeDescription, chosen: Record<string, unknown>): Switch[] {
	const decisive = new Set(
		type.properties.flatMap(({ displayOptions }) =>
			Object.keys({ ...displayOptions?.show, ...displayOptions?.hide }),
		),
	);
	return shownFields(type, chosen)
		.filter(
			({ name }) => decisive.has(name) && !['resource', 'operation', AUTHENTICATION].includes(name),
		)
		.filter((field) => field.type === 'options' || field.type === 'boolean')
		.map((field) => {
			const value = chosen[field.name] ?? field.default;
			const all =
				field.type === 'boolean'
					? [true, false]
					: (field.options ?? []).map((option) => option.value);
			return { field, chosen: value, others: all.filter((other) => other !== value) };
		});
}

function shownFields(type: NodeTypeDescription, chosen: Record<string, unknown>): NodeProperty[] {
	const node: INode = {
		id: '',
		name: '',
		type: type.name,
		typeVersion: Math.max(...[type.version].flat()),
		position: [0, 0],
		parameters: {},
	};
	// The same description, of which these tests know only what they need
	const description = type as unknown as INodeTypeDescription;
	const values =
		NodeHelpers.getNodeParameters(
			description.properties,
			chosen as INodeParameters,
			true,
			false,
			node,
			description,
		) ?? {};
	return type.properties.filter((property) =>
		NodeHelpers.displayParameter(values, property as unknown as INodeProperties, node, description),
	);
}
