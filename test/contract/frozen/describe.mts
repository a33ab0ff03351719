import type {
	ICredentialType,
	IDisplayOptions,
	INodeCredentialDescription,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';
import { asJson, type Json } from './golden.mts';

/** Conditions of `displayOptions`: values by the name of a parameter. */
export type Conditions = Record<string, Json[]>;

interface Displayed {
	show?: Conditions;
	hide?: Conditions;
}

/** What a saved workflow relies on in a parameter; texts for people are left out. */
export interface Parameter extends Displayed {
	name: string;
	type: string;
	default: Json;
	required?: boolean;
	/** Expressions are not allowed. */
	noDataExpression?: boolean;
	multipleValues?: boolean;
	password?: boolean;
	loadOptionsMethod?: string;
	/** Values of options, sorted. */
	values?: Json[];
	/** Modes of a resource locator. */
	modes?: Array<{ name: string; type: string; searchListMethod?: string }>;
	/** Entries of a collection. */
	parameters?: Parameter[];
	/** Groups of a fixed collection. */
	groups?: Array<{ name: string; parameters: Parameter[] }>;
}

export interface CredentialUse extends Displayed {
	name: string;
	required: boolean;
}

export interface NodeInterface {
	name: string;
	versions: number[];
	group: string[];
	usableAsTool: boolean;
	inputs: Json;
	outputs: Json;
	credentials: CredentialUse[];
	methods: { listSearch: string[]; loadOptions: string[] };
	parameters: Parameter[];
}

export interface CredentialInterface {
	name: string;
	extends: string[];
	parameters: Parameter[];
}

/** The public interface of a node, in an order that does not depend on the order of the form. */
export function describeNode({ description, methods }: INodeType): NodeInterface {
	const { name, version, group, usableAsTool, inputs, outputs, credentials, properties } =
		description;
	return {
		name,
		versions: [version].flat(),
		group,
		usableAsTool: Boolean(usableAsTool),
		inputs: asJson(inputs),
		outputs: asJson(outputs),
		credentials: (credentials ?? []).map(credentialUse).sort(byName),
		methods: {
			listSearch: Object.keys(methods?.listSearch ?? {}).sort(),
			loadOptions: Object.keys(methods?.loadOptions ?? {}).sort(),
		},
		parameters: describeParameters(properties),
	};
}

/** The public interface of a credential type. */
export function describeCredential(type: ICredentialType): CredentialInterface {
	return {
		name: type.name,
		extends: type.extends ?? [],
		parameters: describeParameters(type.properties),
	};
}

function credentialUse(use: INodeCredentialDescription): CredentialUse {
	return { name: use.name, required: use.required ?? false, ...displayed(use.displayOptions) };
}

function describeParameters(properties: INodeProperties[]): Parameter[] {
	// A notice has no value: nothing of it is saved
	return properties
		.filter(({ type }) => type !== 'notice')
		.map(describeParameter)
		.sort(byName);
}

function describeParameter(property: INodeProperties): Parameter {
	const { name, type, required, noDataExpression, typeOptions, displayOptions } = property;
	const { multipleValues, password, loadOptionsMethod } = typeOptions ?? {};
	return {
		name,
		type,
		default: asJson(property.default),
		...displayed(displayOptions),
		...(required && { required }),
		...(noDataExpression && { noDataExpression }),
		...(multipleValues && { multipleValues }),
		...(password && { password }),
		...(loadOptionsMethod !== undefined && { loadOptionsMethod }),
		...choices(property),
	};
}

function choices({ type, options = [], modes }: INodeProperties): Partial<Parameter> {
	if (type === 'collection')
		return { parameters: describeParameters(options as INodeProperties[]) };
	if (type === 'fixedCollection') {
		const groups = options as INodePropertyCollection[];
		return {
			groups: groups
				.map(({ name, values }) => ({ name, parameters: describeParameters(values) }))
				.sort(byName),
		};
	}
	if (type === 'resourceLocator') {
		return {
			modes: (modes ?? [])
				.map((mode) => ({
					name: mode.name,
					type: mode.type,
					...(mode.typeOptions?.searchListMethod !== undefined && {
						searchListMethod: mode.typeOptions.searchListMethod,
					}),
				}))
				.sort(byName),
		};
	}
	if (options.length === 0) return {};
	return { values: sorted((options as INodePropertyOptions[]).map(({ value }) => asJson(value))) };
}

function displayed({ show, hide }: IDisplayOptions = {}): Displayed {
	return { ...(show && { show: conditions(show) }), ...(hide && { hide: conditions(hide) }) };
}

function conditions(given: NonNullable<IDisplayOptions['show']>): Conditions {
	const keys = Object.keys(given).sort();
	return Object.fromEntries(keys.map((key) => [key, sorted(asJson(given[key] ?? []) as Json[])]));
}

function sorted(values: Json[]): Json[] {
	return values.sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
}

function byName(a: Displayed & { name: string }, b: Displayed & { name: string }): number {
	return compare(a.name, b.name) || compare(JSON.stringify(a.show), JSON.stringify(b.show));
}

function compare(a = '', b = ''): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
